"""Native frames of a job: functions, files, lines and inlined calls, named in the executor."""

import pathlib

import pytest
from conftest import BUILD, ROOT, line_of, python_line

pytestmark = pytest.mark.one_line

JOB = "native_lines.py"
BLOCK_BYTES = 5_600_029  # the job's own
LIBRARY = BUILD / "tests" / "native" / "libinlines.so"


def source_line(marker):
    source = (ROOT / "tests" / "native" / "inlines.cc").read_text().splitlines()
    (number,) = (number for number, line in enumerate(source, 1) if line.endswith(f"// {marker}"))
    return number


def test_lines_and_inlined_functions(spark_run):
    run = spark_run(JOB, LIBRARY).demand_success()
    assert run.result() == [0]
    sites = [site for stage in run.report()["stages"] for site in stage["sites"]]
    (site,) = (site for site in sites if site["allocatedBytes"] == BLOCK_BYTES)
    assert python_line(site) == (JOB, line_of(JOB, "from the library"))
    native = [frame for frame in site["frames"] if frame["module"] == str(LIBRARY)]
    assert [(frame["function"], pathlib.Path(frame["file"]).name, frame["line"]) for frame in native] == [
        ("inlines_take", "inlines.cc", source_line("entry")),
        ("void* shelf::Build<1>(unsigned long)", "inlines.cc", source_line("outer")),
        ("shelf::Fill(unsigned long)", "inlines.cc", source_line("innermost")),
    ]
