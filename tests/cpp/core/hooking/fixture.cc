// A library that calls getppid in every way a module can: through its PLT, through a word in its data, and, where
// FIXTURE_GOT is defined, through a GOT entry (which the linker then uses for the calls as well). Built several times: bound
// lazily, bound at load under RELRO, with the word among constants (as in code that isn't position-independent), and with a getppid of its
// own.
#include <sys/types.h>
#include <unistd.h>

#ifdef FIXTURE_OWN_GETPPID
extern "C" __attribute__((visibility("default"))) pid_t getppid() { return 4321; }
#endif

extern "C" {

#ifdef FIXTURE_CONSTANT
__asm__(R"(
  .pushsection .rodata
  .balign 8
  .globl fixture_pointer
  .type fixture_pointer, %object
  .size fixture_pointer, 8
fixture_pointer:
  .quad getppid
  .popsection
)");
extern __attribute__((visibility("default"))) pid_t (*const fixture_pointer)();
#else
__attribute__((visibility("default"))) pid_t (*fixture_pointer)() = getppid;
#endif
__attribute__((visibility("default"))) pid_t fixture_call() { return getppid(); }
__attribute__((visibility("default"))) pid_t fixture_call_through_data() { return fixture_pointer(); }
#ifdef FIXTURE_GOT
__attribute__((visibility("default"))) void* fixture_address() { return reinterpret_cast<void*>(&getppid); }
#endif

}  // extern "C"
