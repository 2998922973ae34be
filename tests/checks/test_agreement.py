"""What stands in several languages is the same in each of them."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
JAVA = "java-glue/src/main/java/org/sparkmemprof"


def found(path, pattern):
    """The pattern's only group, in a source."""
    (text,) = re.findall(pattern, (ROOT / path).read_text())
    return text


def number(path, pattern):
    """Of a whole number, or of one that is shifted: `2 << 20`."""
    text = re.sub(r"(?<=\d)[uUlL]+\b", "", found(path, pattern))
    value, _, shift = text.partition(" << ")
    return int(value) << int(shift or 0)


def constant(name):
    return rf"\b{name}\s*=\s*([^,;\n#]+?)\s*(?:[,;#]|$|\n)"


def test_the_most_patience():
    most = number(f"{JAVA}/plugin/Settings.java", constant("MOST_PATIENCE"))
    assert number("pyworker-shim/sparkmemprof/patience.py", constant("MOST_PATIENCE")) == most
    assert number("jvmti-agent/agent/options.cc", r'"patience", Kind::kFactor, 1, (\d+)') == most
    assert number("tests/support/processes.py", r"PROFILERS_PATIENCE = .*, (\d+)\)\)") == most
    assert f"| `1` | factor, 1 to {most}," in (ROOT / "docs/configuration.md").read_text()


def test_the_bounds_of_an_event_log():
    """The History Server keeps what the command line reads."""
    plugin = f"{JAVA}/history/HistoryPlugin.java"
    whole = number("common/eventlog/event_log.h", constant("kMostBytes"))
    assert number(plugin, constant("MOST_CHARS_OF_ALL")) == whole
    assert int(found(plugin, r'"the log holds more of it than (\d+) MiB"')) << 20 == whole
    part = found("common/eventlog/event_log.cc", constant("kMostTextBytes"))
    assert number(plugin, constant("MOST_CHARS")) == number("common/eventlog/event_parts.h", constant(part))
    rest = number("common/eventlog/event_log.cc", constant("kShareOfRest"))
    assert number(f"{JAVA}/history/KeptSizes.java", constant("SHARE_OF_REST")) == rest
    name = number("common/eventlog/event_log.cc", constant("kMostIdBytes"))
    assert number(f"{JAVA}/history/StoredPart.java", constant("MOST_CHARS_OF_NAME")) == name


def test_the_words_of_failures():
    """Java asks the store about a failure only if these are in it."""
    notes, store = f"{JAVA}/plugin/FailureNotes.java", "common/postmortem/failure_note.cc"
    words = found(notes, r"WORDS_OF_FULL_HEAP = \{([^}]*)\}").split(",")
    assert words[0].strip() == "OutOfMemoryError.class.getName()"
    assert found(store, constant("kHeapError")) == '"java.lang.OutOfMemoryError"'
    assert [word.strip() for word in words[1:]] == [found(store, constant("kBroadcastError"))]
    asked = found(store, r"bool TellsOfFullHeap\(std::string_view failure\) \{([^}]*)\}")
    assert set(re.findall(r"\bk\w+", asked)) == {"kHeapError", "kBroadcastError"}
    assert found(notes, constant("WORDS_OF_STOP")) == found(store, constant("kStopped"))
    assert found(notes, constant("WORDS_OF_JOB")) == found(store, constant("kOfJob"))
