// A UDF of an interner as a report has it. Pure function.
#pragma once

#include <optional>
#include <string>

#include "facts/interner.h"
#include "report/model.h"

namespace memprof {

inline std::optional<ReportUdf> UdfRow(UdfId id, const Interner& interner) {
  if (id == 0) return std::nullopt;
  const InternedUdf& udf = interner.UdfAt(id);
  return ReportUdf{std::string(interner.StringAt(udf.name)), std::string(interner.StringAt(udf.kind)),
                   std::string(interner.ShownAt(udf.file)), udf.line};
}

}  // namespace memprof
