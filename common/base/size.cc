#include "base/size.h"

#include "base/setting_value.h"

namespace memprof {
namespace {

constexpr int kShownChars = 64;

int Shown(std::string_view text) { return text.size() < kShownChars ? static_cast<int>(text.size()) : kShownChars; }

// The power of two a unit stands for, -1 when it is none.
int ShiftOf(std::string_view unit) {
  if (unit.empty()) return 0;
  int shift = -1;
  switch (Lower(unit.front())) {
    case 'b':
      return unit.size() == 1 ? 0 : -1;
    case 'k':
      shift = 10;
      break;
    case 'm':
      shift = 20;
      break;
    case 'g':
      shift = 30;
      break;
    case 't':
      shift = 40;
      break;
    default:
      return -1;
  }
  unit.remove_prefix(1);
  if (unit.empty()) return shift;
  if (Lower(unit.front()) == 'i') unit.remove_prefix(1);
  return unit.size() == 1 && Lower(unit.front()) == 'b' ? shift : -1;
}

}  // namespace

Result<uint64_t> ParseSize(std::string_view text) {
  std::string_view rest = Trimmed(text);
  uint64_t number = 0;
  size_t digits = 0;
  bool overflow = false;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') {
    overflow |= __builtin_mul_overflow(number, uint64_t{10}, &number);
    overflow |= __builtin_add_overflow(number, static_cast<uint64_t>(rest[digits] - '0'), &number);
    ++digits;
  }
  if (digits == 0) {
    return Status::Error(ErrorCode::kInvalidArgument, "'%.*s' is not a size: write a whole number and a unit, such as 512k", Shown(text),
                         text.data());
  }
  int shift = ShiftOf(Trimmed(rest.substr(digits)));
  if (shift < 0) {
    return Status::Error(ErrorCode::kInvalidArgument, "'%.*s' is not a size: its unit is none of b, k, m, g, t", Shown(text), text.data());
  }
  if (overflow || (number << shift) >> shift != number) {
    return Status::Error(ErrorCode::kInvalidArgument, "'%.*s' is too large a size", Shown(text), text.data());
  }
  return number << shift;
}

}  // namespace memprof
