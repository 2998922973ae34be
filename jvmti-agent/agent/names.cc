#include "agent/names.h"

#include <string>
#include <utility>

namespace memprof {

void Names::Start(const ApplicationRef& application) {
  const auto send = [this, application](proto::Symbols symbols) {
    ground_->Send(*application, [&](proto::Envelope* envelope) { *envelope->mutable_symbols() = std::move(symbols); });
  };
  Status status = namer_.Start({application->Boxes(), send});
  if (!status.ok()) ground_->shortcomings.Add("names of native functions", status.message());

  const AgentOptions& options = application->options;
  if (options.source != Source::kLines) return;
  Result<Redaction> redaction = Redaction::Make(options.redaction.empty() ? Redaction::kDefault : options.redaction);
  if (!redaction.ok()) {
    ground_->shortcomings.Add("source lines", "spark.redaction.regex can't be read here: " + std::string(redaction.status().message()));
    return;
  }
  status = source_reader_.Start(*std::move(redaction), send, options.patience);
  if (!status.ok()) ground_->shortcomings.Add("source lines", status.message());
}

void Names::Stop() {
  namer_.Stop();
  source_reader_.Stop();
}

void Names::Want(const BuiltProfile& profile) {
  namer_.Want(profile.unnamed);
  source_reader_.Want(profile.user_lines);
}

void Names::WantNative(const proto::TaskProfile& names) { namer_.Want(UnnamedFrames(names)); }

}  // namespace memprof
