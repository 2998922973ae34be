// Libraries whose debug information, written by hand, has no end: MEMPROF_DAMAGE says which part of it. debug_lines_test.cc
// asks for the line of damaged_here. The compiler's own debug information is off.
#define FUNCTION_ENTRY(specification) \
  ".uleb128 2\n"                      \
  ".quad damaged_here\n"              \
  ".quad 4\n"                         \
  ".long " specification "\n"
#define UNIT(code, ranges) \
  ".uleb128 " code         \
  "\n"                     \
  ".long lines\n" ranges
#define NESTED ".fill 1000003, 1, 3\n"  // as many open blocks
#define RANGES ".quad damaged_here\n.quad 4\n"

#if MEMPROF_DAMAGE == 1  // a function that is its own specification
#define ENTRIES UNIT("1", RANGES) "itself:\n" FUNCTION_ENTRY("itself - unit") ".byte 0\n"
#elif MEMPROF_DAMAGE == 2  // blocks in blocks, read with the unit's functions
#define ENTRIES UNIT("1", RANGES) NESTED
#elif MEMPROF_DAMAGE == 3  // the same, read to find the unit's addresses
#define ENTRIES UNIT("4", "") NESTED
#else  // sound: another function is the specification
#define ENTRIES UNIT("1", RANGES) FUNCTION_ENTRY("named - unit") "named: .uleb128 5\n.asciz \"declared_so\"\n.byte 0\n"
#endif

asm(".section .debug_line,\"\",@progbits\n"
    "lines:\n"
    ".section .debug_abbrev,\"\",@progbits\n"
    "abbreviations:\n"
    ".uleb128 1, 0x11\n.byte 1\n.uleb128 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0\n"  // unit: lines, from, bytes
    ".uleb128 2, 0x2e\n.byte 0\n.uleb128 0x11, 0x01, 0x12, 0x07, 0x47, 0x13, 0, 0\n"  // function: from, bytes, specification
    ".uleb128 3, 0x0b\n.byte 1\n.uleb128 0, 0\n"                                      // block, with entries in it
    ".uleb128 4, 0x11\n.byte 1\n.uleb128 0x10, 0x17, 0, 0\n"                          // unit: lines
    ".uleb128 5, 0x2e\n.byte 0\n.uleb128 0x03, 0x08, 0, 0\n"                          // function: name
    ".uleb128 0\n"
    ".section .debug_info,\"\",@progbits\n"
    "unit:\n"
    ".long unit_end - unit - 4\n"
    ".value 4\n"
    ".long abbreviations\n"
    ".byte 8\n" ENTRIES
    "unit_end:\n"
    ".text\n"
    ".globl damaged_here\n"
    ".type damaged_here, @function\n"
    ".file 1 \"damaged.c\"\n"
    "damaged_here:\n"
    ".loc 1 41\n"
    "nop\nnop\nnop\n"
    "ret\n"
    ".size damaged_here, 4\n");
