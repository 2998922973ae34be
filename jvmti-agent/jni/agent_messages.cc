#include "jni/agent_messages.h"

#include "agent/agent.h"

namespace memprof {

std::string NextMessageOfAgent() { return Agent::Get().TakeMessage(0); }

void StopAgent() { Agent::Get().Stop(); }

}  // namespace memprof
