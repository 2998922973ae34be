// Operators: the part of Spark's engine that a Java stack's memory is for, by the innermost frame that shows one. An operator
// such as HashAggregateExec is known by its own classes or by classes used by it alone. Generated code is known by the operator
// that wrote the method, or by its whole-stage codegen stage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/interner.h"

namespace memprof {

// Of one frame, by its function (org.apache.spark.….Class.method); "" when it shows none.
std::string OperatorOfFunction(std::string_view function);
// Code of Spark, of the JDK and of their libraries: never the frame that asked.
bool IsPlatformCode(std::string_view function);

class Operators {
 public:
  explicit Operators(const Interner& interner);

  // Number of the stack's operator; 0 = none.
  uint32_t Of(StackId stack) const { return stack == 0 ? 0 : by_stack_[stack - 1]; }
  // Whether it reads a broadcast variable: of whatever it consists, the first reader in an executor unpacks it for all.
  bool ReadsBroadcast(StackId stack) const { return stack != 0 && reads_broadcast_[stack - 1]; }
  const std::string& Name(uint32_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_{std::string()};
  std::vector<uint32_t> by_stack_;     // by stack - 1
  std::vector<bool> reads_broadcast_;  // likewise
};

}  // namespace memprof
