// JvmStacks: the frames and stacks that samples in the JVM have met: Java's by name, and below them those of native libraries by place.
//
// A Java frame is (class and method, source file, line), so frames of a class loaded again merge; a stack is a node of a
// trie, with immediate recursion folded. Frames are named at first sight (10 to 20 µs each, through JVMTI) and then
// found by (method id, bytecode index). Where JNI must not be called (within GetPrimitiveArrayCritical, as compressors take
// memory), a stack may be interned without: its frames get their names later.
//
// Bounds: kMaxFrames frames, kMaxNodes trie nodes, kMaxNameBytes of text, about 6 MiB in all; beyond them a stack loses its inner
// frames, and that is counted. Nothing is ever removed, so a long-lived executor begins a new generation (StackGenerations)
// before one is full. New tasks use the new one; the old one is freed with the last task that uses it, unless
// offheap/left_behind.h keeps it. What outlives tasks takes its stacks over into the new one.
//
// Thread-safe: one mutex, held only for look-ups and inserts, never across a JVMTI call. Allocates; not for GC callbacks.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "stacks/capture.h"
#include "stacks/native_calls.h"

namespace memprof {

struct JvmFrame {
  std::string function;         // com.acme.Job.run
  std::string file;             // Job.java; empty when the class doesn't say
  uint32_t line = 0;            // 0 = unknown
  bool launches_tasks = false;  // one of Spark's frames between the thread's start and the task's own code
  // A native frame has a place, and names only later (naming/).
  std::string module = {};    // the library's path
  std::string build_id = {};  // hexadecimal; "" where the library has none
  uint64_t offset = 0;        // of the return address, in the file's terms

  bool is_native() const { return !module.empty(); }
};

using JvmStackId = uint32_t;  // 0 = no stack

class JvmStacks {
 public:
  static constexpr size_t kMaxFrames = 12u << 10;
  static constexpr size_t kMaxNodes = 48u << 10;
  static constexpr size_t kMaxNameBytes = 3u << 19;
  static constexpr size_t kMaxLocations = 16u << 10;  // cached (method, bytecode index) pairs; a full cache is emptied

  explicit JvmStacks(std::atomic<uint64_t>* dropped_frames) : dropped_frames_(dropped_frames) {}

  // Innermost first in, the innermost node out. `native`: called by the innermost Java frame. `jni` null: JNI must not be called now.
  JvmStackId Intern(jvmtiEnv* jvmti, JNIEnv* jni, const CapturedStack& java, const NativeCalls* native = nullptr);

  // Names the frames that have none yet. On a Java thread, where JNI may be called. Intern() with a JNIEnv does so, too.
  void NamePending(jvmtiEnv* jvmti, JNIEnv* jni);

  bool AwaitsNames() const { return has_pending_.load(std::memory_order_acquire); }

  // A stack of another generation, by its frames' names; 0 for one without frames.
  JvmStackId TakeOver(const JvmStacks& from, JvmStackId stack);

  // Outermost first. The frames live as long as this object.
  std::vector<const JvmFrame*> Frames(JvmStackId stack) const;

  // Three quarters of a bound are reached.
  bool NearlyFull() const;

 private:
  struct Location {
    jmethodID method;
    jlocation index;
    bool operator==(const Location&) const = default;
  };
  struct LocationHash {
    size_t operator()(const Location& location) const {
      return (reinterpret_cast<uintptr_t>(location.method) ^ (static_cast<uint64_t>(location.index) << 40)) * 0x9E3779B97F4A7C15u >> 7;
    }
  };
  struct Node {
    JvmStackId parent;
    uint32_t frame;
  };

  struct Pending {
    uint32_t frame;  // stands for what it will be
    Location location;
  };

  uint32_t FrameAt(jvmtiEnv* jvmti, JNIEnv* jni, const Location& location);
  uint32_t FrameWithoutName(const Location& location);
  bool IsPending(uint32_t frame) const;            // caller holds mutex_
  uint32_t AddFrame(JvmFrame frame);               // likewise; 0: no room
  bool Descend(uint32_t frame, JvmStackId* node);  // likewise; false: no room, the rest is dropped

  mutable std::mutex mutex_;
  std::deque<JvmFrame> frames_;  // index + 1 is the frame's id
  std::unordered_map<std::string, uint32_t> frame_ids_;
  std::unordered_map<Location, uint32_t, LocationHash> locations_;
  std::vector<Node> nodes_;                            // index + 1 is the JvmStackId
  std::unordered_map<uint64_t, JvmStackId> children_;  // parent << 32 | frame
  std::vector<Pending> pending_;
  std::unordered_map<uint32_t, uint32_t> named_;  // by the frame that stood for it; 0: no room, the stack ends above it
  std::atomic<bool> has_pending_{false};
  size_t name_bytes_ = 0;
  std::atomic<uint64_t>* dropped_frames_;
};

// Thread-safe.
class StackGenerations {
 public:
  // What a task that begins now should use.
  std::shared_ptr<JvmStacks> Current();
  // JvmStacks::NamePending of all that are in use.
  void NamePending(jvmtiEnv* jvmti, JNIEnv* jni);
  uint64_t dropped_frames() const { return dropped_frames_.load(std::memory_order_relaxed); }

 private:
  std::mutex mutex_;
  std::shared_ptr<JvmStacks> current_;
  std::vector<std::weak_ptr<JvmStacks>> all_;
  std::atomic<uint64_t> dropped_frames_{0};
};

}  // namespace memprof
