"""Words before a command that give it a kernel namespace of its own."""

import os
import subprocess

import pytest


def inside(*words):
    """A command prefix; the test is skipped where the kernel doesn't allow it."""
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"{' '.join(words[:3])}: {tried.stderr.strip()}")
    return list(words)


def mounted(script):
    """A prefix that runs `script` (mount commands) in a mount namespace of its own first."""
    command = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    return inside(*command, "sh", "-e", "-c", f'{script}\nexec "$@"', "sh")
