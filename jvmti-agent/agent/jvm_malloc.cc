#include "agent/jvm_malloc.h"

namespace memprof {
namespace {

constexpr char kWhat[] = "sites of jvm-native";

}  // namespace

void JvmMalloc::Start(JNIEnv* jni, const AgentOptions& options) {
  if (!options.native) {
    ground_->shortcomings.Add(kWhat, "switched off by spark.memprof.native.enabled=false");
    return;
  }
  const Status started = malloc_.Start(ground_->jvm.vm(), ground_->jvm.jvmti(), jni, options.native_interval_bytes);
  if (!started.ok()) {
    ground_->shortcomings.Add(kWhat, started.message());
  } else {
    is_watched_ = true;
    ground_->jvm.WatchLibraries(true);  // else a library is noticed with the next sample of another
  }
}

void JvmMalloc::Stop() {
  ground_->jvm.WatchLibraries(false);
  malloc_.Stop();
}

// Unlike blocks of Unsafe, some may have been freed unseen.
void JvmMalloc::Forget() {
  is_watched_ = false;
  blocks_.Forget();
  left_.Forget();
}

}  // namespace memprof
