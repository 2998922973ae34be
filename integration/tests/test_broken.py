"""Every piece missing or broken in turn: the job succeeds, its result is right, one warning says what is off."""

import struct

import pytest
from conftest import LOCAL_CLUSTER, warnings_of
from namespaces import inside, mounted

pytestmark = pytest.mark.one_line

EXPECTED = sum(number * number for number in range(40))
LIBRARY = "linux-x86_64/libsparkmemprof.so"


def demand_one_warning(run, *words):
    """The job did its work, and of all logs exactly one line is ours: a warning that holds these words."""
    run.demand_success()
    assert run.result() == EXPECTED
    found = warnings_of(run)
    assert len(found) == 1, "\n".join(found) + run.tail()
    for word in words:
        assert word in found[0], f"not told: {word}\n{found[0]}"
    return found[0]


def demand_silence(run):
    run.demand_success()
    assert run.result() == EXPECTED
    assert warnings_of(run) == []


@pytest.mark.parametrize("master", [pytest.param("local[2]", marks=pytest.mark.full), LOCAL_CLUSTER])
def test_library_absent_from_the_jar(spark_run, jar_without, master):
    broken = jar_without(lambda name, content: None if name == LIBRARY else content)
    run = spark_run("sum.py", master=master, jar=broken)
    demand_one_warning(run, "profiling is off", "libsparkmemprof.so", "linux-x86_64")
    assert not run.reports.exists()


@pytest.mark.full
def test_library_of_a_foreign_machine(spark_run, jar_without):
    def foreign(name, content):
        return content[:18] + struct.pack("<H", 40) + content[20:] if name == LIBRARY else content

    demand_one_warning(spark_run("sum.py", jar=jar_without(foreign)), "profiling is off", "another machine")


