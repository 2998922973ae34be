#!/usr/bin/env python3
"""How a large application's report behaves: the driver's answers, the file's size, and Chromium's time for each step.

    MEMPROF_BUILD=build/release build/tools/bin/python tests/benchmarks/large_report.py

100,000 tasks in 2,000 stages on 500 executors, with 20,000 lines, go through a real store in a JVM, as in a driver, and
its report through a real browser. Each figure of the browser is from the input to the second frame drawn after it.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", ROOT / "build" / "release")).resolve()
sys.path += [str(ROOT / "tests/browser"), str(ROOT / "tests/support")]
import browsing  # noqa: E402

EXECUTORS, STAGES, TASKS, SITES = 500, 2000, 50, 10  # tasks and sites of a stage
OPENED = 5

DRAWN = """step => new Promise(done => {
  const begin = performance.now();
  step();
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
})"""


def answers(folder):
    """Prints what the driver's answers and files took; leaves report.json and report.html in the folder."""
    sources = ROOT / "java-glue/src/main/java/org/sparkmemprof/jni"
    jni = [sources / f"{name}.java" for name in ("NativeFeed", "NativePages", "NativeReport", "NativeStore")]
    java = ROOT / "tests/benchmarks/large/LargeReport.java"
    subprocess.run(["javac", "--release", "11", "-d", folder, java, *jni], check=True)
    sizes = list(map(str, (EXECUTORS, STAGES, TASKS, SITES)))
    writer = subprocess.Popen([BUILD / "tests/large_profiles", *sizes], stdout=subprocess.PIPE)
    library = BUILD / "jvmti-agent/libsparkmemprof.so"
    command = ["java", "-Xmx1g", "-cp", folder, "LargeReport", library, *sizes[:3]]
    subprocess.run(command, cwd=folder, stdin=writer.stdout, check=True)
    assert writer.wait() == 0


def drawn(page):
    """Milliseconds from its start until what it shows now has been drawn."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))"
    return page.evaluate(f"new Promise(done => {frames})")


def timed(page, step):
    """Milliseconds until what a step (JavaScript) changed has been drawn."""
    return page.evaluate(f"({DRAWN})(() => {{ {step} }})")


def type_into(place, text):
    return (
        f"const box = document.querySelector('#sparkmemprof').shadowRoot?.querySelector('{place}') "
        f"?? document.querySelector('{place}'); box.value = '{text}'; "
        "box.dispatchEvent(new Event('input', {bubbles: true}))"
    )


def click(place):
    return (
        f"(document.querySelector('#sparkmemprof').shadowRoot?.querySelector('{place}') "
        f"?? document.querySelector('{place}')).click()"
    )


STEPS = [
    ("stages", "location.hash = '#/stages'"),
    ("stages: sort", click("th button")),
    ("stages: next page", click(".pager button:not([disabled])")),
    ("stages: filter", type_into("input[type=search]", "Stage 1777")),
    ("one stage", "location.hash = '#/stages/1777.0'"),
    ("lines", "location.hash = '#/lines'"),
    ("lines: filter", type_into("input[type=search]", "job.py:777")),
    ("executors", "location.hash = '#/executors'"),
    ("one executor", "location.hash = '#/executors/333'"),
    ("flame graph", "location.hash = '#/flame'"),
    ("flame graph: search", type_into("input[type=search]", "job.py:777")),
    ("about", "location.hash = '#/about'"),
]


def browse(path):
    opened = []
    with browsing.chromium() as browser:
        for _ in range(OPENED):
            with browsing.window(browser) as seen:
                seen.page.goto(path.as_uri())
                seen.page.wait_for_selector(".page main h2")
                opened.append(drawn(seen.page))
        print(f"{'opens, ms':44} {statistics.median(opened):8.0f} {max(opened):8.0f}")
        took = {name: [] for name, _ in STEPS}
        for _ in range(OPENED):
            with browsing.window(browser) as seen:
                seen.page.goto(path.as_uri())
                seen.page.wait_for_selector(".page main h2")
                drawn(seen.page)
                for name, step in STEPS:
                    took[name].append(timed(seen.page, step))
        for name, figures in took.items():
            print(f"{name + ', ms':44} {statistics.median(figures):8.0f} {max(figures):8.0f}")


def main():
    ninja = shutil.which("ninja") or "ninja"
    subprocess.run([ninja, "-C", BUILD, "large_profiles"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        answers(folder)
        page = folder / "report.html"
        print(f"{'report.html, bytes':44} {page.stat().st_size}")
        print(f"{'report.json, bytes':44} {(folder / 'report.json').stat().st_size}")
        browse(page)


if __name__ == "__main__":
    main()
