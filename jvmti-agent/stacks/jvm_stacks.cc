#include "stacks/jvm_stacks.h"

#include <algorithm>
#include <string_view>

#include "stacks/class_names.h"
#include "stacks/jvmti_memory.h"

namespace memprof {
namespace {

constexpr char kNoNameYet[] = "<not named yet>";

// The line of a bytecode index: entries are not sorted, the closest start at or before it holds.
uint32_t LineAt(const jvmtiLineNumberEntry* table, jint entries, jlocation index) {
  jlocation best = -1;
  uint32_t line = 0;
  for (jint i = 0; i < entries; ++i) {
    if (table[i].start_location <= index && table[i].start_location > best) {
      best = table[i].start_location;
      line = static_cast<uint32_t>(table[i].line_number);
    }
  }
  return line;
}

// A method of a class that was unloaded meanwhile has no name any more.
JvmFrame Named(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method, jlocation index) {
  JvmFrame frame;
  frame.function = "<unloaded>";
  JvmtiMemory<char> name(jvmti);
  jclass holder = nullptr;
  if (jvmti->GetMethodName(method, name.target(), nullptr, nullptr) != JVMTI_ERROR_NONE) return frame;
  if (jvmti->GetMethodDeclaringClass(method, &holder) != JVMTI_ERROR_NONE) return frame;
  JvmtiMemory<char> signature(jvmti);
  if (jvmti->GetClassSignature(holder, signature.target(), nullptr) == JVMTI_ERROR_NONE) {
    frame.function = ClassNameOf(signature.get()) + '.' + name.get();
  } else {
    frame.function = name.get();
  }
  JvmtiMemory<char> file(jvmti);
  if (jvmti->GetSourceFileName(holder, file.target()) == JVMTI_ERROR_NONE) frame.file = file.get();
  if (index >= 0) {  // -1 in native methods
    JvmtiMemory<jvmtiLineNumberEntry> lines(jvmti);
    jint entries = 0;
    if (jvmti->GetLineNumberTable(method, &entries, lines.target()) == JVMTI_ERROR_NONE) frame.line = LineAt(lines.get(), entries, index);
  }
  jni->DeleteLocalRef(holder);
  frame.launches_tasks = LaunchesTasks(frame.function);
  return frame;
}

std::string KeyOf(const JvmFrame& frame) {
  if (frame.is_native()) return frame.module + '\n' + frame.build_id + '\n' + std::to_string(frame.offset) + '\n';
  return frame.function + '\n' + frame.file + '\n' + std::to_string(frame.line);
}

JvmFrame AtPlace(const NativeCall& call) {
  JvmFrame frame;
  frame.module.assign(call.module->path, call.module->path_size);
  frame.build_id.assign(call.module->build_id, call.module->build_id_size);
  frame.offset = call.offset;
  return frame;
}

}  // namespace

JvmStackId JvmStacks::Intern(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& java, const NativeCalls* native) {
  if (jni != nullptr) NamePending(jvmti, jni);
  uint32_t frames[kMaxJavaFrames];
  for (int i = 0; i < java.depth; ++i) frames[i] = FrameAt(jvmti, jni, {java.frames[i].method, java.frames[i].location});

  const std::lock_guard lock(mutex_);
  JvmStackId node = 0;
  uint32_t previous = UINT32_MAX;  // 0 is a frame that there was no room for
  const auto descend = [&](uint32_t frame) {
    if (frame == previous) return true;
    previous = frame;
    return Descend(frame, &node);
  };
  for (int i = java.depth - 1; i >= 0; --i) {
    if (!descend(frames[i])) return node;
  }
  for (size_t i = native == nullptr ? 0 : native->depth; i > 0; --i) {
    if (!descend(AddFrame(AtPlace(native->calls[i - 1])))) break;
  }
  return node;
}

bool JvmStacks::Descend(uint32_t frame, JvmStackId* node) {
  const uint64_t key = static_cast<uint64_t>(*node) << 32 | frame;
  const auto known = children_.find(key);
  if (known != children_.end()) {
    *node = known->second;
    return true;
  }
  if (frame == 0 || nodes_.size() >= kMaxNodes) {
    dropped_frames_->fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  nodes_.push_back({*node, frame});
  *node = static_cast<JvmStackId>(nodes_.size());
  children_.emplace(key, *node);
  return true;
}

JvmStackId JvmStacks::TakeOver(const JvmStacks& from, JvmStackId stack) {
  const std::vector<const JvmFrame*> frames = from.Frames(stack);
  const std::lock_guard lock(mutex_);
  JvmStackId node = 0;
  for (const JvmFrame* frame : frames) {
    if (!Descend(AddFrame(*frame), &node)) break;
  }
  return node;
}

std::vector<const JvmFrame*> JvmStacks::Frames(JvmStackId stack) const {
  std::vector<const JvmFrame*> frames;
  const std::lock_guard lock(mutex_);
  uint32_t previous = 0;
  for (JvmStackId node = stack; node != 0 && node <= nodes_.size(); node = nodes_[node - 1].parent) {
    const auto named = named_.find(nodes_[node - 1].frame);
    const uint32_t frame = named == named_.end() ? nodes_[node - 1].frame : named->second;
    if (frame == 0) {  // there was no room for its name
      frames.clear();
    } else if (frame != previous) {  // two places of one line may have had no name yet
      frames.push_back(&frames_[frame - 1]);
    }
    previous = frame;
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

bool JvmStacks::NearlyFull() const {
  const auto nearly = [](size_t used, size_t bound) { return used > bound / 4 * 3; };
  const std::lock_guard lock(mutex_);
  return nearly(frames_.size(), kMaxFrames) || nearly(nodes_.size(), kMaxNodes) || nearly(name_bytes_, kMaxNameBytes);
}

std::shared_ptr<JvmStacks> StackGenerations::Current() {
  const std::lock_guard lock(mutex_);
  if (current_ == nullptr || current_->NearlyFull()) {
    current_ = std::make_shared<JvmStacks>(&dropped_frames_);
    std::erase_if(all_, [](const std::weak_ptr<JvmStacks>& each) { return each.expired(); });
    all_.push_back(current_);
  }
  return current_;
}

void StackGenerations::NamePending(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::vector<std::weak_ptr<JvmStacks>> all;
  {
    const std::lock_guard lock(mutex_);
    all = all_;
  }
  for (const std::weak_ptr<JvmStacks>& each : all) {
    if (const std::shared_ptr<JvmStacks> stacks = each.lock()) stacks->NamePending(jvmti, jni);
  }
}

uint32_t JvmStacks::FrameAt(jvmtiEnv* jvmti, JNIEnv* jni, const Location& location) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = locations_.find(location);
    if (known != locations_.end() && (jni == nullptr || !IsPending(known->second))) return known->second;
  }
  if (jni == nullptr) return FrameWithoutName(location);
  JvmFrame frame = Named(jvmti, jni, location.method, location.index);
  const std::lock_guard lock(mutex_);
  const uint32_t id = AddFrame(std::move(frame));
  if (locations_.size() >= kMaxLocations) locations_.clear();  // method ids of unloaded classes accumulate
  locations_.insert_or_assign(location, id);
  return id;
}

bool JvmStacks::IsPending(uint32_t frame) const {
  return has_pending_.load(std::memory_order_relaxed) &&
         std::any_of(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.frame == frame; });
}

uint32_t JvmStacks::FrameWithoutName(const Location& location) {
  const std::lock_guard lock(mutex_);
  if (const auto known = locations_.find(location); known != locations_.end()) return known->second;  // another thread was faster
  if (frames_.size() >= kMaxFrames) return 0;
  JvmFrame& frame = frames_.emplace_back();
  frame.function = kNoNameYet;
  const auto id = static_cast<uint32_t>(frames_.size());
  if (locations_.size() >= kMaxLocations) locations_.clear();
  locations_.emplace(location, id);
  pending_.push_back({id, location});
  has_pending_.store(true, std::memory_order_release);
  return id;
}

// Two threads may name the same frames: each returns only when all that it has seen have names.
void JvmStacks::NamePending(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (!has_pending_.load(std::memory_order_acquire)) return;
  std::vector<Pending> pending;
  {
    const std::lock_guard lock(mutex_);
    pending = pending_;
  }
  for (const Pending& each : pending) {
    JvmFrame frame = Named(jvmti, jni, each.location.method, each.location.index);
    const std::lock_guard lock(mutex_);
    const auto waits = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& other) { return other.frame == each.frame; });
    if (waits == pending_.end()) continue;  // another thread was faster
    const uint32_t id = AddFrame(std::move(frame));
    if (id == 0) dropped_frames_->fetch_add(1, std::memory_order_relaxed);
    named_.emplace(each.frame, id);
    if (const auto known = locations_.find(each.location); known != locations_.end()) known->second = id;
    pending_.erase(waits);
    if (pending_.empty()) has_pending_.store(false, std::memory_order_release);
  }
}

uint32_t JvmStacks::AddFrame(JvmFrame frame) {
  std::string key = KeyOf(frame);
  const auto known = frame_ids_.find(key);
  if (known != frame_ids_.end()) return known->second;
  const size_t bytes = frame.function.size() + frame.file.size() + frame.module.size() + frame.build_id.size() + key.size();
  if (frames_.size() >= kMaxFrames || name_bytes_ + bytes > kMaxNameBytes) return 0;
  name_bytes_ += bytes;
  frames_.push_back(std::move(frame));
  const auto id = static_cast<uint32_t>(frames_.size());
  frame_ids_.emplace(std::move(key), id);
  return id;
}

}  // namespace memprof
