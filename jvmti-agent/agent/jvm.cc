#include "agent/jvm.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "agent/agent.h"

namespace memprof {
namespace {

std::string Reason(jvmtiError error) {
  if (error == JVMTI_ERROR_NOT_AVAILABLE) return "the JVM doesn't grant it (JVMTI error 98): another agent may hold it";
  return "JVMTI error " + std::to_string(static_cast<int>(error));
}

// One capability at a time: if all were requested together, a missing one would make the whole request fail.
void Acquire(jvmtiEnv* jvmti, const jvmtiCapabilities& wanted, const char* what, jvmtiCapabilities* have, Shortcomings* shortcomings) {
  const jvmtiError error = jvmti->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) {
    jvmti->GetCapabilities(have);
  } else if (what != nullptr) {
    shortcomings->Add(what, Reason(error));
  }
}

// Events. All but those of collections run on Java threads, outside of collections; none may let an exception out.

void JNICALL OnSampledObjectAlloc(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object, jclass, jlong size) {
  Agent::Get().OnHeapSample(jni, thread, object, static_cast<uint64_t>(size));
}

void JNICALL OnNativeBind(jvmtiEnv*, JNIEnv* jni, jthread, jmethodID method, void* address, void** new_address) {
  Agent::Get().OnNativeBind(jni, method, address, new_address);
}

void JNICALL OnVmInit(jvmtiEnv*, JNIEnv*, jthread) { Agent::Get().OnVmInit(); }

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) { Agent::Get().OnThreadStart(jni, thread); }

void JNICALL OnCollectionStart(jvmtiEnv*) { Agent::Get().OnPause(true); }

void JNICALL OnCollectionFinish(jvmtiEnv*) { Agent::Get().OnPause(false); }

void JNICALL OnExhausted(jvmtiEnv*, JNIEnv* jni, jint flags, const void*, const char* description) {
  if ((flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) != 0) {
    Agent::Get().OnHeapExhausted(jni, description);
  } else if ((flags & JVMTI_RESOURCE_EXHAUSTED_OOM_ERROR) != 0) {
    // Metaspace, Compressed class space, threads, an array longer than any may be. Of the first HotSpot tells, too, where it can do without
    // (profiles of methods).
    Agent::Get().OnPoolExhausted(jni, description);
  }
}

void JNICALL OnVmDeath(jvmtiEnv*, JNIEnv*) { Agent::Get().OnVmDeath(); }

}  // namespace

Status Jvm::Prepare(JavaVM* vm, Phase phase, Shortcomings* shortcomings) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK || jvmti == nullptr) {
    return Status::Error(ErrorCode::kUnsupported, "this JVM has no JVMTI of version 11 or later");
  }
  vm_ = vm;
  phase_ = phase;

  jvmtiCapabilities wanted = {};
  wanted.can_generate_sampled_object_alloc_events = 1;
  Acquire(jvmti, wanted, "JVM heap samples", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_get_source_file_name = 1;
  wanted.can_get_line_numbers = 1;
  Acquire(jvmti, wanted, "lines of Java frames", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_tag_objects = 1;
  Acquire(jvmti, wanted, "threads that tasks start", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_generate_garbage_collection_events = 1;
  Acquire(jvmti, wanted, "pauses of garbage collectors", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_generate_native_method_bind_events = 1;
  Acquire(jvmti, wanted, "off-heap samples", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_generate_resource_exhaustion_heap_events = 1;
  Acquire(jvmti, wanted, "OutOfMemoryErrors of the heap", &capabilities_, shortcomings);
  wanted = {};
  wanted.can_generate_resource_exhaustion_threads_events = 1;
  Acquire(jvmti, wanted, "OutOfMemoryErrors for want of threads", &capabilities_, shortcomings);
  if (phase == Phase::kOnLoad) {
    wanted = {};
    wanted.can_generate_early_vmstart = 1;  // natives of Unsafe and Thread are bound before the ordinary start
    Acquire(jvmti, wanted, nullptr, &capabilities_, shortcomings);
  }

  jvmtiEventCallbacks callbacks = {};
  callbacks.SampledObjectAlloc = OnSampledObjectAlloc;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.NativeMethodBind = OnNativeBind;
  callbacks.GarbageCollectionStart = OnCollectionStart;
  callbacks.GarbageCollectionFinish = OnCollectionFinish;
  callbacks.ResourceExhausted = OnExhausted;
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  const jvmtiError error = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (error != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    return Status::Error(ErrorCode::kUnsupported, "this JVM refuses event callbacks (JVMTI error %d)", static_cast<int>(error));
  }
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  jvmti_ = jvmti;
  MakeHeapLooks(shortcomings);
  if (phase == Phase::kOnLoad) {
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
    SetBindEvents(true);
  }
  return {};
}

void Jvm::MakeHeapLooks(Shortcomings* shortcomings) {
  jvmtiCapabilities wanted = {};
  wanted.can_tag_objects = 1;
  jvmtiEnv* jvmti = nullptr;
  if (vm_->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK || jvmti == nullptr) return;
  const jvmtiError error = jvmti->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) {
    heap_looks_ = jvmti;
  } else {
    shortcomings->Add("classes of a full heap", Reason(error));
    jvmti->DisposeEnvironment();
  }
}

bool Jvm::SetExhaustionEvents(bool on) {
  return capabilities_.can_generate_resource_exhaustion_heap_events != 0 &&
         jvmti_->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, nullptr) == JVMTI_ERROR_NONE;
}

void Jvm::StartHeapSampling(uint64_t interval_bytes, Shortcomings* shortcomings) {
  if (!can_sample_heap()) return;
  jvmtiError error = jvmti_->SetHeapSamplingInterval(static_cast<jint>(interval_bytes <= 1 ? 0 : interval_bytes));
  if (error == JVMTI_ERROR_NONE) error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
  if (error != JVMTI_ERROR_NONE) shortcomings->Add("JVM heap samples", Reason(error));
}

void Jvm::StopHeapSampling() {
  if (can_sample_heap()) jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
}

void Jvm::SetThreadEvents(bool on) {
  if (can_tag()) jvmti_->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_THREAD_START, nullptr);
}

bool Jvm::SetPauseEvents(bool on) {
  if (!can_see_pauses()) return false;
  const jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
  return jvmti_->SetEventNotificationMode(mode, JVMTI_EVENT_GARBAGE_COLLECTION_START, nullptr) == JVMTI_ERROR_NONE &&
         jvmti_->SetEventNotificationMode(mode, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, nullptr) == JVMTI_ERROR_NONE;
}

std::string Jvm::Property(const char* name) const {
  char* value = nullptr;
  if (jvmti_->GetSystemProperty(name, &value) != JVMTI_ERROR_NONE || value == nullptr) return {};
  std::string text = value;
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(value));
  return text;
}

int Jvm::version() const { return atoi(Property("java.vm.specification.version").c_str()); }

bool Jvm::SetBindEvents(bool on) {
  binds_ = on;
  return SendBindEvents();
}

void Jvm::WatchLibraries(bool on) {
  watches_libraries_ = on;
  SendBindEvents();
}

bool Jvm::SendBindEvents() {
  const jvmtiEventMode mode = binds_ || watches_libraries_ ? JVMTI_ENABLE : JVMTI_DISABLE;
  return can_see_binding() && jvmti_->SetEventNotificationMode(mode, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr) == JVMTI_ERROR_NONE;
}

}  // namespace memprof
