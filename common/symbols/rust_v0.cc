// Rust's v0 mangling (RFC 2603), written from its grammar. A recursive descent that prints while it reads; back references
// jump to a place already read. Hostile input is bounded: depth, steps and output.
#include <cstdint>
#include <iterator>

#include "symbols/demangle.h"

namespace memprof {
namespace {

constexpr int kMaxDepth = 128, kMaxSteps = 16384;
constexpr size_t kMaxOutput = 4096;

// By their letters, from 'a' on.
constexpr const char* kBasicTypes[] = {"i8",    "bool",  "char", "f64", "str",   "f32",  nullptr, "u8",    "isize",
                                       "usize", nullptr, "i32",  "u32", "i128",  "u128", "_",     nullptr, nullptr,
                                       "i16",   "u16",   "()",   "...", nullptr, "i64",  "u64",   "!"};
static_assert(std::size(kBasicTypes) == 26);

const char* BasicType(char tag) { return tag >= 'a' && tag <= 'z' ? kBasicTypes[tag - 'a'] : nullptr; }

class Demangler {
 public:
  explicit Demangler(std::string_view text) : text_(text) {}  // behind _R

  std::optional<std::string> Run() {
    Path(/*in_value=*/true);
    if (failed_) return std::nullopt;
    // An instantiating crate follows for generics, and suffixes like .llvm.1234; both say nothing about the function.
    return out_;
  }

 private:
  struct Identifier {
    std::string_view text;
    bool punycode = false;
  };

  // One step down; false ends the whole thing.
  class Level {
   public:
    explicit Level(Demangler* owner) : owner_(owner) {
      ++owner_->depth_;
      ++owner_->steps_;
      if (owner_->depth_ > kMaxDepth || owner_->steps_ > kMaxSteps || owner_->out_.size() > kMaxOutput) owner_->failed_ = true;
    }
    ~Level() { --owner_->depth_; }

   private:
    Demangler* owner_;
  };

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Next() {
    if (at_ >= text_.size()) {
      failed_ = true;
      return '\0';
    }
    return text_[at_++];
  }
  bool Skip(char c) {
    if (Peek() != c || failed_) return false;
    ++at_;
    return true;
  }
  void Print(std::string_view text) {
    if (!muted_) out_.append(text);
  }

  uint64_t Base62() {
    if (Skip('_')) return 0;
    uint64_t value = 0;
    while (!failed_) {
      const char c = Next();
      if (c == '_') return value + 1;
      uint64_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'z') {
        digit = static_cast<uint64_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'Z') {
        digit = static_cast<uint64_t>(c - 'A') + 36;
      } else {
        failed_ = true;
      }
      if (value > (UINT64_MAX - 62) / 62) failed_ = true;
      value = value * 62 + digit;
    }
    return 0;
  }

  // 0 when there is none; the first one written ("s_") is 1.
  uint64_t Disambiguator() { return Skip('s') ? Base62() + 1 : 0; }

  Identifier Name() {
    Identifier name;
    name.punycode = Skip('u');
    if (Peek() < '0' || Peek() > '9') failed_ = true;
    size_t length = 0;
    const bool zero = Peek() == '0';
    while (!failed_ && Peek() >= '0' && Peek() <= '9') {
      length = length * 10 + static_cast<size_t>(Next() - '0');
      if (length > text_.size()) failed_ = true;
      if (zero) break;
    }
    Skip('_');
    if (failed_ || length > text_.size() - at_) {
      failed_ = true;
      return name;
    }
    name.text = text_.substr(at_, length);
    at_ += length;
    return name;
  }

  void PrintName(const Identifier& name) {
    if (name.punycode) {
      Print("punycode{");
      Print(name.text);
      Print("}");
    } else {
      Print(name.text);
    }
  }

  // Calls read() at the place a back reference points to, which must be before it.
  template <typename Read>
  void BackReference(Read&& read) {
    const size_t here = at_ - 1;  // of the B
    const uint64_t target = Base62();
    if (failed_ || target >= here) {
      failed_ = true;
      return;
    }
    if (muted_) return;
    const size_t after = at_;
    at_ = target;
    read();
    at_ = after;
  }

  void Path(bool in_value) {
    const Level level(this);
    if (failed_) return;
    switch (Next()) {
      case 'C': {
        Disambiguator();
        PrintName(Name());
        break;
      }
      case 'M':
        ImplPath();
        Print("<");
        Type();
        Print(">");
        break;
      case 'X':
        ImplPath();
        [[fallthrough]];
      case 'Y':
        Print("<");
        Type();
        Print(" as ");
        Path(false);
        Print(">");
        break;
      case 'N':
        NestedPath(in_value);
        break;
      case 'I':
        Path(in_value);
        if (in_value) Print("::");
        Print("<");
        List(&Demangler::GenericArgument);
        Print(">");
        break;
      case 'B':
        BackReference([&] { Path(in_value); });
        break;
      default:
        failed_ = true;
    }
  }

