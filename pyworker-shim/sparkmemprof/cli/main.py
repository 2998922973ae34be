"""Entry point of `sparkmemprof`."""

import contextlib
import os
import signal
import sys

import click

from .ends import end_as, let_readers_go, open_what_was_closed
from .errors import UserError

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Group(click.Group):
    def list_commands(self, ctx):
        return ["submit", "run", "report", "post-mortem", "top", "diff", "conf"]  # in the order of use

    def make_context(self, *arguments, **options):
        with _ending_well():  # it shows our own --help
            return super().make_context(*arguments, **options)

    def invoke(self, ctx):
        with _ending_well():
            return super().invoke(ctx)


@contextlib.contextmanager
def _ending_well():
    """click would end with status 1 in both cases, which post-mortem has a meaning for."""
    try:
        yield
    except BrokenPipeError:  # `sparkmemprof report … | head`
        let_readers_go()
        raise click.exceptions.Exit(0) from None
    except KeyboardInterrupt:
        end_as(-signal.SIGINT)


def _end_with_help(context):
    with contextlib.suppress(OSError):  # nobody reads it
        click.echo(context.get_help(), err=True)
    end_as(2)


def _version(context, _parameter, wanted):
    if wanted and not context.resilient_parsing:
        from sparkmemprof import _store

        click.echo(f"sparkmemprof {_store.__version__}")
        context.exit()


@click.group(cls=_Group, context_settings=_SETTINGS)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show it and exit.")
def cli():
    """Where did the memory of my executors go?

    A memory profiler for PySpark: Spark stage and task, Python UDF line, native frame, JVM heap and off-heap call site,
    and the budget they all share. Your job's code does not change.

    \b
      sparkmemprof submit job.py                  run a job under the profiler
      sparkmemprof report sparkmemprof-report     read its report in the terminal
      sparkmemprof run script.py                  a Python program, with Spark or without
      spark-submit $(sparkmemprof conf) job.py    plain spark-submit: join your own settings by hand
    """


@cli.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    options_metavar="[--agentpath PATH] [SPARK-SUBMIT OPTIONS]",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="APPLICATION [ARGUMENTS]...")
@click.pass_context
def submit(context, words):
    """Run spark-submit with the profiler on.

    Takes everything that spark-submit takes. The profiler's settings join your own --conf, --jars and spark-defaults;
    nothing of yours is replaced. The report goes to ./sparkmemprof-report unless spark.memprof.report.dir says
    otherwise; where it is comes last, on stderr. The exit status is spark-submit's.

    \b
      sparkmemprof submit job.py
      sparkmemprof submit --master 'local-cluster[2,1,1024]' --conf spark.memprof.report.dir=out job.py 2026-01-31
      sparkmemprof submit --master spark://host:7077 --agentpath /opt/sparkmemprof/libsparkmemprof.so job.py
      sparkmemprof submit --master yarn --agentpath shipped job.py

    On local[*] and local-cluster the native library is given to the JVMs by -agentpath, so that they are seen from
    their first allocation. Elsewhere it comes out of the jar, a moment after an executor starts, and an executor that
    can't load it runs without the profiler.

    --agentpath PATH asks for -agentpath there, too. PATH is where every executor's machine has the library; on YARN it
    may be `shipped`, the package's own library, which is sent to each container. Gained is what an executor allocates
    before its plugins start. The price: an executor whose machine can't load the library doesn't start, and the job
    fails if all are such (another processor, an older glibc, a noexec mount). It is checked on this machine alone.
    """
    from .submit import submit as run

    if not words:
        _end_with_help(context)
    end_as(run(list(words)))


