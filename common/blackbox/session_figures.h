// Figures of a box's records as its reader gives them. Pure.
#pragma once

#include <cstdint>

#include "blackbox/box_reader.h"
#include "blackbox/layout.h"
#include "sampling/peak.h"

namespace memprof {

// Without sites, names and its own counters.
BoxSession SessionOf(const box::Session& session);

BoxSite SiteOf(const box::Site& site, const PeakTotal& total);

BoxIncident IncidentOf(const box::Incident& incident);

// False for a record whose checksum is right but whose figures are impossible. `kind`: layout.h.
bool Plausible(const BoxSite& site);
bool Plausible(const box::Incident& incident, uint32_t kind);

}  // namespace memprof
