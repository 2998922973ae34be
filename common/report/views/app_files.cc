#include "report/views/app_files.h"

// app_files.S.
extern "C" {
extern const char memprof_app_script[], memprof_app_script_end[], memprof_app_style[], memprof_app_style_end[];
}

namespace memprof {

std::string_view AppScript() { return {memprof_app_script, memprof_app_script_end}; }

std::string_view AppStyle() { return {memprof_app_style, memprof_app_style_end}; }

std::string_view AppScriptHash() {
  return
#include "app_hash.inc"
      ;
}

}  // namespace memprof
