// How near its limits a process was at its last sample, and how its end is called. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "postmortem/verdict.h"

namespace memprof {

double ShareOf(std::optional<uint64_t> part, std::optional<uint64_t> whole);  // -1: not known

// Of its host's memory, what all on it together used; -1: not known.
double HostShare(const DeathEvidence& evidence);

// On YARN a NodeManager's control group may stand for the host, and is called so.
std::string HostPhrase(const DeathEvidence& evidence);            // "host"
std::string HostsLimitPhrase(const DeathEvidence& evidence);      // ", which is the host's memory": of a limit
std::string OnHostTogetherPhrase(const DeathEvidence& evidence);  // "all on its host together used 97 %"
std::string TogetherPhrase(const DeathEvidence& evidence);        // "all on it together used 97 %", where the host was named

// Pages that processes share are in the memory of each of them, so their sum may be more than what the host uses. A host that merely had
// some room proves nothing: its figure is up to a second older, and a second fills gigabytes.
bool CountsTwice(const DeathEvidence& evidence);

// Killers in user space, which the kernel doesn't count (systemd-oomd, earlyoom), act before a host is full.
bool HostsKillerMayHave(const DeathEvidence& evidence);

bool IsNearLimit(const DeathEvidence& evidence);

std::string EndPhrase(const LossReason& loss);            // "exit code 137 (SIGKILL)"
std::string UseThen(const DeathEvidence& evidence);       // ", with 33 % of the limit in use at the last sample"; "": not known
std::string FoundNothing(const DeathEvidence& evidence);  // "; executor 8, the next one in it, found that …"; "": nobody could look

}  // namespace memprof
