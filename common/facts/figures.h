// How figures of one site are combined. Within a task everything is summed. Over tasks, allocated bytes are summed; live and
// resident bytes, at the peak and at the end, are the largest of any one task, because these are different moments.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/facts.h"

namespace memprof {

// Stack nodes that turned out to be one site of one task.
void AddWithinTask(const SiteFigures& other, SiteFigures& figures);

// Adds one task, or tasks already summed up.
void AddOverTasks(const SiteFigures& other, SiteFigures& figures);

// Of two times, of which 0 is "not known".
inline int64_t EarliestKnown(int64_t a, int64_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

// Whether what is resident is a lower bound: more than a hundredth of what was live was not looked up.
bool IsResidentInPart(const SiteFigures& figures);

// Of what was live at the peak, how much was live at the end, too; nothing: not known.
std::optional<uint64_t> KeptBytes(const SiteFigures& figures);

// Nothing: all that is resident was seen there before the peak had passed, or what is resident is not known.
std::optional<uint64_t> ResidentLater(const SiteFigures& figures);

}  // namespace memprof