@pytest.mark.full
def test_library_that_is_cut_short(spark_run, jar_without):
    """The dynamic linker would map it beyond its end, and the JVM die of SIGBUS."""
    broken = jar_without(lambda name, content: content[: len(content) // 2] if name == LIBRARY else content)
    demand_one_warning(spark_run("sum.py", jar=broken), "profiling is off", "libsparkmemprof.so", "truncated")


def test_python_package_absent_from_the_jar(spark_run, jar_without):
    broken = jar_without(lambda name, content: None if name.startswith("python/") else content)
    demand_one_warning(spark_run("sum.py", jar=broken), "memory of Python workers is off", "manifest.txt")


@pytest.mark.full
def test_daemon_module_absent_from_the_jar(spark_run, jar_without):
    broken = jar_without(lambda name, content: None if name.endswith("/daemon.py") else content)
    demand_one_warning(spark_run("sum.py", jar=broken), "memory of Python workers is off", "daemon.py")


HOOKS = "python/sparkmemprof/_hooks.cpython-311"


@pytest.mark.full
def test_python_that_the_jar_has_no_shim_for(spark_run, jar_without):
    broken = jar_without(lambda name, content: None if name.startswith(HOOKS) else content)
    run = spark_run("sum.py", jar=broken)
    demand_one_warning(run, "Python workers", "3.11")
    (why,) = [each["why"] for each in run.report()["notAvailable"] if each["what"] == "memory of Python workers"]
    assert why.startswith("cpython 3.11 on linux is not supported (")


@pytest.mark.parametrize("damage", ["garbage", "half", "foreign"])
@pytest.mark.full
def test_shim_that_is_broken(spark_run, jar_without, damage):
    def damaged(name, content):
        if not name.startswith(HOOKS):
            return content
        foreign = content[:18] + struct.pack("<H", 40) + content[20:]
        return {"garbage": b"no library", "half": content[: len(content) // 2], "foreign": foreign}[damage]

    demand_one_warning(spark_run("sum.py", jar=jar_without(damaged)), "_hooks")


def test_python_source_that_is_broken(spark_run, jar_without):
    broken = jar_without(lambda name, content: b"import nonsense" if name.endswith("/worker.py") else content)
    demand_one_warning(spark_run("sum.py", jar=broken), "nonsense")


@pytest.mark.parametrize("master", ["local[2]", pytest.param(LOCAL_CLUSTER, marks=pytest.mark.full)])
def test_daemon_module_set_by_the_user(spark_run, master):
    conf = {"spark.python.daemon.module": "pyspark.daemon"}
    run = spark_run("sum.py", master=master, conf=conf)
    demand_one_warning(run, "memory of Python workers is off", "spark.python.daemon.module", "pyspark.daemon")
    assert any("spark.python.daemon.module" in entry["why"] for entry in run.report()["notAvailable"])


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        pytest.param("store.limit", "lots", marks=pytest.mark.full),
        ("nonsense", "1"),  # one that only the agent knows
        pytest.param("python.interval", "0", marks=pytest.mark.full),
        pytest.param("python.interval", "2g", marks=pytest.mark.full),
        pytest.param("interval", "-1", marks=pytest.mark.full),
    ],
)
def test_setting_that_cannot_be_read(spark_run, setting, value):
    run = spark_run("sum.py", conf={f"spark.memprof.{setting}": value})
    demand_one_warning(run, "profiling is off", setting)


def test_switched_off(spark_run):
    run = spark_run("sum.py", conf={"spark.memprof.enabled": "false"})
    demand_silence(run)
    assert not run.reports.exists()


def test_report_directory_that_cannot_be_written(spark_run, tmp_path):
    (tmp_path / "file").write_text("")
    run = spark_run("sum.py", conf={"spark.memprof.report.dir": tmp_path / "file" / "below"})
    demand_one_warning(run, "the report is off", "spark.memprof.report.dir")


@pytest.mark.full
@pytest.mark.parametrize("module", ["sparkmemprof.py", "sparkmemprof/__init__.py"])
def test_module_that_hides_the_package(spark_run, tmp_path, module):
    path = tmp_path / "mine" / module
    path.parent.mkdir(parents=True)
    path.write_text("")
    run = spark_run("sum.py", cwd=tmp_path / "mine")
    demand_one_warning(run, "memory of Python workers is off", f"{path} hides the profiler's package")


@pytest.mark.full
def test_module_on_the_executors_path_that_hides_the_package(spark_run, tmp_path):
    (tmp_path / "sparkmemprof.py").write_text("")
    run = spark_run("sum.py", conf={"spark.executorEnv.PYTHONPATH": tmp_path})
    demand_one_warning(run, "memory of Python workers is off", f"{tmp_path}/sparkmemprof.py hides")


@pytest.mark.full
def test_a_copy_of_the_package_on_the_executors_path(spark_run, tmp_path):
    """YARN hands the submitter's own PYTHONPATH on to executors."""
    for module in ("__init__.py", "daemon.py"):
        (tmp_path / "sparkmemprof").mkdir(exist_ok=True)
        (tmp_path / "sparkmemprof" / module).write_text("")
    run = spark_run("sum.py", conf={"spark.executorEnv.PYTHONPATH": tmp_path})
    wanted = (f"{tmp_path}/sparkmemprof is a copy of the profiler's own package", f"take {tmp_path} out of PYTHONPATH")
    demand_one_warning(run, "memory of Python workers is off", *wanted)


def test_box_directory_that_cannot_be_made(spark_run):
    run = spark_run("sum.py", conf={"spark.memprof.box.dir": "/proc/boxes"})
    demand_one_warning(run, "profiling is off", "black boxes", "/proc/boxes")


def run_without_class(spark_run, jar_without, name):
    """(run, its warnings) where making an object of this class fails when the agent runs already."""
    member = f"org/sparkmemprof/plugin/{name}.class"
    broken = jar_without(lambda each, content: None if each == member else content)
    run = spark_run("agents.py", master="local-cluster[1,1,1024]", jar=broken).demand_success()
    found = warnings_of(run)
    assert all(f"NoClassDefFoundError: {member.removesuffix('.class')}" in text for text in found), found
    return run, found


def test_a_start_that_fails_when_the_agent_runs(spark_run, jar_without):
    """What is reported as off is off. The driver's own agent shows how one that runs is seen."""
    run, found = run_without_class(spark_run, jar_without, "DriverLink")
    assert len(found) == 1, found
    assert "profiling is off: executor 0" in found[0]
    threads = run.result()
    assert "memprof-watch" in threads["driver"]
    assert threads["executor"] == []


@pytest.mark.full
def test_a_start_that_fails_later_and_that_of_the_driver(spark_run, jar_without):
    run, found = run_without_class(spark_run, jar_without, "SparkPools")
    assert sorted(text.partition("sparkmemprof: ")[2].partition(" is off")[0] for text in found) == [
        "profiling",
        "the driver's profile",
    ]
    threads = run.result()
    assert "memprof-watch" not in threads["driver"]
    assert threads["executor"] == []


# --- file systems and users, in namespaces of their own ---------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def options(temporary):
    return {"spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={temporary}"}


@pytest.mark.parametrize(
    ("mount", "off", "reason"),
    [
        pytest.param("size=64k", "Python workers are not profiled", "No space left on device", id="full"),
        pytest.param("ro", "profiling is off", "Read-only file system", id="read-only", marks=pytest.mark.full),
    ],
)
def test_box_directory_without_room(spark_run, temporary, mount, off, reason):
    prefix = mounted(f"mount -t tmpfs -o {mount} none {temporary}")
    run = spark_run("sum.py", conf={"spark.memprof.box.dir": temporary}, prefix=prefix)
    demand_one_warning(run, off, str(temporary), reason)


@pytest.mark.full
def test_noexec_temporary_directory_and_nowhere_else_to_go(spark_run, temporary):
    prefix = mounted(f"mount -t tmpfs -o noexec none {temporary}; mount -t tmpfs -o noexec none /dev/shm")
    run = spark_run("sum.py", conf=options(temporary), prefix=prefix)
    demand_one_warning(run, "profiling is off", str(temporary), "/dev/shm")


@pytest.mark.full
def test_noexec_temporary_directory_with_another_place(spark_run, temporary):
    prefix = mounted(f"mount -t tmpfs -o noexec none {temporary}; mount -t tmpfs none /dev/shm")
    run = spark_run("sum.py", conf=options(temporary), prefix=prefix)
    demand_silence(run)
    assert run.report()["stages"][0]["tasks"] == 2


def read_only_but(temporary, reports, temporary_options):
    """Everything is read-only but a temporary directory, which Spark itself can't do without, and the reports'."""
    return mounted(
        f"mount --bind {reports} {reports}; mount -t tmpfs -o {temporary_options} none {temporary}\n"
        "mount -t tmpfs -o ro none /dev/shm\n"
        f"awk '{{print $2}}' /proc/self/mounts | while read m; do case $m in {temporary}|{reports}|/proc*|/sys*|/dev*) "
        ';; *) mount -o remount,bind,ro "$m" ;; esac; done\n'
        "if touch . 2>/dev/null; then echo it can be written to >&2; exit 1; fi"
    )


@pytest.fixture
def reports(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


@pytest.mark.full
def test_read_only_file_system(spark_run, temporary, reports):
    prefix = read_only_but(temporary, reports, "exec")
    conf = {**options(temporary), "spark.local.dir": temporary, "spark.memprof.report.dir": reports}
    demand_silence(spark_run("sum.py", conf=conf, prefix=prefix))
    assert len(list(reports.glob("*/report.json"))) == 1


def test_read_only_file_system_with_a_noexec_temporary_directory(spark_run, temporary, reports):
    prefix = read_only_but(temporary, reports, "noexec")
    conf = {**options(temporary), "spark.local.dir": temporary, "spark.memprof.report.dir": reports}
    demand_one_warning(spark_run("sum.py", conf=conf, prefix=prefix), "profiling is off", str(temporary), "Read-only")


@pytest.mark.full
def test_user_without_a_passwd_entry(spark_run, jar, tmp_path):
    # The kernel still takes this user for the one who owns the files.
    prefix = inside("unshare", "--user", "--map-user=54321", "--map-group=54321")
    # Spark itself wants the user's name from the environment, a place for Ivy, and can't take spark.jars.
    conf = {"spark.jars": None, "spark.driver.extraClassPath": jar, "spark.jars.ivy": tmp_path / "ivy"}
    run = spark_run("sum.py", prefix=prefix, conf=conf, environment={"SPARK_USER": "nobody"})
    demand_silence(run)
    assert run.report()["stages"][0]["tasks"] == 2
