# cmake -DCLASS=X.class -DHEADER=x.h -P embed_class.cmake: the bytes of a compiled class as a constexpr array.
file(READ ${CLASS} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${hex}")
file(WRITE ${HEADER} "// Made from Rebinder.java by embed_class.cmake.\n#pragma once\n\nnamespace memprof {\ninline constexpr unsigned char kRebinderClass[] = {${bytes}};\n}  // namespace memprof\n")
