#include "frames/left_threads.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/counter_names.h"
#include "base/installed_code.h"
#include "frames/code_fields.h"
#include "frames/frame_cursor.h"
#include "frames/unicode_text.h"

namespace memprof {
namespace {

std::string_view FileOf(PyCodeObject* code, char (&buffer)[1024]) {
  const StringRef file = TextOf(code->co_filename, buffer, sizeof buffer);
  return {file.data, file.size};
}

// The function that a thread runs, without threading.py's own around it; null: none that is the user's.
PyCodeObject* UsersFunctionOf(PyThreadState* thread) {
  PyCodeObject* outermost = nullptr;
  char buffer[1024];
  PythonFrame frame;
  for (FrameCursor cursor(thread); cursor.Next(&frame);) {
    if (Py_REFCNT(frame.code) <= 0) continue;  // the code object is just being destroyed
    if (!FileOf(frame.code, buffer).ends_with("/threading.py")) outermost = frame.code;
  }
  return outermost != nullptr && !IsInstalledCode(FileOf(outermost, buffer)) ? outermost : nullptr;
}

}  // namespace

LeftThreads::Thread* LeftThreads::PlaceOf(uint64_t id) {
  for (Thread& thread : threads_) {
    if (thread.id.load(std::memory_order_relaxed) == id) return &thread;
  }
  return nullptr;
}

void LeftThreads::Note() {
  PyThreadState* own = PyThreadState_Get();
  uint64_t running[kMost];
  size_t count = 0;
  // A first pass, because a place becomes free only when its thread has ended.
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(own->interp); thread != nullptr; thread = PyThreadState_Next(thread)) {
    if (count < kMost && PlaceOf(thread->id) != nullptr) running[count++] = thread->id;
  }
  for (Thread& thread : threads_) {
    const bool runs = std::find(running, running + count, thread.id.load(std::memory_order_relaxed)) != running + count;
    if (!runs && thread.bytes.load(std::memory_order_relaxed) == 0) thread.id.store(0, std::memory_order_relaxed);
  }
  uint64_t newest = 0;
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(own->interp); thread != nullptr; thread = PyThreadState_Next(thread)) {
    if (thread == own) continue;
    if (PlaceOf(thread->id) == nullptr) {
      PyCodeObject* function = UsersFunctionOf(thread);
      Thread* place = function == nullptr ? nullptr : PlaceOf(0);
      if (place == nullptr) continue;
      char buffer[kNameBytes];
      const StringRef name = TextOf(NameOf(function), buffer, sizeof buffer);
      const size_t size = std::min<size_t>(name.size, kNameBytes - 1);
      memcpy(place->name, name.data, size);
      place->name[size] = '\0';
      place->id.store(thread->id, std::memory_order_relaxed);
    }
    newest = std::max<uint64_t>(newest, thread->id);
  }
  newest_.store(newest, std::memory_order_relaxed);
}

size_t LeftThreads::Sum(Told* told) {
  size_t count = 0;
  for (Thread& thread : threads_) {
    const uint64_t bytes = thread.bytes.exchange(0, std::memory_order_relaxed);
    if (bytes == 0) continue;
    size_t place = 0;
    while (place < count && place < kMostToldApart && strcmp(told[place].name, thread.name) != 0) ++place;
    if (place == count) {
      static_assert(sizeof kOtherThreads <= kNameBytes);
      if (place == kMostToldApart) {
        memcpy(told[place].name, kOtherThreads, sizeof kOtherThreads);
      } else {
        memcpy(told[place].name, thread.name, kNameBytes);
      }
      ++count;
    }
    told[place].bytes += bytes;
  }
  return count;
}

void LeftThreads::AfterForkInChild() {
  newest_.store(0, std::memory_order_relaxed);
  for (Thread& thread : threads_) {
    thread.id.store(0, std::memory_order_relaxed);
    thread.bytes.store(0, std::memory_order_relaxed);
  }
}

}  // namespace memprof
