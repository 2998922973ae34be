"""`sparkmemprof run`: the program is what it is under plain `python`, and its report has its lines with their bytes."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import jsonschema
import processes
import pytest
from conftest import BUILD, ROOT
from processes import patient

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
BESIDE_BYTES = 4 * 65_536  # small objects of the same line, sampled now and then beside blocks, which are exact

TAKES = """\
import multiprocessing
import sys


def child(size):
    return len(bytearray(size))  # child


def parts():
    yield 1
    block = bytearray(2_100_011)  # generator
    yield len(block)


class Taker:
    def take(self):
        self.kept = bytearray(b"x") * 5_200_003  # method
        return len(self.kept)


def main():
    taker = Taker()
    taker.take()
    taken = [sum(parts()), (lambda: len(bytearray(2_300_003)))()]  # lambda
    taken += [len(bytearray(size)) for size in (2_400_001, 2_400_001)]  # comprehension
    children = [multiprocessing.Process(target=child, args=(2_500_009,)) for _ in range(2)]
    for process in children:
        process.start()
    for process in children:
        process.join()
    print(sum(taken))


if __name__ == "__main__":
    main()
"""


def line_of(source, marker):
    (number,) = (number for number, line in enumerate(source.splitlines(), 1) if line.endswith(f"# {marker}"))
    return number


@pytest.fixture
def report_of(tmp_path):
    """The one report below a folder; its HTML is beside it."""

    def read(folder="sparkmemprof-report"):
        (path,) = (tmp_path / folder).glob("*/report.json")
        assert path.with_name("report.html").read_text().startswith("<!doctype html>")
        assert path.stat().st_mode & 0o077 == 0
        report = json.loads(path.read_text())
        assert report["application"]["id"] == path.parent.name
        jsonschema.validate(report, SCHEMA)
        return report

    return read


def blocks_at(report, line, size, file="takes.py"):
    """How many blocks of this size the marked line took; beside them only a stray small object may be sampled."""
    sites = [
        site
        for site in report["stages"][0]["sites"]
        if (python := [frame for frame in site["frames"] if frame["language"] == "python"])
        and pathlib.PurePath(python[-1]["file"]).name == file
        and python[-1]["line"] == line
    ]
    blocks = sum(site["allocatedBytes"] // size for site in sites)
    assert sum(site["allocatedBytes"] % size for site in sites) < BESIDE_BYTES
    return blocks


ARROW = """\
import pyarrow as pa

given_back = pa.allocate_buffer(9_000_011)
del given_back
kept = pa.allocate_buffer(4_567_891)
"""


@pytest.fixture
def python_with_arrow():
    python = os.environ.get("MEMPROF_PYTHON_4")
    if not python:
        pytest.skip("MEMPROF_PYTHON_4 names no Python with pyarrow; tests/run.sh sets it")
    return python


def test_arrows_pool_of_a_program(python_with_arrow, package, tmp_path, report_of):
    (tmp_path / "arrow.py").write_text(ARROW)
    processes.run(
        [python_with_arrow, "-m", "sparkmemprof.cli.main", "run", "arrow.py"],
        120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        check=True,
    )
    (stage,) = report_of()["stages"]
    beside = 100_000
    assert 0 <= stage["arrowPoolPeakBytes"] - 9_000_011 < beside
    assert 0 <= stage["arrowPoolEndBytes"] - 4_567_891 < beside
    assert stage["arrowPoolGrowthBytes"] == stage["arrowPoolEndBytes"]


# As a daemon does, and a fork of it. Its files get the numbers that were free then, ours among them.
CLOSES_ALL = """\
import os

os.closerange(3, 256)
files = [os.open(f"own-{i}", os.O_RDWR | os.O_CREAT) for i in range(40)]
for file in files:
    os.write(file, b"0123456789")
    os.lseek(file, 0, os.SEEK_SET)


def deep(calls):
    return bytearray(1_200_007) if calls == 0 else deep(calls - 1)


def take():
    import decimal, json, xml.dom.minidom

    kept = [deep(calls) for calls in range(60)]
    json.loads(json.dumps([decimal.Decimal(1).to_eng_string() * 100_000 for _ in range(50)]))
    return kept


def untouched():
    return all(os.lseek(file, 0, os.SEEK_CUR) == 0 and os.pread(file, 11, 0) == b"0123456789" for file in files)


take()
print(untouched())
child = os.fork()
if child == 0:
    take()
    os._exit(not untouched())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), untouched())
