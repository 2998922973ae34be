// Follows pymalloc's arenas: a wrapper around Python's arena allocator, which says where they lie (hook_state.regions). Arenas
// are no allocations of anybody's, so no line is charged with them; the objects in them are counted by pymalloc_hooks.h.
//
// Put in place as early as can be, in pyspark's daemon, and never removed: what it costs is a look-up a megabyte. Arenas
// from before are anonymous memory like any other. Needs the GIL. Installing twice changes nothing.
#pragma once

namespace memprof {

void InstallArenaHooks();

}  // namespace memprof
