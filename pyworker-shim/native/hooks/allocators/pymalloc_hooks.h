// Counts Python's small objects: a wrapper around the allocators of the OBJ and MEM domains. Blocks of up to 512 bytes, which
// pymalloc takes from its arenas, are counted here, whichever allocator serves them. While an allocator other than pymalloc
// serves them, the other hooks are switched off, so that PYTHONMALLOC=malloc doesn't count them twice. (Arenas themselves:
// arena_hooks.h.) Larger blocks reach malloc and are counted there.
//
// Another wrapper that is installed after ours (tracemalloc) calls ours, and we never remove it. On uninstalling, our wrapper
// stays if it isn't the outermost any more, and passes calls on.
//
// Needs the GIL. Installing twice changes nothing.
#pragma once

namespace memprof {

void InstallPymallocHooks();
void UninstallPymallocHooks();

// HOOK. pymalloc can't get an arena, and may call malloc instead from now on.
void OnArenaRefused();

}  // namespace memprof
