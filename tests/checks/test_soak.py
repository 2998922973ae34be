"""Which runs tests/soak.sh counts, in a checkout of its own with a stand-in for tests/run.sh."""

import functools
import json
import os
import pathlib
import shutil
import signal
import sys

import processes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import soaked  # noqa: E402

# The n-th run does what the n-th line of the file "plan" in the build folder says.
RUN = """#!/usr/bin/env bash
cd "$(dirname "$0")/.."
mkdir -p build/test-results
echo . >>build/began
plan=$(sed -n "$(wc -l <build/began)p" build/plan)
write() { # FAILED COMMIT
  printf '{"commit": "%s", "dirty": false, "tier": "landing", "passed": 7, "failed": %s, "skipped": 1, "flaky": []}' \\
    "$2" "$1" >build/test-results/summary.json
}
commit=$(git rev-parse HEAD)
case $plan in
  red) echo "FAILED  jvm: test_any.test_fails: 1 == 2"; write 1 "$commit"; echo "7 passed, 1 failed, 1 skipped" ;;
  silent) write 0 "$commit" ;;
  half) printf '{"commit": "' >build/test-results/summary.json ;;
  other) write 0 c0ffee; echo "7 passed, 0 failed, 1 skipped" ;;
  fails) echo "error: no compiler"; exit 2 ;;
  hangs) echo $$ >build/pid; sleep 600 ;;
  *) write 0 "$commit"; echo "7 passed, 0 failed, 1 skipped" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    """A function: starts tests/soak.sh there with further words, by `how` of processes, as that plan says."""
    folder = tmp_path / "checkout"
    for name in ("tests/soak.sh", "tests/soaked.py", "tools/setup.sh"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "tests/run.sh").write_text(RUN)
    (folder / "tests/run.sh").chmod(0o755)
    (folder / ".gitignore").write_text("build/\n__pycache__/\n")
    (folder / "build").mkdir()
    identity = {f"GIT_{who}_{what}": "nobody@none" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a commit"]):
        processes.run(["git", *words], 60, cwd=folder, env=os.environ | identity, check=True)

    def soak(plan, *words, how=lambda command, **options: processes.run(command, 60, **options)):
        (folder / "build/plan").write_text("\n".join(plan) + "\n")
        (folder / "build/began").unlink(missing_ok=True)
        return how([folder / "tests/soak.sh", *words], cwd=folder)

    soak.folder = folder
    return soak


def kept(checkout):
    return sorted(path.name for path in checkout.folder.glob("build/soak/*/*.json"))


def test_red_runs_count_and_are_named(checkout):
    finished = checkout(["green", "red", "red"], "3")
    assert finished.returncode == 1
    assert finished.stdout.splitlines()[-2:] == ["   2 times red: jvm: test_any.test_fails", "1 of 3 green"]
    again = checkout([], "3")
    assert again.stdout.splitlines()[-1] == "1 of 3 green"
    assert not (checkout.folder / "build/began").exists(), "all are done"


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("silent", "its log doesn't end with its summary"),
        ("half", "its summary is cut off or damaged"),
        ("other", "it was not of the landing tier of commit"),
        ("fails", "it left no summary: it was cut off, or could not start"),
    ],
)
def test_what_does_not_count_is_told_and_tried_again(checkout, end, why):
    finished = checkout(["green", end], "2")
    assert finished.returncode == 2
    (error,) = [line for line in finished.stderr.splitlines() if line.startswith("error: ")]
    assert error.startswith(f"error: run 2 doesn't count: {why}")
    assert ("error: no compiler" in error) == (end == "fails")
    assert kept(checkout) == ["1.json"]
    finished = checkout(["green"], "2")
    assert (finished.returncode, finished.stdout.splitlines()[-1]) == (0, "2 of 2 green")
    assert (checkout.folder / "build/began").read_text() == ".\n", "the first is done"


def test_one_whose_log_is_gone_is_run_again(checkout):
    assert checkout(["green"], "1").returncode == 0
    (log,) = checkout.folder.glob("build/soak/*/1.log")
    log.unlink()
    assert checkout(["green"], "1").stdout.splitlines()[-1] == "1 of 1 green"
    assert log.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_interrupted_it_leaves_nothing_running_and_goes_on(checkout, number):
    def heard():  # what a background job ignores, its children do, too
        signal.signal(number, signal.SIG_DFL)

    process = checkout(["hangs"], "1", how=functools.partial(processes.start, preexec_fn=heard))
    pid = checkout.folder / "build/pid"
    try:
        processes.until(lambda: pid.exists() and pid.read_text().strip(), 60, "the run has begun")
        second = checkout(["hangs"], "1")
        assert second.returncode == 2
        assert "error: tests/soak.sh is running in this checkout already" in second.stderr
        os.kill(process.pid, number)
        assert process.wait(processes.patient(60)) != 0
        gone = "neither the run nor what makes the machine busy is there any more"
        processes.until(lambda: not processes.living({process.pid}), 20, gone)
    finally:
        processes.kill_session(process)
    assert kept(checkout) == []
    assert checkout(["green"], "1").stdout.splitlines()[-1] == "1 of 1 green"


def test_what_is_played_again_in_two_runs_is_no_success(tmp_path, capsys):
    for run in (1, 2):
        (tmp_path / f"{run}.json").write_text(json.dumps({"failed": 0, "flaky": ["spark: test_any"]}))
        (tmp_path / f"{run}.log").write_text("")
    assert soaked.total(tmp_path, 1) == 0
    assert soaked.total(tmp_path, 2) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["   2 times flaky: spark: test_any", "2 of 2 green"]
