// Counts Python's small objects: a wrapper around the allocators of the OBJ and MEM domains. Blocks of up to 512 bytes, which
// pymalloc carves out of arenas, are counted here, whatever serves them; so that PYTHONMALLOC=malloc doesn't count them twice,
// the other hooks look away while anybody but pymalloc serves them. (An arena is no call's: arena_hooks.h.) Larger blocks reach
// malloc and are counted there.
//
// Whoever wraps the allocators after us (tracemalloc) calls us and is never removed: on uninstalling, a wrapper that isn't
// the outermost any more stays where it is and passes calls on.
//
// Needs the GIL. Installing twice changes nothing.
#pragma once

namespace memprof {

void InstallPymallocHooks();
void UninstallPymallocHooks();

// HOOK. pymalloc can have no arena, and may ask malloc instead from now on.
void OnArenaRefused();

}  // namespace memprof
