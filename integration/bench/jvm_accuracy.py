"""How right the heap's bytes are: Spark tasks that allocate a known GiB in objects of one size, against the truth.

    integration/bench.sh jvm-accuracy --runs 10 [--async-profiler DIR]

Objects of 16 bytes, 1 KiB, 64 KiB and 1 MiB, each by a method of its own, at the default interval of 512 KiB. DIR is
async-profiler's build folder; it samples at the same interval.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import provenance
from jvm_unit import OWN, Jvm, add_async_profiler, async_profiler
from results import FOLDER, markdown

HOW = """\
Spark tasks that allocate a GiB in objects of one size: how far the bytes told are off, on average, and twice the
standard error of that, over applications in one JVM. Both profilers sample at 512 KiB."""
RESULTS = FOLDER / "jvm-accuracy.json"
RIVAL = "async-profiler, alloc"
TRUTH = 1 << 30
METHODS = {"Known.of16": "16 B", "Known.of1Ki": "1 KiB", "Known.of64Ki": "64 KiB", "Known.of1Mi": "1 MiB"}


def compiled(folder: Path) -> Path:
    """The jar of java/Known.java."""
    import pyspark

    javac, jar_tool = shutil.which("javac"), shutil.which("jar")
    if javac is None or jar_tool is None:
        raise SystemExit("javac or jar is missing: install a JDK (openjdk-17-jdk-headless)")
    source = Path(__file__).with_name("java") / "Known.java"
    jars = Path(pyspark.__file__).parent / "jars/*"
    subprocess.run([javac, "--release", "17", "-nowarn", "-cp", str(jars), "-d", str(folder), str(source)], check=True)
    jar = folder / "known.jar"
    subprocess.run([jar_tool, "cf", str(jar), "-C", str(folder), "Known.class"], check=True)
    return jar


def allocate(jvm: Jvm, session: object) -> None:
    session.udf.registerJavaFunction("known", "Known", "bigint")
    for size in range(len(METHODS)):
        session.sql(f"SELECT known(id) FROM range({size}, {size + 1}, 1, 1)").collect()


def told_by_us(jvm: Jvm) -> dict[str, int]:
    with jvm.session(profiled=True) as session:
        allocate(jvm, session)
    report = json.loads(jvm.report().read_text(encoding="utf-8"))
    told = dict.fromkeys(METHODS, 0)
    for stage in report["stages"]:
        for site in stage["sites"]:
            for method in {frame["function"] for frame in site["frames"]} & set(METHODS):
                told[method] += site["allocatedBytes"]
    return told


def told_by_the_rival(jvm: Jvm) -> dict[str, int]:
    with jvm.session(profiled=False) as session, jvm.rival(RIVAL) as profiler:
        allocate(jvm, session)
        lines = profiler.dumpCollapsed(jvm.java_class("one.profiler.Counter").TOTAL).splitlines()
    told = dict.fromkeys(METHODS, 0)
    for line in lines:
        frames, _, value = line.rpartition(" ")
        for method in {frame.removesuffix("_[j]").replace("/", ".") for frame in frames.split(";")} & set(METHODS):
            told[method] += int(value)
    return told


def table(record: dict) -> str:
    """Markdown."""
    rows = []
    for method, size in METHODS.items():
        cells = []
        for runs in record["told"].values():
            errors = [run[method] / TRUTH - 1 for run in runs]
            spread = statistics.stdev(errors) / math.sqrt(len(errors))
            cells.append(f"{statistics.fmean(errors):+.2%} ± {2 * spread:.2%}")
        rows.append([size, *cells])
    return "\n".join(markdown(["objects of", *record["told"]], rows))


def told_in_this_process(profiler: str, runs: int, rival: str) -> None:
    """Prints a JSON object: the JDK, and the bytes of each run."""
    with tempfile.TemporaryDirectory(prefix="sparkmemprof-bench-") as folder:
        jvm = Jvm({}, rival, more_jars=[str(compiled(Path(folder)))])
        told = []
        for run in range(runs):
            told.append(told_by_us(jvm) if profiler == OWN else told_by_the_rival(jvm))
            print(f"  {profiler}: {run + 1} of {runs} runs", file=sys.stderr, flush=True)
    print(json.dumps({"runtime": f"JDK {jvm.java}", "told": told}))


def told_by(profiler: str, runs: int, rival: str) -> dict:
    """In a JVM of its own, because only one agent of a JVM may hold the JVM's sampler of objects."""
    command = [sys.executable, __file__, "--runs", str(runs), "--one", profiler]
    command += ["--async-profiler", rival] if profiler == RIVAL else []
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return json.loads(next(line for line in lines if line.startswith('{"runtime"')))  # the JVM may print others


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh jvm-accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=10, help="applications for each profiler (default: 10)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    add_async_profiler(parser)
    options = parser.parse_args()
    rival = async_profiler(parser, options.async_profiler)
    if options.runs < 2:
        parser.error("--runs: at least 2, to say how sure the mean is")
    if options.one:
        told_in_this_process(options.one, options.runs, rival)
        return
    found = {profiler: told_by(profiler, options.runs, rival) for profiler in ([OWN, RIVAL] if rival else [OWN])}
    told = {profiler: each["told"] for profiler, each in found.items()}
    record = {"runtime": found[OWN]["runtime"], "runs": options.runs, "told": told} | provenance.here()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(record), encoding="utf-8")
    print(table(record))


if __name__ == "__main__":
    main()
