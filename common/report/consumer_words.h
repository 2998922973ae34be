// What the classes are for that take Spark's execution memory. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace memprof {

// "sort", "hash aggregate or hash join", ...; "" for a class that is not Spark's or not known. `name`: of the Java class, in full.
std::string_view OperatorOf(std::string_view name);

// "UnsafeExternalSorter" of "org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter".
std::string_view ShortClassName(std::string_view name);

// "UnsafeExternalSorter (sort)".
std::string ConsumerTitle(std::string_view name, std::string_view operation);

}  // namespace memprof
