"""The benchmark's own parts: the interval of a ratio, and a run that goes on where the last one ended."""

import json
import os
import pathlib
import random
import re
import sys

import processes
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "integration" / "bench"
sys.path.append(str(BENCH))

from ratios import ratio_of  # noqa: E402


def test_a_ratio_and_its_interval():
    source = random.Random(5)
    truth, processes = 1.03, 60
    # A process's layout moves all of its pairs, so sixty processes of six pairs are sixty draws, not 360.
    groups = []
    for _ in range(processes):
        layout = source.gauss(1, 0.02)
        groups.append([(truth * layout * source.gauss(1, 0.001), 1.0) for _ in range(6)])
    ratio = ratio_of(groups)
    assert ratio.low < truth < ratio.high
    assert 2 * 1.96 * 0.02 / processes**0.5 == pytest.approx(ratio.high - ratio.low, rel=0.3)
    assert ratio_of([[(2.0, 1.0)], [(0.5, 1.0)]]).middle == pytest.approx(1), (
        "a geometric mean: half and twice make one"
    )
    with pytest.raises(ValueError, match="two"):
        ratio_of(groups[:1])


def test_the_page_says_which_bounds_are_met(tmp_path):
    results, page = tmp_path / "results.jsonl", tmp_path / "page.md"
    command = [sys.executable, str(BENCH / "publish.py"), "--results", results, "--page", page]
    command += ["--accuracy", tmp_path / "none", "--jvm", tmp_path / "jvm.jsonl", "--jvm-accuracy", tmp_path / "none"]
    command += ["--watcher", tmp_path / "watcher.json"]
    assert "run integration/bench.sh cost" in processes.run(command, 60).stderr
    provenance = {"commit": "abc1234", "date": "2026-01-02", "machine": "2 odd ones"}
    record = {"runtime": "CPython 3.11.7", "place": "plain", **provenance}
    own, exact, rival = "sparkmemprof", "sparkmemprof, exact", "memray, Python allocators"
    ratios = {
        ("pandas", own): [1.011, 1.013],
        ("numpy", own): [1.01, 1.05],
        ("arrow", own): [1.17, 1.19],
        ("pandas", exact): [1.3, 1.4],
        ("pandas", rival): [1.8, 1.9],
        ("numpy", exact): [1.5, 1.6],
        ("numpy", rival): [1.2, 1.3],
    }
    for (workload, profiler), pair in ratios.items():
        for ratio in 2 * pair:
            one = record | {"workload": workload, "profiler": profiler}
            one["pairs"] = {"cpu": [[ratio, 1.0]], "wall": [[ratio, 1.0]]}
            with results.open("a") as file:
                file.write(json.dumps(one) + "\n")
    of_jvms = {"runtime": "JDK 17.0.99", "place": "local[2]", "workload": "SQL", "profiler": own, **provenance}
    with (tmp_path / "jvm.jsonl").open("w") as file:
        for ratio in 2 * (1.011, 1.012):
            file.write(json.dumps(of_jvms | {"pairs": {"cpu": [[ratio, 1.0]], "wall": [[ratio, 1.0]]}}) + "\n")
        for more in (7, 9, 40):
            values = {own: (1000 + more) << 20, "bare": 1000 << 20}
            file.write(
                json.dumps({"what": "resident memory of a JVM", "runtime": "JDK 17.0.99", "values": values}) + "\n"
            )
    processes.run(command, 60, check=True)
    text = page.read_text()
    assert "Measured at abc1234, 2026-01-02: 2 odd ones." in text
    titles = [line.partition(": CPU")[0] for line in text.splitlines() if line.startswith("CPython ")]
    tables = [
        "CPython 3.11.7, plain",
        "CPython 3.11, Spark worker",
        "CPython 3.13, plain",
        "CPython 3.13, Spark worker",
    ]
    assert titles[:4] == tables
    plain, in_spark, of_3_13, of_both, later = (
        text[text.index(begin) : text.index(end)]
        for begin, end in zip([*tables, "CPython 3.11, start"], [*tables[1:], "CPython 3.11, start", "## Where"])
    )

    def rows_of(part):
        return {line.split("|")[1].strip(): line for line in part.splitlines() if line.startswith("| ")}

    rows = rows_of(plain) | {"SQL": rows_of(later)["SQL"]}
    assert "[1.010, 1.014] ≤ 1.02: met" in rows["pandas"]
    assert "around 1.02: open" in rows["numpy"]
    assert "> 1.02: **missed**" in rows["arrow"]
    assert "below memray's: met" in rows["pandas"]
    assert "above memray's: **missed**" in rows["numpy"]
    assert rows["pandas"].count("not measured") == 5, "the other rivals"
    assert rows["objects"].count("not measured") == 8
    of_exact = (
        "(sparkmemprof, exact, memray, Python allocators): `integration/bench.sh cost --workload arrow "
        "--workload objects --workload tiny-arrays --workload native --workload recursion --workload threads "
        "--profiler 'sparkmemprof, exact' --profiler 'memray, Python allocators'`"
    )
    assert of_exact in plain
    assert "Scalene, Fil): `integration/bench.sh cost --profiler memray " in plain, "of which there is no workload"
    assert rows_of(of_3_13)["pandas"].count("not measured") == 8
    assert "): `integration/bench.sh --python python3.13 cost`" in of_3_13
    assert "): `integration/bench.sh cost --spark`" in in_spark
    assert "): `integration/bench.sh --python python3.13 cost --spark`" in of_both
    assert "- not possible (Fil): it profiles a process from its start" in of_both
    assert "CPython 3.13, start of a worker: not measured: `integration/bench.sh --python python3.13 cost`" in text
    assert "[1.011, 1.012] ≤ 1.02: met" in rows["SQL"]
    assert "3 pairs: +9.0 MiB in the middle (+7.0 to +40.0; bound 24)" in text

    # What was measured elsewhere stays.
    results.unlink()
    accuracy = tmp_path / "accuracy.json"
    accuracy.write_text(json.dumps({"python": "3.11.7", "tasks": 1000, "table": "| a | b |"} | provenance))
    command[command.index("--accuracy") + 1] = accuracy
    processes.run(command, 60, check=True)
    later = page.read_text()
    assert "CPython 3.11.7, 1,000 tasks:\n\n| a | b |\n" in later
    kept = later[: later.index("## How right a line's bytes are")]
    assert kept in text
    assert kept.count("## ") == 2

    watched = {"how": "As it was watched.", "table": "| c | d |", "times": 12} | provenance
    (tmp_path / "watcher.json").write_text(json.dumps(watched))
    processes.run(command, 60, check=True)
    assert "As it was watched.\n\nMeasured at abc1234" in page.read_text()
    order = [title for title in page.read_text().split("\n## ")[1:] if title.startswith(("What ", "How "))]
    assert [title.splitlines()[-1] for title in order][-2:] == ["| c | d |", "| a | b |"], "in the page's order"
    (tmp_path / "watcher.json").write_text(json.dumps(provenance))
    assert "watcher.json is of another version (without 'how')" in processes.run(command, 60).stderr


@pytest.mark.full
def test_a_run_goes_on_where_the_last_one_ended(package, tmp_path):
    results = tmp_path / "results.jsonl"
    command = [sys.executable, str(BENCH / "cost.py"), "--results", str(results), "--starts", "1"]
    command += ["--workload", "objects", "--profiler", "sparkmemprof", "--minutes", "0"]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    printed = []
    for _ in range(2):
        printed.append(processes.run(command, 500, env=environment, check=True).stdout)
    records = [json.loads(line) for line in results.read_text().splitlines()]
    pairs = [record["pairs"]["cpu"] for record in records if "pairs" in record]
    assert [len(group) for group in pairs] == [12, 12]
    assert all(profiled > 0 and bare > 0 for group in pairs for profiled, bare in group)
    assert sum(record.get("what") == "start of a worker" for record in records) == 1
    measured = [re.search(r"^\| objects \|.*[0-9]\.[0-9]", text, re.MULTILINE) for text in printed]
    assert not measured[0], "one process says nothing of an interval"
    assert measured[1], printed[1]
    assert "start of a worker" in printed[1]