@cli.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    options_metavar="[--report-dir DIR] [--interval BYTES] [PYTHON OPTIONS]",
    short_help="Run a Python program with the profiler on.",
)
@click.option("--report-dir", default="sparkmemprof-report", type=click.Path(file_okay=False), metavar="DIR")
@click.option("--interval", default=65536, type=click.IntRange(1, 1 << 30), metavar="BYTES")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="script.py|-m MODULE|-c CODE [ARGUMENTS]...")
@click.pass_context
def run(context, words, report_dir, interval):
    """Run a Python program, a driver script say, with the profiler on: the same lines, the same report.

    The program sees what it sees under `python`: arguments, __main__, path, environment, signals, exit status.
    Processes that it forks (multiprocessing) are followed. When it has ended, however it ended, the report is written
    to DIR/<program's id>/report.json and report.html (default: ./sparkmemprof-report) and shown on stderr. If the
    program starts a Spark application that has the profiler's settings, that application's report has it all.

    \b
      sparkmemprof run script.py --its-own options
      sparkmemprof run --report-dir out -m package.module
      sparkmemprof run --interval 1 -c 'import pandas'

    Blocks of at least four times --interval (default: 65536) are counted exactly, smaller ones are sampled.
    """
    from .run import run as run_program

    if not words:
        _end_with_help(context)
    end_as(run_program(list(words), report_dir, interval))


