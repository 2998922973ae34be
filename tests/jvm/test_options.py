"""Options: a bad one gives one line that names it and says what is allowed; the JVM goes on without profiling."""

import pytest

BAD = [
    ("intervall=512k", "known keys are box.dir, container.bytes, container.counted, driver.enabled, enabled, "),
    ("interval=12q", "such as 65536, 512k or 1m"),
    ("interval=", "such as 65536, 512k or 1m"),
    ("interval=-5", "such as 65536, 512k or 1m"),
    ("interval=0", "from 1 to 1073741824 bytes"),
    ("interval=2g", "from 1 to 1073741824 bytes"),
    ("offheap.interval=99999999999999999999", "such as 65536, 512k or 1m"),
    ("enabled=yes", "true or false"),
    ("enabled", "write enabled=value"),
    ("source=full", "lines, names or none"),
    ("heap.looks=always", "errors, true or false"),
    ("python.arrowPool=jemalloc", "default or system"),
    ("task.maxBytes=1m", "from 1024 to 262144 bytes"),
    ("snapshot.seconds=0", "whole seconds"),
    ("patience=61", "a whole number from 1 to 60"),
    ("box.dir=", "give a path"),
]


@pytest.mark.parametrize(("option", "allowed"), BAD)
def test_a_bad_option_on_the_agent_path(java17, option, allowed):
    outcome = java17.run("Options", agent=option)
    assert outcome.status == 0
    assert len(outcome.err.splitlines()) == 1
    (warning,) = outcome.warnings
    assert f'"{option}"' in warning
    assert allowed in warning
    assert "without profiling" in warning
    assert "inert: " in outcome.out
    assert "went on with 4000000" in outcome.out
    assert not (outcome.folder / "task").exists()


@pytest.mark.parametrize(("option", "allowed"), BAD)
def test_a_bad_option_of_spark(java17, option, allowed):
    outcome = java17.run("Options", option)
    assert outcome.status == 0
    assert outcome.err == ""  # Java says it, once
    assert f'inert: spark.memprof: bad option "{option}": ' in outcome.out
    assert allowed in outcome.out
    assert "went on with 4000000" in outcome.out


def test_each_bad_option_has_its_line(java17):
    outcome = java17.run("Options", agent="interval=12q,nonsense=1,enabled=true")
    assert [line.split('"')[1] for line in outcome.warnings] == ["interval=12q", "nonsense=1"]


def test_options_of_spark_win(java17):
    outcome = java17.run(
        "Options", "interval=128k", agent="enabled=True,interval=64k,offheap.interval=1m,report.dir=/tmp/x,source=names"
    )
    assert outcome.out.startswith("on\n")
    assert outcome.err == ""
    assert outcome.task("task")["jvmIntervalBytes"] == 131072


@pytest.mark.parametrize("agent", ["enabled=false", ""])
def test_switched_off(java17, agent):
    outcome = java17.run("Options", "enabled=false" if not agent else "python.enabled=true", agent=agent)
    assert "inert: switched off" in outcome.out
    assert outcome.err == ""
    assert "went on with" in outcome.out


def test_a_box_directory_that_others_can_write_to_is_refused(java17):
    (java17.folder / "boxes").mkdir(mode=0o777)
    (java17.folder / "boxes").chmod(0o777)
    outcome = java17.run("Options")
    assert "boxes is not a directory of ours with mode 0700; set spark.memprof.box.dir" in outcome.out


def test_without_the_library_java_gets_an_unsatisfied_link(java17):
    outcome = java17.run("Options", agent=None)
    assert "inert: not loaded" in outcome.out
