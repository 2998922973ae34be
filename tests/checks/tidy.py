"""clang-tidy over C++ files: what was tidy stays so while its preprocessed text and the rules are the same."""

import hashlib
import json
import shlex
import subprocess


class Tidy:
    def __init__(self, root, build):
        self._build = build
        self._rules = (root / ".clang-tidy").read_bytes()
        self._rules += subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
        entries = json.loads((build / "compile_commands.json").read_text())
        self._commands = {entry["file"]: (shlex.split(entry["command"]), entry["directory"]) for entry in entries}
        self._kept = build.parent / "tidy"
        self._kept.mkdir(exist_ok=True)

    def complaints(self, path):
        """What clang-tidy says of the file; empty if nothing."""
        words, folder = self._commands[str(path)]
        output = words.index("-o")
        preprocess = [word for word in words[:output] + words[output + 2 :] if word != "-c"]
        text = subprocess.run([*preprocess, "-E"], cwd=folder, capture_output=True, check=True).stdout
        stamp = self._kept / hashlib.sha256(self._rules + text).hexdigest()
        if stamp.exists():
            return ""
        command = ["clang-tidy", "--quiet", "-p", self._build, path]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            return finished.stdout[-4000:] + finished.stderr[-4000:]
        stamp.touch()
        return ""
