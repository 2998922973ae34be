"""Is this file our native library, and can this machine load it?

A JVM whose -agentpath it cannot load refuses to start, before any of our code runs. So the library is checked before
anything is submitted.
"""

import os
import platform
import subprocess
import sys

from .errors import UserError

_MACHINES = {62: "x86_64", 183: "aarch64", 40: "arm", 3: "i386", 243: "riscv64", 22: "s390x", 21: "ppc64le"}
_OURS = ("Agent_OnLoad", "Java_org_sparkmemprof_jni_NativeAgent_version")

# Loads it in a separate process: a foreign library may run any code when it is loaded, and may crash.
_LOAD = """
import ctypes, sys
try:
    library = ctypes.CDLL(sys.argv[1])
except OSError as error:
    print(error)
    sys.exit(3)
missing = [name for name in sys.argv[2:] if not hasattr(library, name)]
print(" and ".join(missing))
sys.exit(4 if missing else 0)
"""


def _elf_machine(path):
    """Machine of a 64-bit little-endian shared object, or None for anything else."""
    with open(path, "rb") as file:
        header = file.read(20)
    if len(header) < 20 or header[:6] != b"\x7fELF\x02\x01" or int.from_bytes(header[16:18], "little") != 3:
        return None
    number = int.from_bytes(header[18:20], "little")
    return _MACHINES.get(number, f"machine {number}")


def check_library(path):
    """Raises UserError unless `path` is a libsparkmemprof.so that loads here."""
    if not os.path.exists(path):
        raise UserError(f"no such library: {path}\n  a JVM with -agentpath to a missing file does not start")
    if not os.path.isfile(path):
        raise UserError(f"not a file: {path}\n  --agentpath takes the path of libsparkmemprof.so itself")
    try:
        machine = _elf_machine(path)
    except OSError as error:
        raise UserError(f"cannot read the library {path}: {error.strerror}") from error
    if machine is None:
        raise UserError(f"not a shared library for 64-bit Linux: {path}")
    if machine != platform.machine():
        raise UserError(f"{path} is built for {machine}; this machine is {platform.machine()}")
    command = [sys.executable, "-I", "-S", "-c", _LOAD, path, *_OURS]
    try:
        loaded = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"whether the library loads on this machine can't be found out: {error}") from error
    said = loaded.stdout.strip()
    if loaded.returncode == 3:
        raise UserError(f"the library does not load on this machine: {said}")
    if loaded.returncode == 4:
        raise UserError(f"not sparkmemprof's library: {path} lacks {said}")
    if loaded.returncode != 0:
        raise UserError(f"loading the library ends in exit status {loaded.returncode}: {path}\n  is the file cut off?")