"""


def test_descriptors_that_the_program_has_closed_are_its_own(cli, tmp_path):
    (tmp_path / "closes.py").write_text(CLOSES_ALL)
    finished = cli("run", "closes.py", cwd=tmp_path)
    assert (finished.returncode, finished.stdout.splitlines()[:2]) == (0, ["True", "0 True"]), finished.stderr


BESIDE_AN_ARRAY = "kept = [bytearray(2_900_017), *map(bytes, [1_000] * 5_000)]\n"


def test_what_is_resident_is_a_lower_bound_beside_small_blocks(cli, tmp_path, report_of):
    (tmp_path / "kept.py").write_text(BESIDE_AN_ARRAY)
    finished = cli("run", "kept.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    (stage,) = report_of()["stages"]
    (line,) = [line for line in stage["lines"] if pathlib.PurePath(line["file"] or "").name == "kept.py"]
    assert 2_900_018 + 1_500_000 < line["liveAtPeakBytes"] < 2_900_018 + 9_000_000  # six standard deviations
    assert 0 <= line["residentAtPeakBytes"] - 2_900_018 < 4096
    assert line["residentInPart"] is True
    assert "≥ 2.8 MiB" in finished.stderr, "the text report"


def test_modules_that_a_program_imports(cli, tmp_path, report_of):
    (tmp_path / "oddity").mkdir()
    (tmp_path / "oddity" / "__init__.py").write_text("from oddity import deep\n")
    (tmp_path / "oddity" / "deep.py").write_text("BLOCK = bytearray(7_654_321)\nGONE = len(bytearray(9_876_543))\n")
    (tmp_path / "imports.py").write_text("import oddity\n\nBLOCK = bytearray(4_321_987)\n")
    finished = cli("run", "imports.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    ((process,),) = [executor["processes"] for executor in report_of()["executors"]]
    modules = {module["name"]: module for module in process["baseline"]["modules"]}
    assert 0 <= modules["oddity"]["liveBytes"] - 7_654_322 < BESIDE_BYTES
    assert modules["oddity"]["withImportsBytes"] >= modules["oddity"]["liveBytes"]
    assert "imports" not in modules, "the program itself isn't imported"
    assert process["baseline"]["startRssBytes"] < process["peakRssBytes"] - 9_876_543
    assert process["baseline"]["firstTaskRssBytes"] is None
    shown = f"imported: oddity {modules['oddity']['liveBytes'] / (1 << 20):.1f} MiB"
    assert shown in finished.stderr, "the text report"


def test_lines_of_a_program_and_of_the_processes_it_forks(cli, tmp_path, report_of):
    (tmp_path / "takes.py").write_text(TAKES)
    finished = cli("run", "takes.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert int(finished.stdout) == 1 + 2_100_011 + 2_300_003 + 2 * 2_400_001
    report = report_of()
    assert report["application"]["name"] == "takes.py"
    assert report["application"]["pythonVersion"] == ".".join(map(str, sys.version_info[:3]))
    (stage,) = report["stages"]
    assert (stage["name"], stage["status"], stage["tasks"]) == ("takes.py", "complete", 3)
    for marker, size, blocks in [
        ("generator", 2_100_012, 1),
        ("method", 5_200_004, 1),
        ("lambda", 2_300_004, 1),
        ("comprehension", 2_400_002, 2),
        ("child", 2_500_010, 2),
    ]:
        assert blocks_at(report, line_of(TAKES, marker), size) == blocks, marker
    kept = block_of(report, 5_200_004)
    assert 0 <= kept["liveAtPeakBytes"] - 5_200_004 < BESIDE_BYTES
    assert kept["residentAtPeakBytes"] >= 0.99 * 5_200_004
    (executor,) = report["executors"]
    assert executor["id"] == "driver"
    assert executor["limitBytes"] > 0
    assert executor["regions"] == []
    assert [process["kind"] for process in executor["processes"]] == ["python-driver"] * 3
    assert max(process["peakRssBytes"] for process in executor["processes"]) > 5_200_004
    for process in executor["processes"]:
        assert abs(process["unattributedBytes"]) <= process["peakRssBytes"] / 10, process
        assert {row["name"] for row in process["peakRows"]} >= {"Python objects", "mapped files", "interpreter"}
    assert f"takes.py:{line_of(TAKES, 'method')}" in finished.stderr, "the text report"
    assert "unattributed " in finished.stderr.split("About the numbers")[0]


def block_of(report, size):
    """The one site that holds one block of this size."""
    (site,) = (s for s in report["stages"][0]["sites"] if 0 <= s["allocatedBytes"] - size < BESIDE_BYTES)
    return site


STARTS = """\
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys


def take(size):
    return len(bytearray(size))  # take


def seen():
    return [sys.path, sorted(os.environ.items()), sys.flags.isolated]


