// The budget of the driver, where it is a JVM of its own. In client mode nothing is reserved for it: it is an ordinary process,
// and only a cgroup or the machine's memory limits it. In cluster mode it has a container. On YARN and Kubernetes that is
// spark.driver.memory plus an overhead (ClientArguments, BasicDriverFeatureStep); standalone reserves its heap. Pure functions.
#pragma once

#include <memory>
#include <string_view>

#include "budget/budget.h"

namespace memprof {

// Null where the driver is the executor as well (local mode), or there is no Spark.
std::unique_ptr<ClusterManager> ClusterManagerOfDriver(std::string_view master);

// False: client mode.
bool DriverHasContainer(const SparkSettings* settings);

// Whether it has one that is as large as the settings ask for: on YARN and Kubernetes.
bool SettingsSizeDriversContainer(const SparkSettings* settings);

// What it is granted then, if its cluster manager ends one that takes more. 0: it doesn't.
uint64_t GrantedToDriver(const SparkSettings& settings);

// What a driver needs beside a heap of this size: what the settings add where they size its container, else about what a JVM takes,
// which is what Spark adds by default. Bytes.
uint64_t BesideDriversHeap(const SparkSettings* settings, uint64_t heap_bytes);

}  // namespace memprof
