// A library that calls getppid and getpgrp in every way a module can: through its PLT, through a GOT entry, through a word in
// its data. Built several times: bound lazily, bound at load under RELRO, and with a getppid of its own.
#include <sys/types.h>
#include <unistd.h>

#ifdef FIXTURE_OWN_GETPPID
extern "C" __attribute__((visibility("default"))) pid_t getppid() { return 4321; }
#endif

extern "C" {

__attribute__((visibility("default"))) pid_t (*fixture_pointer)() = getppid;
__attribute__((visibility("default"))) pid_t fixture_call() { return getppid(); }
__attribute__((visibility("default"))) pid_t fixture_call_through_data() { return fixture_pointer(); }
__attribute__((visibility("default"))) void* fixture_address() { return reinterpret_cast<void*>(&getppid); }

}  // extern "C"
