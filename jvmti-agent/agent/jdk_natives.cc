#include "agent/jdk_natives.h"

#include <sched.h>

#include <atomic>
#include <iterator>
#include <string_view>

#include "agent/agent.h"
#include "agent/rebinder_class.h"  // generated from Rebinder.java
#include "base/throw.h"
#include "stacks/jvmti_memory.h"

namespace memprof {
namespace {

enum Native : uint8_t { kAllocateMemory, kReallocateMemory, kFreeMemory, kSetMemory, kThreadStart };

struct Binding {
  const char* holder;  // JNI name
  const char* name;
  const char* signature;
  void* wrapper;
  const char* what;  // that isn't seen without it
};

std::atomic<void*> originals[5];
std::atomic<bool> rebinding_ended{false};

// The function behind a wrapper. While natives are being rebound it may be unknown for a moment.
template <typename Function>
Function Original(JNIEnv* jni, Native native) {
  for (;;) {
    void* function = originals[native].load(std::memory_order_acquire);
    if (function != nullptr) return reinterpret_cast<Function>(function);
    if (rebinding_ended.load(std::memory_order_acquire) && originals[native].load(std::memory_order_acquire) == nullptr) break;
    sched_yield();
  }
  ThrowJava(jni, "java/lang/UnsatisfiedLinkError", "sparkmemprof: the JDK did not register this method again");
  return nullptr;
}

jlong JNICALL AllocateMemory(JNIEnv* jni, jobject unsafe, jlong size) {
  const auto original = Original<jlong(JNICALL*)(JNIEnv*, jobject, jlong)>(jni, kAllocateMemory);
  if (original == nullptr) return 0;
  const jlong address = original(jni, unsafe, size);
  if (address != 0) Agent::Get().OnOffHeapAllocated(jni, static_cast<uint64_t>(address), static_cast<uint64_t>(size));
  return address;
}

jlong JNICALL ReallocateMemory(JNIEnv* jni, jobject unsafe, jlong old_address, jlong size) {
  const auto original = Original<jlong(JNICALL*)(JNIEnv*, jobject, jlong, jlong)>(jni, kReallocateMemory);
  if (original == nullptr) return 0;
  const std::optional<OffHeapBlock> old_block = Agent::Get().OnOffHeapResizing(static_cast<uint64_t>(old_address));
  const jlong address = original(jni, unsafe, old_address, size);
  Agent::Get().OnOffHeapResized(jni, static_cast<uint64_t>(old_address), old_block, static_cast<uint64_t>(address),
                                static_cast<uint64_t>(size));
  return address;
}

void JNICALL FreeMemory(JNIEnv* jni, jobject unsafe, jlong address) {
  const auto original = Original<void(JNICALL*)(JNIEnv*, jobject, jlong)>(jni, kFreeMemory);
  if (original == nullptr) return;
  Agent::Get().OnOffHeapFreeing(static_cast<uint64_t>(address));
  original(jni, unsafe, address);
}

void JNICALL SetMemory(JNIEnv* jni, jobject unsafe, jobject base, jlong offset, jlong size, jbyte value) {
  const auto original = Original<void(JNICALL*)(JNIEnv*, jobject, jobject, jlong, jlong, jbyte)>(jni, kSetMemory);
  if (original == nullptr) return;
  if (base == nullptr) Agent::Get().OnOffHeapFilled(static_cast<uint64_t>(offset), static_cast<uint64_t>(offset + size));
  original(jni, unsafe, base, offset, size, value);
}

void JNICALL ThreadStart(JNIEnv* jni, jobject thread) {
  const auto original = Original<void(JNICALL*)(JNIEnv*, jobject)>(jni, kThreadStart);
  if (original == nullptr) return;
  Agent::Get().OnThreadStarting(thread);
  original(jni, thread);
}

constexpr const char* kUnsafe = "jdk/internal/misc/Unsafe";
constexpr const char* kThread = "java/lang/Thread";

const Binding kBindings[] = {
    {kUnsafe, "allocateMemory0", "(J)J", reinterpret_cast<void*>(AllocateMemory), "off-heap samples"},
    {kUnsafe, "reallocateMemory0", "(JJ)J", reinterpret_cast<void*>(ReallocateMemory), "off-heap samples"},
    {kUnsafe, "freeMemory0", "(J)V", reinterpret_cast<void*>(FreeMemory), "off-heap samples"},
    {kUnsafe, "setMemory0", "(Ljava/lang/Object;JJB)V", reinterpret_cast<void*>(SetMemory), "sizes of direct buffers to the byte"},
    {kThread, "start0", "()V", reinterpret_cast<void*>(ThreadStart), "threads that tasks start"},
};
static_assert(std::size(kBindings) == std::size(originals));

bool IsClass(const char* signature, std::string_view name) {
  const std::string_view text = signature;
  return text.size() == name.size() + 2 && text.front() == 'L' && text.substr(1, name.size()) == name;
}

void ClearException(JNIEnv* jni) {
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

// What Rebinder's native methods need; set only while it runs.
struct Rebinding {
  Jvm* jvm;
  bool done[2] = {false, false};
};
std::atomic<Rebinding*> rebinding{nullptr};

// Registers our wrappers in one class, then lets it register its own natives. Bind events come first: without them the
// wrappers would never learn what they wrap.
bool RebindClass(JNIEnv* jni, Jvm* jvm, const char* holder) {
  jclass type = jni->FindClass(holder);
  const jmethodID register_natives = type == nullptr ? nullptr : jni->GetStaticMethodID(type, "registerNatives", "()V");
  JNINativeMethod methods[std::size(kBindings)];
  jint count = 0;
  bool complete = register_natives != nullptr;
  for (const Binding& binding : kBindings) {
    if (std::string_view(binding.holder) != holder || !complete) continue;
    complete = jni->GetMethodID(type, binding.name, binding.signature) != nullptr;
    methods[count++] = {const_cast<char*>(binding.name), const_cast<char*>(binding.signature), binding.wrapper};
  }
  complete = complete && jvm->SetBindEvents(true);
  if (complete) {
    complete = jni->RegisterNatives(type, methods, count) == JNI_OK;
    if (complete) jni->CallStaticVoidMethod(type, register_natives);
    jvm->SetBindEvents(false);
  }
  ClearException(jni);
  if (type != nullptr) jni->DeleteLocalRef(type);
  return complete;
}

void JNICALL Rebind(JNIEnv* jni, jclass) {
  Rebinding* now = rebinding.load(std::memory_order_acquire);
  if (now == nullptr) return;
  now->done[0] = RebindClass(jni, now->jvm, kUnsafe);
  now->done[1] = RebindClass(jni, now->jvm, kThread);
  rebinding_ended.store(true, std::memory_order_release);
}

jclass DefineRebinder(JNIEnv* jni) {
  jclass rebinder = jni->DefineClass("org/sparkmemprof/agent/Rebinder", nullptr, reinterpret_cast<const jbyte*>(kRebinderClass),
                                     static_cast<jsize>(std::size(kRebinderClass)));
  ClearException(jni);
  return rebinder;
}

}  // namespace

void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method, void* address, void** new_address) {
  JvmtiMemory<char> name(jvmti), signature(jvmti);
  if (jvmti->GetMethodName(method, name.target(), signature.target(), nullptr) != JVMTI_ERROR_NONE) return;
  for (size_t i = 0; i < std::size(kBindings); ++i) {
    const Binding& binding = kBindings[i];
    if (std::string_view(binding.name) != name.get() || std::string_view(binding.signature) != signature.get()) continue;
    if (address == binding.wrapper) continue;
    jclass holder = nullptr;
    JvmtiMemory<char> holder_signature(jvmti);
    if (jvmti->GetMethodDeclaringClass(method, &holder) == JVMTI_ERROR_NONE &&
        jvmti->GetClassSignature(holder, holder_signature.target(), nullptr) == JVMTI_ERROR_NONE &&
        IsClass(holder_signature.get(), binding.holder)) {
      originals[i].store(address, std::memory_order_release);
      *new_address = binding.wrapper;
    }
    if (holder != nullptr && jni != nullptr) jni->DeleteLocalRef(holder);
  }
}

void RebindJdkNatives(JNIEnv* jni, Jvm* jvm, Shortcomings* shortcomings) {
  if (!jvm->can_see_binding() || rebinding_ended.load()) return;
  jclass rebinder = DefineRebinder(jni);
  const JNINativeMethod method = {const_cast<char*>("rebind"), const_cast<char*>("()V"), reinterpret_cast<void*>(Rebind)};
  const jmethodID run = rebinder == nullptr ? nullptr : jni->GetStaticMethodID(rebinder, "run", "()V");
  if (run != nullptr && jni->RegisterNatives(rebinder, &method, 1) == JNI_OK) {
    Rebinding now{jvm};
    rebinding.store(&now, std::memory_order_release);
    jni->CallStaticVoidMethod(rebinder, run);
    rebinding.store(nullptr, std::memory_order_release);
  }
  ClearException(jni);
  if (rebinder != nullptr) jni->DeleteLocalRef(rebinder);
  NoteUnboundNatives(shortcomings);
}

void NoteUnboundNatives(Shortcomings* shortcomings) {
  for (size_t i = 0; i < std::size(kBindings); ++i) {
    if (originals[i].load() == nullptr) {
      shortcomings->Add(kBindings[i].what, std::string(kBindings[i].name) + " of this JVM could not be wrapped");
    }
  }
}

}  // namespace memprof
