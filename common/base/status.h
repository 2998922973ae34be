// Errors are values in native code: a Status says what happened, to which thing, and what to do.
//
//   Status OpenBox(...) { if (fd < 0) return Status::Error(ErrorCode::kIo, "cannot open %s: %s", path, strerror(errno)); return {}; }
//   Result<Box> box = Box::Open(path);  if (!box.ok()) return box.status();  box->Sessions();
//
// A Status owns no memory: its message lives in a fixed buffer, so that it can be made where allocation is forbidden.
// Messages over 255 bytes are cut. Both types are values; neither is thread-safe.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <variant>

namespace memprof {

enum class ErrorCode : uint8_t { kOk, kInvalidArgument, kNotFound, kIo, kCorrupt, kExhausted, kUnsupported };

class [[nodiscard]] Status {
 public:
  Status() = default;

  __attribute__((format(printf, 2, 3))) static Status Error(ErrorCode code, const char* format, ...) {
    Status status;
    status.code_ = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status.message_, sizeof status.message_, format, arguments);
    va_end(arguments);
    return status;
  }

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const char* message() const { return message_; }  // "" when ok

 private:
  ErrorCode code_ = ErrorCode::kOk;
  char message_[255] = {};
};

// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Status status) : state_(status) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  Status status() const { return ok() ? Status() : std::get<Status>(state_); }
  T& operator*() { return *std::get_if<T>(&state_); }
  const T& operator*() const { return *std::get_if<T>(&state_); }
  T* operator->() { return std::get_if<T>(&state_); }
  const T* operator->() const { return std::get_if<T>(&state_); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace memprof
