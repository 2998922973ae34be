// Cuts a task's sites to the size of a message. Python gets most of the room, then heap, then off-heap; the first site is of the origin
// that held most at the peak. Within an origin, the largest by live at peak (JVM heap has no such figure) and the largest by bytes
// allocated take turns, with the user's own sites first. Sites that don't fit are summed by origin into `remainders`, so that totals
// still add up. Pure function.
#pragma once

#include <cstddef>

#include "profile/profile_sites.h"
#include "proto/memprof.pb.h"

namespace memprof {

// Fills strings, frames, stacks, sites and remainders of `profile`, whose other fields are set already, so that it takes at most
// `max_bytes` when serialised (or as much as those other fields need alone).
void WriteSites(const ProfileSites& sites, size_t max_bytes, proto::TaskProfile* profile);

}  // namespace memprof
