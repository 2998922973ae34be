"""The rooms' dependencies point one way (docs/architecture.md): found by reading each #include of common, agent and
shim, and each import of java-glue, of the report's app and of the executors' half of the Python package."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of every folder of a room, the folders that it may include; all arrows point upwards in this list. A folder within
# a folder stands for itself.
COMMON = {
    "base": "",
    "sampling": "base",
    "hooking": "base",
    "blackbox": "base sampling",
    "resident": "base",
    "sites": "base sampling blackbox resident",
    "symbols": "base",
    "system": "base",
    "proto": "base",
    "timeline": "proto",
    "report": "base timeline",  # with report/fields
    "report/views": "base report",
    "report/exports": "base proto report",
    "report/pages": "report report/views",
    "eventlog": "base report report/pages",
    "eventlog/files": "base report eventlog",
    "budget": "base",
    "advice": "report budget",
    "facts": "base proto timeline report",
    "rollup": "base proto timeline report budget advice facts",
    "intake": "base proto timeline facts rollup",
    "postmortem": "proto report report/views budget advice facts rollup",
    "store": "base report report/views report/pages eventlog budget advice facts rollup intake postmortem",
    "profile": "base blackbox symbols system proto",
    "program": "base blackbox symbols system proto report report/views advice facts postmortem store profile",
}
PARTS = {"report/fields"}  # folders within a folder that are part of it
AGENT = {
    "base": "",
    "stacks": "",
    "rss": "",
    "gc": "",
    "boxes": "base",
    "naming": "base boxes",
    "tasks": "stacks naming",
    "heap": "base stacks gc tasks",
    "offheap": "stacks tasks",
    "malloc": "base stacks rss offheap",
    "shortage": "stacks tasks rss",
    "watch": "base boxes rss",
    "agent": "base stacks rss gc boxes naming tasks heap offheap malloc shortage watch",
    "jni": "base shortage agent",
}
# Of every folder of the other two native rooms, the folders of common that it may include.
FROM_COMMON = {
    "jvmti-agent": {
        "base": "base",
        "stacks": "base hooking proto symbols",
        "rss": "base blackbox resident system",
        "gc": "base proto",
        "boxes": "base blackbox profile proto system",
        "naming": "base profile proto symbols",
        "tasks": "base profile proto sampling",
        "heap": "base proto sampling",
        "offheap": "base proto sampling",
        "malloc": "base hooking sampling",
        "shortage": "base hooking profile proto",
        "watch": "base hooking profile proto system timeline",
        "agent": "base profile proto sites system",
        "jni": "base budget eventlog facts profile report report/views store system",
    },
    "pyworker-shim/native": {
        "hooks": "base hooking resident sites system",
        "hooks/frames": "base hooking sites",
        "hooks/allocators": "base hooking resident sampling sites",
        "hooks/lookups": "",
        "report": "base eventlog/files program report report/exports report/views system",
        "store": "",  # the library's header has all it needs
    },
}
# Of the report's app: its folders, each over those before it.
APP = ("model", "parts", "pages")
APP_FRAME = ("app", "live", "main")  # modules over all folders; the other ones may be imported everywhere
HOOKS = {
    "frames": "",
    "allocators": "frames",
    "lookups": "allocators",
    "": "frames allocators lookups",  # the module, its profiler and fatal signals
}
JAVA = {
    "notices": "",
    "files": "",
    "accumulator": "",
    "jni": "files",
    "gc": "jni",
    "metrics": "jni",
    "ui": "jni notices",
    "report": "files jni notices ui",
    "listener": "jni notices report",
    "history": "files jni notices listener report ui",
    "plugin": "accumulator files gc jni listener metrics notices report ui",
    "": "plugin",  # the name in spark.plugins
}
CORE = ("base", "sampling", "hooking", "resident", "sites", "blackbox", "symbols", "system")
# The folder from which a room's own headers are named.
HEADERS = {"jvmti-agent": "jvmti-agent", "pyworker-shim": "pyworker-shim/native/hooks"}
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


def folder_of(path, may):
    """The innermost folder of the list that has the file; "" for one in the room itself."""
    parents = [str(parent) for parent in pathlib.PurePath(path).parents]
    return next((parent for parent in parents if parent in may), "")


@pytest.mark.parametrize(
    ("room", "may"),
    [("common", COMMON), ("jvmti-agent", AGENT), ("pyworker-shim/native/hooks", HOOKS)],
)
def test_folders_include_those_below_them(room, may):
    known = []
    for folder, below in may.items():
        assert set(below.split()) <= set(known), f"{folder} stands above what it may include"
        known.append(folder)
    root = ROOT / room
    folders = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}
    assert folders - PARTS == set(filter(None, may)), "every folder has its place"
    wrong = []
    for path, name in includes(room):
        folder, other = folder_of(path.relative_to(room), may), folder_of(name, may)
        is_here = (root / name).exists() or name.startswith("proto/")  # the schema's header is made
        if is_here and other in may and other != folder and other not in may[folder].split():
            wrong.append(f"{path} includes {name}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", FROM_COMMON)
def test_native_folders_include_only_their_part_of_common(room):
    may, root, common = FROM_COMMON[room], ROOT / room, ROOT / "common"
    folders = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir() and any(path.glob("*.cc"))}
    assert folders == set(may), "every folder has its place"
    wrong = []
    for path, name in includes(room):
        if not ((common / name).exists() or name.startswith("proto/")):
            continue
        if folder_of(name, COMMON) not in may.get(str(path.parent.relative_to(room)), "").split():
            wrong.append(f"{path} includes {name}")
    assert not wrong, "\n".join(wrong)


def test_app_folders_import_those_below_them():
    root = ROOT / "report-app/src"
    sources = [path for path in sorted(root.rglob("*")) if path.suffix in (".ts", ".tsx")]
    assert {path.parent.name for path in sources if path.parent != root} == set(APP)
    wrong = []
    for path in sources:
        for name in re.findall(r"""(?:from|import) ?\(?['"](\.[^'"]*)['"]""", path.read_text()):
            target = (path.parent / name).resolve().relative_to(root).parts
            is_frame = path.parent == root and path.stem in APP_FRAME
            rank = len(APP) if is_frame else APP.index(path.parent.name) if path.parent != root else 0
            above = target[0] in APP_FRAME if len(target) == 1 else APP.index(target[0]) > rank
            if above and not is_frame:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_core_knows_no_protobuf():
    demand(
        includes(*[f"common/{folder}" for folder in CORE]),
        PROTOBUF.match,
        "the schema is report's",
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
    def is_of_other(name):
        has = [(ROOT / folder / name).exists() for folder in (HEADERS[other], HEADERS[room], "common")]
        return other in name or has == [True, False, False]

    demand(includes(room), is_of_other, f"{room} includes nothing of {other}")


def test_shim_knows_no_jvm_and_agent_no_python():
    demand(includes("pyworker-shim"), JVM.match, "the shim includes nothing of the JVM")
    demand(includes("jvmti-agent"), PYTHON.match, "the agent includes nothing of Python")
    demand(includes("pyworker-shim/native/report"), PYTHON.match, "the report's library serves every CPython")


def test_java_packages_import_those_below_them():
    known, wrong = [], []
    for package, below in JAVA.items():
        assert set(below.split()) <= set(known), f"{package} stands above what it may import"
        known.append(package)
    root = ROOT / "java-glue/src/main/java/org/sparkmemprof"
    assert sorted(path.name for path in root.iterdir() if path.is_dir()) == sorted(filter(None, JAVA))
    for path in sorted(root.rglob("*.java")):
        package = "" if path.parent == root else path.parent.name
        for other in re.findall(
            r"^import (?:static )?org\.sparkmemprof\.(?:([a-z]+)\.)?[A-Z]", path.read_text(), re.MULTILINE
        ):
            if other != package and other not in JAVA[package].split():
                wrong.append(f"{path.relative_to(ROOT)} imports of {other or 'the root package'}")
    assert not wrong, "\n".join(wrong)


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
