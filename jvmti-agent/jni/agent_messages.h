// What the agent of this JVM has for the driver. Apart: its headers and the store's can't be included together.
#pragma once

#include <string>

namespace memprof {

// The next Envelope; "" if there is none. Does not wait. Thread-safe.
std::string NextMessageOfAgent();

// Ends it, if it runs; its last messages are there then. Thread-safe.
void StopAgent();

}  // namespace memprof
