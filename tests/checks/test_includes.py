"""Files include what they use, also of precompiled headers: the builds asan and fuzz have none (the full tier)."""

import pathlib
import re

from test_style import ROOT, tracked

# What a file says that uses them. Left out are those that others always bring along.
USES = {
    "array": r"\bstd::array<",
    "filesystem": r"\bstd::filesystem::",
    "fmt/format.h": r"\bfmt::format\(",
    "fstream": r"\bstd::[io]?fstream\b",
    "functional": r"\bstd::function<",
    "gmock/gmock.h": r"\b(?:EXPECT|ASSERT)_THAT\(",
    "map": r"\bstd::map<",
    "memory": r"\bstd::(?:unique|shared)_ptr<",
    "memory_resource": r"\bstd::pmr::",
    "mutex": r"\bstd::(?:mutex|lock_guard|unique_lock)\b",
    "nlohmann/json.hpp": r"\bnlohmann::",
    "numeric": r"\bstd::accumulate\b",
    "optional": r"\bstd::optional<",
    "set": r"\bstd::set<",
    "thread": r"\bstd::thread\b",
    "tuple": r"\bstd::(?:tuple|tie)\b",
    "unordered_map": r"\bstd::unordered_map<",
    "vector": r"\bstd::vector<",
}


class Includes:
    """What files include, by themselves or through each other."""

    def __init__(self, files):
        self._known = {}
        self._by_name = {}
        for path in files:
            self._by_name.setdefault(path.name, []).append(path)

    def of(self, path):
        if path not in self._known:
            text = path.read_text()
            found = self._known[path] = set(re.findall(r"^#include <([^>]+)>", text, re.MULTILINE))
            for quoted in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
                for header in self._by_name.get(pathlib.PurePath(quoted).name, []):
                    if str(header).endswith(f"/{quoted}"):
                        found |= self.of(header)
        return self._known[path]


def missing(text, included):
    code = re.sub(r'"(?:\\.|[^"\\\n])*"|//.*', '""', text)
    return {header for header, use in USES.items() if re.search(use, code) and header not in included}


def test_files_include_what_they_use():
    files = tracked("*.cc", "*.h")
    includes = Includes(files)
    found = {
        f"{path.relative_to(ROOT)}: #include <{header}>"
        for path in files
        if path.suffix == ".cc"
        for header in missing(path.read_text(), includes.of(path))
    }
    assert not found


def test_a_use_is_seen_in_code_alone():
    assert missing('EXPECT_THAT(f("x"), y); std::vector<int> z;', {"vector"}) == {"gmock/gmock.h"}
    assert not missing('f("std::vector<int>");  // EXPECT_THAT(', set())
