// Functions that symbolizer_test.cc looks for by address.
namespace shop {

class Basket {
 public:
  __attribute__((visibility("default"), noinline)) int Weigh(int items) const;
};

int Basket::Weigh(int items) const { return items * 3; }

}  // namespace shop

namespace {

__attribute__((noinline)) int Hidden(int value) { return value * 5 + 1; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int fixture_exported(int value) { return Hidden(value) + 7; }
__attribute__((visibility("default"))) void* fixture_hidden_address() { return reinterpret_cast<void*>(&Hidden); }
}
