#include "rollup/parsed_snapshot.h"

namespace memprof {
namespace {

google::protobuf::ArenaOptions Options() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 8 << 10;  // with the processes of an executor of sixteen cores
  return options;
}

}  // namespace

ParsedSnapshot::ParsedSnapshot(const ExecutorFacts& executor)
    : arena_(Options()), snapshot_(google::protobuf::Arena::CreateMessage<proto::ExecutorSnapshot>(&arena_)) {
  const bool whole = snapshot_->ParseFromArray(executor.snapshot.data(), static_cast<int>(executor.snapshot.size()));
  if (!whole) snapshot_->Clear();
}

}  // namespace memprof
