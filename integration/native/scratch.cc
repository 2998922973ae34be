// A native library whose one function needs as much scratch memory as it is told: more than a container has, if so asked.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

extern "C" {

// Fills `bytes` of scratch and gives back what lies in its middle, which is 1.
uint64_t fill_scratch(uint64_t bytes) {
  std::unique_ptr<unsigned char[]> scratch(new unsigned char[bytes]);
  std::memset(scratch.get(), 1, bytes);
  volatile unsigned char* middle = scratch.get() + bytes / 2;
  return *middle;
}
}
