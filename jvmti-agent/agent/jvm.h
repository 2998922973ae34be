// Jvm: the JVMTI environment, its capabilities, and the events it delivers. A missing capability is recorded in Shortcomings, and the
// agent continues without it: a JVM never fails because of it.
//
// Prepare() is called once, from Agent_OnLoad (all capabilities, every allocation from the first on) or later in a
// running JVM. Thread-safe after that. Events are handed to the Agent (agent/agent.h).
#pragma once

#include <jvmti.h>

#include <atomic>
#include <string>

#include "base/shortcomings.h"
#include "base/status.h"

namespace memprof {

class Jvm {
 public:
  enum class Phase : uint8_t { kOnLoad, kLive };

  Status Prepare(JavaVM* vm, Phase phase, Shortcomings* shortcomings);
  bool prepared() const { return jvmti_ != nullptr; }

  // Switches heap sampling on; does nothing when the capability is missing.
  void StartHeapSampling(uint64_t interval_bytes, Shortcomings* shortcomings);
  void StopHeapSampling();
  bool can_sample_heap() const { return capabilities_.can_generate_sampled_object_alloc_events != 0; }

  // ThreadStart events, by which threads inherit the task of the thread that starts them.
  void SetThreadEvents(bool on);
  bool can_tag() const { return capabilities_.can_tag_objects != 0; }

  // Pauses of the garbage collectors, to the Agent's clock.
  bool SetPauseEvents(bool on);
  bool can_see_pauses() const { return capabilities_.can_generate_garbage_collection_events != 0; }

  // NativeMethodBind events, wanted while natives of the JDK are (re)bound, and to see that a JNI library was loaded. Only in the first
  // case may a binding be changed: later ones may be another agent's.
  bool SetBindEvents(bool on);
  bool binds() const { return binds_; }
  void WatchLibraries(bool on);
  bool can_see_binding() const { return capabilities_.can_generate_native_method_bind_events != 0; }

  // ResourceExhausted events.
  bool SetExhaustionEvents(bool on);
  // A separate environment for walks of the whole heap, because they use object tags of their own; null: the JVM gives none.
  jvmtiEnv* heap_looks() const { return heap_looks_; }

  std::string Property(const char* name) const;  // a system property; "" when unset
  int version() const;                           // 17, 25; 0: not known

  JavaVM* vm() const { return vm_; }
  jvmtiEnv* jvmti() const { return jvmti_; }
  Phase phase() const { return phase_; }

 private:
  bool SendBindEvents();
  void MakeHeapLooks(Shortcomings* shortcomings);

  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  jvmtiEnv* heap_looks_ = nullptr;
  jvmtiCapabilities capabilities_ = {};
  Phase phase_ = Phase::kLive;
  std::atomic<bool> binds_{false}, watches_libraries_{false};
};

}  // namespace memprof
