#include "rss/other_malloc.h"

#include <dlfcn.h>

#include <string_view>

#include "base/valid_utf8.h"

namespace memprof {

std::string OtherMalloc() {
  const auto module_of = [](const char* name) {
    Dl_info info{};
    const void* symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol == nullptr || dladdr(symbol, &info) == 0) info = {};
    return info;
  };
  const Dl_info libc = module_of("__errno_location"), malloc = module_of("malloc");
  if (libc.dli_fbase == nullptr || malloc.dli_fname == nullptr || malloc.dli_fbase == libc.dli_fbase) return "";
  constexpr size_t kMost = 60;
  const std::string_view path = malloc.dli_fname;
  return ValidUtf8(path.substr(path.rfind('/') + 1).substr(0, kMost));
}

}  // namespace memprof
