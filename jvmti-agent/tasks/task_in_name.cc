#include "tasks/task_in_name.h"

#include <charconv>

namespace memprof {
namespace {

// Takes the text, or the number, from the front; false: it begins otherwise.
bool Take(std::string_view text, std::string_view& name) {
  if (!name.starts_with(text)) return false;
  name.remove_prefix(text.size());
  return true;
}

template <typename Number>
bool TakeNumber(Number& number, std::string_view& name) {
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || number < 0) return false;
  name.remove_prefix(static_cast<size_t>(end - name.data()));
  return true;
}

}  // namespace

std::optional<TaskKey> TaskInThreadName(std::string_view name) {
  TaskKey key;
  const bool is_one = Take("Executor task launch worker for task ", name) && TakeNumber(key.partition, name) && Take(".", name) &&
                      TakeNumber(key.attempt_number, name) && Take(" in stage ", name) && TakeNumber(key.stage_id, name) &&
                      Take(".", name) && TakeNumber(key.stage_attempt, name) && Take(" (TID ", name) &&
                      TakeNumber(key.task_attempt_id, name) && name == ")";
  return is_one ? std::optional(key) : std::nullopt;
}

}  // namespace memprof
