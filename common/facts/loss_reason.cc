#include "facts/loss_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

namespace memprof {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower;
}

template <size_t N>
bool ContainsAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.find(part) != text.npos; });
}

// The number behind the first phrase that has one.
std::optional<int> ExitCodeIn(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kPhrases = {
      "exited with code ",  // standalone, local-cluster: Command exited with code 137
      "exit status: ",      // YARN: Container from a bad node: … Exit status: 137
      "exit code is ",      // YARN's diagnostics
      "exit code ",         // Kubernetes: exited with exit code 137(SIGKILL, possible container OOM)
      "exitcode: ",         // YARN: exitCode=…, as some versions write it
  };
  for (std::string_view phrase : kPhrases) {
    for (size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
      std::string_view rest = text.substr(at + phrase.size());
      int code = 0;
      if (std::from_chars(rest.data(), rest.data() + rest.size(), code).ec == std::errc() && code >= -1000 && code <= 1000) return code;
    }
  }
  return std::nullopt;
}

}  // namespace

LossReason ParseLossReason(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kMemory = {
      "exceeding physical memory limits",  // YARN: Container killed by YARN for …
      "exceeding virtual memory limits",
      "memory limits. current usage",  // YARN's diagnostics: is running beyond physical memory limits. Current usage: …
      "oomkilled",                     // Kubernetes: the container's termination reason
  };
  static constexpr std::array<std::string_view, 8> kWanted = {
      "killed by driver",                                   // dynamic allocation, SparkContext.killExecutors
      "decommission",                                       // Executor decommission: …
      "was preempted",                                      // YARN
      "explicit termination request",                       // YARN, dynamic allocation
      "deleted by a user or the framework",                 // Kubernetes
      "executor killed due to idle timeout",                // some managers' own words for dynamic allocation
      "worker shutting down",                               // standalone: the worker ends its executors
      "shutdown hooks cannot be modified during shutdown",  // standalone: asked to start one, it was ending
  };
  std::string lower = LowerCase(text);
  LossReason reason;
  reason.exit_code = ExitCodeIn(lower);
  reason.silent = !reason.exit_code && lower.find("heartbeat timed out") != lower.npos;
  if (ContainsAny(lower, kMemory)) {
    reason.kind = LossKind::kContainerMemory;
  } else if (ContainsAny(lower, kWanted) || reason.exit_code == 0) {
    reason.kind = LossKind::kWanted;
  } else if (reason.exit_code) {
    reason.kind = LossKind::kExit;
  }
  return reason;
}

std::string ExitCodePhrase(int exit_code) {
  switch (exit_code) {
    case kSignalBase + SIGKILL:
    case kSignalBase + SIGTERM:
    case kSignalBase + SIGABRT:
    case kSignalBase + SIGBUS:
    case kSignalBase + SIGSEGV:
    case kSignalBase + SIGILL:
    case kSignalBase + SIGFPE:
      return fmt::format("{} ({})", exit_code, SignalName(exit_code - kSignalBase));
    case kExitSparkOom:
      return "52 (Spark's code for an OutOfMemoryError)";
    default:
      return fmt::format("{}", exit_code);
  }
}

std::string SignalName(int signal) {
  switch (signal) {
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGKILL:
      return "SIGKILL";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGTERM:
      return "SIGTERM";
    default:
      return fmt::format("signal {}", signal);
  }
}

}  // namespace memprof