@cli.command()
@click.argument("path", type=click.Path(), metavar="DIRECTORY|report.json|EVENTLOG")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "html", "json", "flamegraph", "speedscope", "pprof", "csv"]),
    help="Default: by OUT's ending, else text.",
)
@click.option(
    "--measure",
    type=click.Choice(["allocated", "live", "resident"]),
    help="Bytes of a flamegraph: allocated (default), live or resident at the peak.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="OUT", help="Write this file (0600).")
@click.option("--application", metavar="ID", help="Which one of several. Default: the newest.")
def report(path, form, measure, output, application):
    """Show a report: in the terminal, as one HTML file, as JSON, or for another tool.

    DIRECTORY is what spark.memprof.report.dir was, or one application's folder in it. EVENTLOG is Spark's event log of
    an application, a file or the folder of a rolled one; a directory of event logs will do as well.

    \b
      sparkmemprof report sparkmemprof-report
      sparkmemprof report /var/log/spark-events/app-20260131120000-0000.zstd -o report.html
      sparkmemprof report sparkmemprof-report --application app-20260131120000-0000
      sparkmemprof report sparkmemprof-report -o report.html
      sparkmemprof report sparkmemprof-report -o job.speedscope.json
      sparkmemprof report sparkmemprof-report -o job.pb.gz && go tool pprof -http=: job.pb.gz
      sparkmemprof report sparkmemprof-report --format flamegraph --measure live | flamegraph.pl > live.svg

    flamegraph gives collapsed stacks, a line each. Exports hold the attempts that count; bytes live and resident are
    the largest of any one task, and don't add up over stages.
    """
    from .show import show

    show(path, form, output, application, measure)


@cli.command("post-mortem", short_help="Say who died, by what is left: black boxes, reports, event logs.")
@click.argument("path", type=click.Path(), metavar="DIRECTORY|report.json|EVENTLOG")
@click.pass_context
def post_mortem(context, path):
    """Say who died, by what is left, without Spark.

    Black boxes tell of each dead process who it was, its task, and its lines with their bytes. They are in
    spark.memprof.box.dir of a Python worker's executor, by default <tmp>/sparkmemprof-<uid>, or where `import
    sparkmemprof.driver` put the driver's (<tmp>/sparkmemprof-<uid>/drivers). Boxes of the living, whose lock is held,
    are left alone; what is damaged, foreign or not yours is refused, with the reason. Nothing is removed.

    Reports, the checkpoints of an application whose driver was killed, and event logs of Spark tell of an application's
    deaths: in spark.memprof.report.dir, in spark.eventLog.dir, or one of them by its name.

    \b
      sparkmemprof post-mortem /tmp/sparkmemprof-1000/app-20260131120000-0000
      sparkmemprof post-mortem sparkmemprof-report
      sparkmemprof post-mortem /var/log/spark-events/app-20260131120000-0000.zstd

    Exit status: 1 when there is nothing to tell, 2 when a file that you name is neither a report nor an event log.
    """
    from .postmortem import post_mortem as read

    context.exit(read(path))


@cli.command(short_help="Watch a running application.")
@click.argument("url", metavar="URL")
@click.option(
    "--interval", "seconds", default=2.0, show_default=True, type=click.FloatRange(0.5, 3600), metavar="SECONDS"
)
@click.option("--once", is_flag=True, help="Show it once and exit; so does output that is no terminal.")
def top(url, seconds, once):
    """Watch a running application: its report so far, as large as the terminal, again and again.

    URL is the address of its Spark UI, with the prefix of a proxy if there is one. It ends with the application, or by
    Ctrl-C.

    \b
      sparkmemprof top http://driver:4040
      sparkmemprof top https://gateway/proxy/application_1700000000000_0042 --interval 10
    """
    from .top import top as watch

    watch(url, seconds, once)


@cli.command(short_help="Compare the reports of two runs.")
@click.argument("before", type=click.Path(), metavar="BEFORE")
@click.argument("after", type=click.Path(), metavar="AFTER")
@click.option("--format", "form", type=click.Choice(["text", "json", "html"]), help="Default: by OUT's ending.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="OUT", help="Write this file (0600).")
def diff(before, after, form, output):
    """Compare two runs of one job: which lines hold more or less, and what became of the whole.

    BEFORE and AFTER are a report.json, an application's folder, an event log, or a directory of them, whose newest is
    taken.

    \b
      sparkmemprof diff reports/app-20260130120000-0000 reports/app-20260131120000-0000
      sparkmemprof diff before.json after.json -o change.json
      sparkmemprof diff before.json after.json -o change.html

    HTML is the report of AFTER, whose flame graph shows what changed.

    A line is known by its UDF, file, function and text, so that it may have moved; without texts, by its number. Live
    bytes are the most that one task held.
    """
    from .diff import diff as compare

    compare(before, after, form, output)


@cli.command(short_help="Print the profiler's settings as --conf key=value.")
@click.option("--master", metavar="M", help="Where the job runs; local[*] and local-cluster[...] get -agentpath.")
@click.option(
    "--agentpath",
    metavar="PATH",
    help="Where executors have libsparkmemprof.so, or `shipped` on YARN: adds -agentpath, by which they are seen from"
    " their first allocation. One that can't load it doesn't start.",
)
def conf(master, agentpath):
    """Print the settings that put the profiler into a job, as one line of --conf key=value.

    \b
      spark-submit $(sparkmemprof conf) job.py
      spark-submit --master 'local[4]' $(sparkmemprof conf --master 'local[4]') job.py
      sparkmemprof conf | sed 's/--conf /\\n/g' >> spark-defaults.conf

    Settings of yours with the same keys (spark.jars, spark.plugins, spark.*.extraJavaOptions) are not seen by this
    command: join them by hand, or use `sparkmemprof submit`, which does.
    """
    from . import confs

    if master is not None:
        confs.check_master(master)
    click.echo(" ".join(f"--conf {key}={value}" for key, value in confs.settings(master, agentpath)))


def _show_error(message):
    first, _, rest = message.partition("\n")
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        print(f"error: {message}", file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, highlight=False, soft_wrap=True).print(
        Text.assemble(("error: ", "bold red"), (first, "bold"), f"\n{rest}" if rest else "")
    )


def main():
    """Exit status: the command's own (submit: spark-submit's); 2 for what the user can mend."""
    open_what_was_closed()
    try:
        cli(prog_name="sparkmemprof")
    except UserError as error:
        with contextlib.suppress(OSError):
            _show_error(str(error))
        end_as(2)
    except BrokenPipeError:  # click says what is wrong with the words, and nobody reads it
        end_as(2)


if __name__ == "__main__":
    main()
