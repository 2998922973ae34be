"""The rooms' dependencies point one way (docs/architecture.md): found by reading every #include and import."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = ("base", "sampling", "hooking", "sites", "blackbox", "symbols", "system")
REPORT = ("proto", "timeline", "store", "postmortem", "budget", "advice", "report")
PROFILE = ("profile",)  # over core and the schema
PROGRAM = ("program", "eventlog")  # over all of them
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
JVM = re.compile(r"^(jni|jni_md|jvmti|jvmticmlr)\.h$")
PYTHON = re.compile(r"^(Python\.h|pybind11/|cpython/|internal/pycore|frameobject\.h)")
PROTOBUF = re.compile(r"^(google/protobuf/|proto/)")


def includes(*folders):
    """(file, included name) of every C++ file below the folders."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".c"):
                found += [(path.relative_to(ROOT), name) for name in INCLUDE.findall(path.read_text())]
    assert found, f"no includes below {folders}: has the room moved?"
    return found


def demand(pairs, forbidden, why):
    wrong = [f"{path} includes {name}" for path, name in pairs if forbidden(name)]
    assert not wrong, why + ":\n" + "\n".join(wrong)


def test_common_knows_neither_jvm_nor_python():
    demand(
        includes("common"),
        lambda name: JVM.match(name) or PYTHON.match(name),
        "common includes nothing of JVM or Python",
    )


def test_core_knows_nothing_of_report():
    folders = [f"common/{folder}" for folder in CORE]
    demand(
        includes(*folders),
        lambda name: name.split("/")[0] in REPORT + PROFILE + PROGRAM or PROTOBUF.match(name),
        "core includes nothing of report",
    )


def test_profile_knows_the_schema_alone_of_report():
    demand(
        includes("common/profile"),
        lambda name: name.split("/")[0] in set(REPORT + PROGRAM) - {"proto"},
        "the message about a task is made without the store",
    )


def test_report_does_not_know_boxes():
    folders = [f"common/{folder}" for folder in REPORT if folder != "proto"]
    demand(
        includes(*folders),
        lambda name: name.split("/")[0] in PROFILE + PROGRAM + ("blackbox",),
        "the store is fed with messages",
    )


def test_core_is_free_of_other_libraries():
    folders = [f"common/{folder}" for folder in CORE]
    demand(
        includes(*folders),
        lambda name: name.startswith(("fmt/", "nlohmann/")),
        "code that may run inside malloc uses libc alone",
    )


@pytest.mark.parametrize(("room", "other"), [("jvmti-agent", "pyworker-shim"), ("pyworker-shim", "jvmti-agent")])
def test_agent_and_shim_do_not_know_each_other(room, other):
    folders = {path.name for path in (ROOT / other).iterdir() if path.is_dir()} - set(CORE + REPORT + PROFILE + PROGRAM)
    own = {path.name for path in (ROOT / room).iterdir() if path.is_dir()}
    demand(
        includes(room),
        lambda name: name.startswith(other) or (name.split("/")[0] in folders - own and "/" in name),
        f"{room} includes nothing of {other}",
    )


def test_shim_knows_no_jvm_and_agent_no_python():
    demand(includes("pyworker-shim"), JVM.match, "the shim includes nothing of the JVM")
    demand(includes("jvmti-agent"), PYTHON.match, "the agent includes nothing of Python")


def test_java_parses_neither_boxes_nor_protobuf():
    sources = sorted((ROOT / "java-glue/src/main").rglob("*.java"))
    assert sources
    wrong = [
        path.relative_to(ROOT)
        for path in sources
        if re.search(r"import .*(protobuf|fasterxml|json4s)", path.read_text())
    ]
    assert not wrong, f"Java passes bytes, strings and numbers: {wrong}"


def test_executor_half_of_the_package_uses_the_standard_library_alone():
    package = ROOT / "pyworker-shim/sparkmemprof"
    sources = [path for path in package.glob("*.py")]
    assert sources
    for path in sources:
        for name in re.findall(r"^\s*(?:import|from)\s+([a-zA-Z_]\w*)", path.read_text(), re.MULTILINE):
            assert name not in ("click", "rich", "numpy", "pandas", "pyarrow"), (
                f"{path.relative_to(ROOT)} imports {name}; executors have the standard library alone"
            )
