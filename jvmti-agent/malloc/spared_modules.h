// Which libraries of a JVM's process keep malloc as it is, and on whose behalf JVMTI must not be asked.
//
// - libjvm's calls come from inside the VM, hundreds of megabytes of its compilers' among them; so do those of a compiler that is a
//   library. The JVM's rows show that memory.
// - libc allocates for whoever called it.
// - libjava and libjimage take memory for every class that is loaded, for as long as one call lasts.
// - Agents (what has Agent_OnLoad or Agent_OnAttach) are called at every point of the JVM, and may hold locks that it waits for.
//
// JVMTI makes a thread wait while the JVM stops all threads. A thread that holds an agent's lock, or the loader's (in a library's
// constructor), must not wait then: the JVM, or a thread within it, may be waiting for that lock.
#pragma once

#include <cstdint>

#include "hooking/loaded_module.h"

namespace memprof {

// From a visit of the loaded modules; remembers where agents and the loader are.
bool IsSpared(const LoadedModule& module);

// True for code of an agent's or of the loader. May be called wherever malloc may.
bool MayHoldALock(uintptr_t address);

}  // namespace memprof
