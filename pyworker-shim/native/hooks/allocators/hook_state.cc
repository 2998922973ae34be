#include "allocators/hook_state.h"

#include "allocators/hooked_functions.h"

namespace memprof {

constinit HookState hook_state;
constinit RealFunctions real = {};
__thread HookThread hook_thread __attribute__((tls_model("initial-exec")));

}  // namespace memprof
