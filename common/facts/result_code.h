// Code of Spark's driver that holds results of tasks: what an action collects, and what is collected to be broadcast. Pure.
#pragma once

#include <string_view>

namespace memprof {

// Of one frame, by its function (org.apache.spark.….Class.method).
bool HandlesResults(std::string_view function);

}  // namespace memprof