def main():
    way = sys.argv[1]
    if way in ("spawn", "forkserver"):
        context = multiprocessing.get_context(way)
        with context.Pool(1) as pool:
            print(pool.apply(take, (2_500_009,)))
            pool.close()
            pool.join()
    elif way == "futures":
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            print(pool.submit(take, 2_500_009).result())
    else:
        words = {"options": ["-X", "utf8", "-B"]}.get(way, [])
        words += {"isolated": ["-I"], "joined": ["-sEB"]}.get(way, [])
        code = "import starts, sys; print(starts.take(2_500_009)); print(starts.seen())"
        if words and words[0] in ("-I", "-sEB"):
            code = "import sys; sys.path.insert(0, '.'); " + code
        environment = {"cleaned": {}, "own path": {"PYTHONPATH": "elsewhere"}}.get(way)
        command = [sys.executable, *words, "-c", code]
        subprocess.run(command, env=environment, close_fds=way != "posix_spawn", check=True)


if __name__ == "__main__":
    main()
"""


WAYS = [
    "plain",
    "options",
    "cleaned",
    "own path",
    "posix_spawn",
    "spawn",
    "forkserver",
    "futures",
    "isolated",
    "joined",
]


@pytest.mark.parametrize("way", WAYS)
def test_processes_started_anew_are_followed(package, tmp_path, report_of, way):
    (tmp_path / "starts.py").write_text(STARTS)
    environment = {**os.environ, "PYTHONPATH": str(package)}

    def run(*words):
        command = [sys.executable, *words, "starts.py", way]
        return processes.run(command, 120, cwd=tmp_path, env=environment, check=True)

    plain, finished = run(), run("-m", "sparkmemprof.cli.main", "run")
    assert finished.stdout.splitlines()[0] == "2500009"
    assert finished.stdout == plain.stdout, "the child sees what it sees without us"
    report = report_of()
    taken = blocks_at(report, line_of(STARTS, "take"), 2_500_010, "starts.py")
    assert taken == (0 if way in ("isolated", "joined") else 1)
    expected = {"forkserver": 3, "isolated": 1, "joined": 1}.get(way, 2)
    assert report["stages"][0]["tasks"] == expected
    assert len(report["executors"][0]["processes"]) == expected


def test_a_child_that_is_another_python_is_left_alone(cli, tmp_path, report_of):
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nenv | grep -c SPARKMEMPROF_PROGRAM\nexec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    code = f"import subprocess; subprocess.run([{str(wrapper)!r}, '-c', 'print(7)'], check=True)"
    finished = cli("run", "-c", code, cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (0, "0\n7\n"), finished.stderr
    assert report_of()["stages"][0]["tasks"] == 1


def test_only_so_many_processes_are_profiled(cli, tmp_path, report_of):
    (tmp_path / "many.py").write_text(
        "import os, subprocess, sys\nfor _ in range(70):\n    child = os.fork()\n"
        "    if child == 0:\n        os._exit(0)\n"
        "    os.waitpid(child, 0)\nsubprocess.run([sys.executable, '-c', ''], check=True)\n"
    )
    finished = cli("run", "many.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "not profiled" not in finished.stderr
    assert report_of()["stages"][0]["tasks"] == 64


TELLS = """\
import json, os, sys
print(json.dumps({
    "argv": sys.argv, "name": __name__, "path": sys.path, "main": sys.modules["__main__"].__dict__ is globals(),
    "file": globals().get("__file__"), "environment": {k: v for k, v in os.environ.items() if k not in ("_", "SHLVL")},
    "input": sys.stdin.read(), "flags": str(sys.flags), "site": hasattr(sys, "marked"),
}))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["tells.py", "--report-dir", "its own", "-h"],
        ["-m", "tells", "a"],
        ["-c", TELLS, "--b"],
        ["-X", "utf8", "-O", "folder/tells.py"],
    ],
    ids=["script", "module", "code", "options"],
)
def test_a_program_sees_what_it_sees_under_python(package, tmp_path, words):
    (tmp_path / "tells.py").write_text(TELLS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "tells.py").write_text(TELLS)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.marked = True\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(package)])}

    def told(*command):
        finished = processes.run(
            [sys.executable, *command], 120, cwd=tmp_path, env=environment, input="typed", check=True
        )
        return json.loads(finished.stdout)

    plain = told(*words)
    assert plain["site"], "the user's sitecustomize runs"
    assert told("-m", "sparkmemprof.cli.main", "run", *words) == plain


BLOCK = "import os, signal, sys; b = bytearray(2_600_003); "
ENDS = {
    "well": ("", 0, "", None),
    "exit status": ("sys.exit(7)", 7, "", "exit status 7"),
    "exit text": ("sys.exit('why')", 1, "why", "exit status 1"),
    "exception": ("raise ValueError('on purpose')", 1, "ValueError: on purpose", "exit status 1"),
    "at once": ("os._exit(9)", 9, "", "exit status 9"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, "", "killed by SIGKILL"),
}


