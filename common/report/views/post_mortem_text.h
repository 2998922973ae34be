// A post-mortem as text: for the terminal, and for the driver's log, which gets it as soon as it is known.
#pragma once

#include <string>

#include "report/model.h"
#include "report/views/text_page.h"

namespace memprof {

inline constexpr size_t kMostPostMortemLines = 29;  // with the log's own line 30

// At most `most` lines: what died and how that is known first, then advice, sites, processes.
void PutPostMortem(const ReportPostMortem& death, size_t most, TextPage& page);

std::string PostMortemText(const ReportPostMortem& death);

// A death's verdict in a word: "of memory", "of unknown cause", "not of memory", "no death".
std::string VerdictKind(const ReportPostMortem& death);

// For the log, which was told of this death with another verdict. `told`: that one's kind.
std::string CorrectionText(const ReportPostMortem& death, const std::string& told);

}  // namespace memprof
