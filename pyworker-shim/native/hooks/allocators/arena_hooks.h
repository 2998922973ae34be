// Follows pymalloc's arenas: a wrapper around Python's arena allocator that records their addresses (hook_state.regions). An
// arena is no line's allocation, so no line is charged with it; the objects in it are counted by pymalloc_hooks.h.
//
// Installed as early as possible, in pyspark's daemon, and never removed: it costs one look-up for each megabyte. Earlier arenas
// are treated as ordinary anonymous memory. Needs the GIL. Installing twice changes nothing.
#pragma once

namespace memprof {

void InstallArenaHooks();

}  // namespace memprof
