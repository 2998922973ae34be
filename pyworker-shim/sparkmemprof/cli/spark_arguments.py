"""spark-submit's arguments, read the way spark-submit reads them (SparkSubmitOptionParser), and written back."""

import os
import re

# Options that take a value; everything else with a leading dash is a switch, or an error that spark-submit reports.
_NAMES = (
    "--archives --class --conf -c --deploy-mode --driver-class-path --driver-cores --driver-default-class-path"
    " --driver-java-options --driver-library-path --driver-memory --exclude-packages --executor-cores --executor-memory"
    " --extra-properties-file --files --jars --keytab --kill --master --name --num-executors --packages --principal"
    " --properties-file --proxy-user --py-files --queue --remote --repositories --status --total-executor-cores"
)
_WITH_VALUE = frozenset(_NAMES.split())
_EQUALS = re.compile(r"(--[^=]+)=(.+)", re.DOTALL)

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_TRIMMED = "".join(map(chr, range(33)))  # by Java's String.trim


class SparkArguments:
    """`options`: [name, value] in order, value None for switches. `rest`: the application and its own arguments."""

    def __init__(self, arguments, own=()):
        """`own`: options with a value that are ours and not for spark-submit; their last values are in `own`."""
        self.options = []
        self.own = dict.fromkeys(own)
        arguments = list(arguments)
        while arguments and arguments[0].startswith("-"):
            name = arguments.pop(0)
            value = None
            equals = _EQUALS.fullmatch(name)
            if equals:
                name, value = equals.groups()
            elif (name in _WITH_VALUE or name in self.own) and arguments:
                value = arguments.pop(0)
            if name in self.own:
                self.own[name] = value
            else:
                self.options.append(["--conf" if name == "-c" else name, value])
        self.rest = arguments

    def option(self, name):
        """The last value of an option, or None."""
        values = [value for known, value in self.options if known == name]
        return values[-1] if values else None

    def conf(self, key):
        """The last --conf value of a key, or None."""
        values = [value for name, value in self._confs() if name == key]
        return values[-1] if values else None

    def set_conf(self, key, value):
        """Replaces every --conf of the key by one."""

        def names_it(name, value):
            return name == "--conf" and (value or "").partition("=")[0].strip() == key

        self.options = [option for option in self.options if not names_it(*option)]
        self.options.append(["--conf", f"{key}={value}"])

    def set_option(self, name, value):
        self.options = [option for option in self.options if option[0] != name]
        self.options.append([name, value])

    def line(self):
        words = []
        for name, value in self.options:
            words += [name] if value is None else [name, value]
        return words + self.rest

    def _confs(self):
        for name, value in self.options:
            if name == "--conf" and value and "=" in value:
                key, _, text = value.partition("=")
                yield key.strip(), text


def read_properties(path):
    """A properties file (spark-defaults.conf) as Spark reads it: java.util.Properties, values trimmed."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        text = file.read()
    entries = {}
    for line in _logical_lines(text):
        match = re.match(r"((?:\\.|[^\\ \t\f=:])+)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
        if match:
            key, value = map(_unescaped, match.groups())
            entries[key] = value.strip(_TRIMMED)
    return entries


def _logical_lines(text):
    """An odd number of backslashes at its end continues a line, but no comment."""
    begun = None
    for natural in re.split("\r\n|\r|\n", text):
        line = natural.lstrip(" \t\f")
        if begun is None and (not line or line[0] in "#!"):
            continue
        continues = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        begun = (begun or "") + (line[:-1] if continues else line)
        if not continues:
            yield begun
            begun = None
    if begun is not None:
        yield begun


def _unescaped(text):
    def character(match):
        word = match.group(1)
        return chr(int(word[1:], 16)) if len(word) > 1 else _ESCAPES.get(word, word)

    text = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", character, text, flags=re.DOTALL)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # characters of two escapes


def default_properties(arguments, spark_home, environment=os.environ):
    """The entries of the properties files that spark-submit would read; {} without one."""
    conf_folder = environment.get("SPARK_CONF_DIR") or os.path.join(spark_home, "conf")
    defaults = os.path.join(conf_folder, "spark-defaults.conf")
    chosen = arguments.option("--properties-file")
    paths = [chosen] if chosen else [defaults]
    if chosen and any(name == "--load-spark-defaults" for name, _ in arguments.options):
        paths.insert(0, defaults)
    paths += [value for name, value in arguments.options if name == "--extra-properties-file" and value]
    entries = {}
    for path in paths:
        if os.path.isfile(path):
            entries.update(read_properties(path))
    return entries
