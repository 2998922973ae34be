"""What was typed at Python's prompt, as the interpreters keep it. Into a report: integration/tests/test_cpythons.py."""

import linecache
import sys
import threading
import types

import pytest
from conftest import ROOT
from processes import patient, until

sys.path.insert(0, str(ROOT / "pyworker-shim"))
from sparkmemprof import prompt, telling

TEXT = ["def f(x):\n", "    return x\n"]
ENTRY = (len(TEXT), None, TEXT, "as it is called")
JOB = (1, None, ["x = 1\n"], "/jobs/job.py")


class Jvm:
    """Stands for a SparkContext and for its JVM with our plugin; the real ones: the integration test."""

    def __init__(self):
        self.told, self.calls = [], 0
        self.fails, self.answers = False, threading.Event()
        self.answers.set()
        self.plugin = types.SimpleNamespace(notebookCell=self.notebook_cell)
        org = types.SimpleNamespace(sparkmemprof=types.SimpleNamespace(MemoryProfilerPlugin=self.plugin))
        self._gateway = types.SimpleNamespace(jvm=types.SimpleNamespace(org=org))
        self._jsc = object()
        self.patience = "1"
        self._conf = types.SimpleNamespace(get=lambda name, otherwise: self.patience)

    def notebook_cell(self, *told):
        self.calls += 1
        self.answers.wait(patient(60))
        if self.fails:
            raise RuntimeError("no profiler there")
        self.told.append(told)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """What is told is told: only the tests of the time limit have a short one."""
    monkeypatch.setattr(telling, "_MOST_WAIT_S", patient(60))


@pytest.fixture
def jvm(monkeypatch):
    def activate(context):
        pyspark = types.ModuleType("pyspark")
        pyspark.SparkContext = types.SimpleNamespace(_active_spark_context=context)
        monkeypatch.setitem(sys.modules, "pyspark", pyspark)
        return context

    return activate


@pytest.mark.parametrize("name", ["<python-input-3>", "<stdin>-3"])
def test_inputs_of_the_first_3_13(monkeypatch, jvm, name):
    monkeypatch.setattr(linecache, "cache", {name: ENTRY, "/jobs/job.py": JOB, "<stdin>": ENTRY, "<lazy>": (len,)})
    monkeypatch.delattr(linecache, "_interactive_cache", raising=False)
    assert prompt._inputs() == {name: TEXT}


def test_inputs_by_code_object(monkeypatch):
    monkeypatch.setattr(linecache, "cache", {"/jobs/job.py": JOB})
    by_code = {("<stdin-3>", "<module>", 1): ENTRY, ("<stdin-3>", "f", 1): ENTRY, ("<string>", "f", 1): ENTRY}
    monkeypatch.setattr(linecache, "_interactive_cache", by_code, raising=False)
    assert prompt._inputs() == {"<stdin-3>": TEXT}


def test_each_application_is_told_once(monkeypatch, jvm):
    monkeypatch.setattr(linecache, "cache", {"<python-input-0>": ENTRY})
    monkeypatch.delattr(linecache, "_interactive_cache", raising=False)
    looking = prompt._Prompt()
    first = jvm(Jvm())
    first._jsc = None
    looking.look()  # the JVM's half is not there yet
    looking.teller.wait()
    assert first.told == []
    first._jsc = object()
    looking.look()
    linecache.cache["<python-input-1>"] = (1, None, ["x" * (65 << 10)], "")
    looking.look()
    looking.teller.wait()
    assert first.told == [("<python-input-0>", 0, "".join(TEXT))], "and nothing that is too long"
    second = jvm(Jvm())
    looking.look()
    looking.teller.wait()
    assert [name for name, _, _ in second.told] == ["<python-input-0>"]


def test_a_jvm_without_a_profiler_is_asked_once(jvm):
    teller, context = telling.Teller(), jvm(Jvm())
    context.fails = True
    for _ in range(3):
        teller.tell(context, lambda plugin: plugin.notebookCell("name", 0, "text"))
    teller.wait()
    assert (context.calls, context.told) == (1, [])
    other = Jvm()
    teller.tell(other, lambda plugin: plugin.notebookCell("name", 0, "text"))
    teller.wait()
    assert other.told == [("name", 0, "text")]


def test_nobody_waits_for_a_jvm_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(telling, "_MOST_WAIT_S", 0.1)
    teller, context = telling.Teller(), Jvm()
    context.answers.clear()
    teller.tell(context, lambda plugin: plugin.notebookCell("name", 0, "text"))
    teller.wait()  # returns
    assert context.told == []
    context.answers.set()
    until(lambda: context.told, 60, "it is told once the JVM answers")


@pytest.mark.parametrize(("patience", "known"), [("60", 2), ("much", 1)])
def test_on_a_busy_machine_the_jvm_has_more_time(monkeypatch, patience, known):
    monkeypatch.setattr(telling, "_MOST_WAIT_S", 0.5)
    teller, context = telling.Teller(), Jvm()
    context.patience = patience
    teller.tell(context, lambda plugin: plugin.notebookCell("first", 0, "text"))
    until(lambda: context.told, 60, "the first is told, and the setting is known")
    context.answers.clear()
    if known == 2:
        threading.Timer(1.5, context.answers.set).start()
    teller.tell(context, lambda plugin: plugin.notebookCell("second", 0, "text"))
    teller.wait()
    assert len(context.told) == known
    context.answers.set()