@pytest.mark.parametrize("end", ENDS)
def test_exit_status_is_the_programs_and_the_report_is_made(cli, tmp_path, report_of, end):
    code, status, said, failure = ENDS[end]
    (tmp_path / "ends.py").write_text(BLOCK + code)
    finished = cli("run", "--report-dir", "out", "ends.py", cwd=tmp_path)
    assert finished.returncode == status
    assert said in finished.stderr
    report = report_of("out")
    (stage,) = report["stages"]
    assert stage["failureReason"] == failure
    assert block_of(report, 2_600_004)["liveAtPeakBytes"] >= 2_600_004
    assert stage["partialTasks"] == (1 if end in ("at once", "killed") else 0)


def test_native_frames_are_named(cli, tmp_path, report_of):
    library = BUILD / "tests" / "native" / "libexact_alloc.so"
    (tmp_path / "native.py").write_text(
        f"import ctypes; library = ctypes.CDLL({str(library)!r}); library.exact_malloc.argtypes = [ctypes.c_size_t]\n"
        "library.exact_malloc(2_900_003)\n"
    )
    finished = cli("run", "native.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    frames = block_of(report_of(), 2_900_003)["frames"]
    last = [frame for frame in frames if frame["language"] == "native"][-1]
    assert (last["function"], pathlib.PurePath(last["module"]).name) == ("exact_malloc", "libexact_alloc.so")


def test_a_module_is_shown_without_what_runs_it(cli, tmp_path, report_of):
    (tmp_path / "takes.py").write_text("kept = bytearray(3_100_007)")
    assert cli("run", "-m", "takes", cwd=tmp_path).returncode == 0
    report = report_of()
    site = block_of(report, 3_100_008)
    assert report["application"]["name"] == "-m takes"
    assert (site["udf"], site["udfKind"]) == ("-m takes", "PROGRAM")
    assert [(frame["function"], frame["line"]) for frame in site["frames"]] == [("<module>", 1)]


def test_exit_handlers_of_the_program_are_profiled(cli, tmp_path, report_of):
    (tmp_path / "late.py").write_text("import atexit\natexit.register(lambda: bytearray(2_700_017))\n")
    assert cli("run", "late.py", cwd=tmp_path).returncode == 0
    assert block_of(report_of(), 2_700_018)


def test_termination_reaches_the_program(package, tmp_path, report_of):
    (tmp_path / "waits.py").write_text(
        "import pathlib, time\nb = bytearray(2_800_009)\npathlib.Path('ready').touch()\ntime.sleep(60)\n"
    )
    process = processes.start(
        [sys.executable, "-m", "sparkmemprof.cli.main", "run", "waits.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        stderr=subprocess.DEVNULL,
    )
    try:
        processes.until(lambda: (tmp_path / "ready").exists() or process.poll() is not None, 60, "the program is ready")
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(patient(30)) == -signal.SIGTERM
    finally:
        processes.kill_session(process)
    report = report_of()
    assert report["stages"][0]["failureReason"] == "killed by SIGTERM"
    assert block_of(report, 2_800_010)


def test_a_program_that_cannot_be_profiled_runs_all_the_same(cli, tmp_path):
    (tmp_path / "works.py").write_text("print('unharmed')")
    finished = cli("run", "-S", "works.py", cwd=tmp_path)  # no site module, so nothing of ours starts
    assert (finished.returncode, finished.stdout) == (0, "unharmed\n")
    (warning,) = finished.stderr.splitlines()
    assert warning.startswith("sparkmemprof: no report: ")
    assert not (tmp_path / "sparkmemprof-report").exists()


def test_a_report_that_cannot_be_written_does_not_change_the_exit_status(cli, tmp_path):
    (tmp_path / "works.py").write_text("import sys; sys.exit(5)")
    (tmp_path / "file").write_text("in the way")
    finished = cli("run", "--report-dir", "file/below", "works.py", cwd=tmp_path)
    assert finished.returncode == 5
    assert "sparkmemprof: the report was not written: " in finished.stderr


def test_a_report_directory_of_another_user_is_refused_by_name_and_owner(package, tmp_path):
    foreign, owner = pathlib.Path("/usr/lib"), 0
    if os.getuid() == 0:
        foreign, owner = tmp_path / "foreign", 65534
        foreign.mkdir()
        os.chown(foreign, owner, owner)
    link = tmp_path / "link"
    link.symlink_to(foreign)
    for folder in (foreign, link):
        writes = f"from sparkmemprof.cli.show import write_report; write_report(b'', {str(folder)!r})"
        finished = processes.run([sys.executable, "-c", writes], 60, env={**os.environ, "PYTHONPATH": str(package)})
        last = finished.stderr.splitlines()[-1]
        assert last.endswith(f"UserError: {folder} belongs to user {owner}, not to user {os.getuid()}")
    assert list(foreign.glob("report.*")) == []


def test_nothing_to_run(cli):
    finished = cli("run")
    assert finished.returncode == 2
    assert "script.py" in finished.stderr
