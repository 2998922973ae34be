"""clang-tidy over C++ files: what was tidy stays so while its preprocessed text and the rules are the same."""

import hashlib
import json
import shlex
import subprocess


def plain(command):
    """Its words, without the precompiled header: that is GCC's, and clang-tidy can't read it."""
    words = shlex.split(command)
    ours = [
        index for index, word in enumerate(words) if word.endswith("/cmake_pch.hxx") and words[index - 1] == "-include"
    ]
    left_out = {at for index in ours for at in (index - 1, index)}
    flags = ("-fpch-preprocess", "-Winvalid-pch")
    return [word for index, word in enumerate(words) if index not in left_out and word not in flags]


class Tidy:
    def __init__(self, root, build):
        self._rules = (root / ".clang-tidy").read_bytes()
        self._rules += subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
        self._kept = build.parent / "tidy"
        self._kept.mkdir(exist_ok=True)
        entries = json.loads((build / "compile_commands.json").read_text())
        self._commands = {entry["file"]: (plain(entry["command"]), entry["directory"]) for entry in entries}
        database = [
            {"file": file, "arguments": words, "directory": folder} for file, (words, folder) in self._commands.items()
        ]
        (self._kept / "compile_commands.json").write_text(json.dumps(database))

    def complaints(self, path):
        """What clang-tidy says of the file; empty if nothing."""
        words, folder = self._commands[str(path)]
        output = words.index("-o")
        preprocess = [word for word in words[:output] + words[output + 2 :] if word != "-c"]
        text = subprocess.run([*preprocess, "-E"], cwd=folder, capture_output=True, check=True).stdout
        stamp = self._kept / hashlib.sha256(self._rules + text).hexdigest()
        if stamp.exists():
            return ""
        command = ["clang-tidy", "--quiet", "-p", self._kept, path]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            return finished.stdout[-4000:] + finished.stderr[-4000:]
        stamp.touch()
        return ""
