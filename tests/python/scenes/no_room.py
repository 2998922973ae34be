"""A process that may map little more than it has: the hooks refuse, in words, and the program goes on."""

import json
import resource

import stage
from sparkmemprof import _hooks as hooks

LEFT = 1 << 20


limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (stage.mapped_bytes() + LEFT, limit[1]))
try:
    stage.start()
    refused = ""
except RuntimeError as error:
    refused = str(error)
small = [bytearray(1000) for _ in range(100)]
started, left = hooks.started(), sum(map(len, small))
resource.setrlimit(resource.RLIMIT_AS, limit)
print(json.dumps({"refused": refused, "started": started, "left": left}), flush=True)