  // The place of an impl is left out: the type says more.
  void ImplPath() {
    Disambiguator();
    const bool before = muted_;
    muted_ = true;
    Path(false);
    muted_ = before;
  }

  void NestedPath(bool in_value) {
    const char space = Next();
    Path(in_value);
    const uint64_t number = Disambiguator();
    const Identifier name = Name();
    if (space >= 'A' && space <= 'Z') {
      Print("::{");
      Print(space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1));
      if (!name.text.empty()) {
        Print(":");
        PrintName(name);
      }
      Print("#" + std::to_string(number) + "}");
    } else if (space >= 'a' && space <= 'z') {
      if (name.text.empty()) return;
      Print("::");
      PrintName(name);
    } else {
      failed_ = true;
    }
  }

  // Items up to E, with commas.
  size_t List(void (Demangler::*item)()) {
    size_t count = 0;
    while (!failed_ && !Skip('E')) {
      if (count++ > 0) Print(", ");
      (this->*item)();
    }
    return count;
  }

  void GenericArgument() {
    if (Skip('L')) {
      Lifetime();
    } else if (Skip('K')) {
      Constant();
    } else {
      Type();
    }
  }

  void Lifetime() {
    const uint64_t index = Base62();
    Print(index == 0 ? "'_" : "'a" + std::to_string(index));
  }

  void Type() {
    const Level level(this);
    if (failed_) return;
    const char tag = Next();
    if (const char* basic = BasicType(tag)) {
      Print(basic);
      return;
    }
    switch (tag) {
      case 'A':
        Print("[");
        Type();
        Print("; ");
        Constant();
        Print("]");
        break;
      case 'S':
        Print("[");
        Type();
        Print("]");
        break;
      case 'T': {
        Print("(");
        const size_t count = List(&Demangler::Type);
        Print(count == 1 ? ",)" : ")");
        break;
      }
      case 'R':
      case 'Q':
        Print("&");
        if (Skip('L') && Base62() != 0) Print("'_ ");
        if (tag == 'Q') Print("mut ");
        Type();
        break;
      case 'P':
        Print("*const ");
        Type();
        break;
      case 'O':
        Print("*mut ");
        Type();
        break;
      case 'F':
        Function();
        break;
      case 'D':
        Print("dyn ");
        if (Skip('G')) Base62();
        TraitList();
        if (Skip('L')) {
          if (Base62() != 0) Print(" + '_");
        } else {
          failed_ = true;
        }
        break;
      case 'B':
        BackReference([&] { Type(); });
        break;
      default:
        --at_;
        Path(false);
    }
  }

  void Function() {
    if (Skip('G')) Base62();
    if (Skip('U')) Print("unsafe ");
    if (Skip('K')) {
      Print("extern \"");
      if (Skip('C')) {
        Print("C");
      } else {
        PrintName(Name());
      }
      Print("\" ");
    }
    Print("fn(");
    List(&Demangler::Type);
    Print(")");
    if (Skip('u')) return;  // () is not written
    Print(" -> ");
    Type();
  }

  void TraitList() {
    for (bool first = true; !failed_ && !Skip('E'); first = false) {
      if (!first) Print(" + ");
      Path(false);
      while (!failed_ && Skip('p')) {
        Print("<");
        PrintName(Name());
        Print(" = ");
        Type();
        Print(">");
      }
    }
  }

  void Constant() {
    const Level level(this);
    if (failed_) return;
    const char tag = Next();
    if (tag == 'p') {
      Print("_");
      return;
    }
    if (tag == 'B') {
      BackReference([&] { Constant(); });
      return;
    }
    if (BasicType(tag) == nullptr) {
      failed_ = true;
      return;
    }
    const bool negative = Skip('n');
    const size_t begin = at_;
    while (!failed_ && Peek() != '_') Next();
    const std::string_view digits = text_.substr(begin, at_ - begin);
    Skip('_');
    PrintConstant(tag, negative, digits);
  }

  void PrintConstant(char type, bool negative, std::string_view digits) {
    if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) failed_ = true;
    if (failed_) return;
    if (digits.size() > 16) {
      Print("0x");
      Print(digits);
      return;
    }
    uint64_t value = 0;
    for (const char c : digits) value = value * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (type == 'b') {
      Print(value == 0 ? "false" : "true");
    } else if (type == 'c' && value >= 0x20 && value < 0x7f) {
      Print({'\'', static_cast<char>(value), '\''});
    } else {
      Print((negative ? "-" : "") + std::to_string(value));
    }
  }

  void Print(std::initializer_list<char> characters) { Print(std::string_view(characters.begin(), characters.size())); }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
  bool failed_ = false, muted_ = false;
  int depth_ = 0, steps_ = 0;
};

}  // namespace

std::optional<std::string> DemangledRustV0(std::string_view linker_name) {
  if (!linker_name.starts_with("_R") || linker_name.size() < 3) return std::nullopt;
  std::string_view text = linker_name.substr(2);
  if (text[0] < 'A' || text[0] > 'Z') return std::nullopt;  // a later version of the scheme begins with a number
  return Demangler(text).Run();
}

}  // namespace memprof
