"""The browser app's types (model.ts, model/) are those of docs/report.schema.json: names, optional keys and nulls."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "report-app/src"
MODEL = "\n".join(path.read_text() for path in [*sorted(SOURCES.glob("model/*.ts")), SOURCES / "model.ts"])
# The library writes these for every report that reaches a page; reports of older versions lack them.
WORDS = {
    *("verdict", "counterGroups", "limitPhrase", "tone", "title", "stackTitle", "phrase", "lead", "place", "paths"),
    *("which", "builtAtPhrase"),
}
TOKEN = re.compile(r"'[^']*'|\w+|\[\]|[{}()\[\]<>?:;,|&=]")


class Types:
    """The exported types of a file, as ("object", {key: (optional, type)}), ("list", type), ("map", type),
    ("one of", types), ("name", name), ("null",) or ("plain",)."""

    def __init__(self, source):
        source = re.sub(r"//[^\n]*", "", source)
        self.named, self.parents = {}, {}
        for name, rest in re.findall(
            r"^export (?:interface|type) (\w+)(.*?)(?<=[};])\n(?=\n|export|$)", source, re.M | re.S
        ):
            self.tokens = TOKEN.findall(rest.rstrip(";"))
            self.has("=")
            if self.has("extends"):
                self.parents[name] = [self.take()]
                while self.has(","):
                    self.parents[name].append(self.take())
            self.named[name] = self.one_of()

    def take(self, expected=None):
        token = self.tokens.pop(0)
        assert expected in (None, token), f"{token!r} where {expected!r} was expected"
        return token

    def has(self, token):
        return bool(self.tokens) and self.tokens[0] == token and bool(self.tokens.pop(0))

    def one_of(self):
        self.has("|")
        types = [self.every()]
        while self.has("|"):
            types.append(self.every())
        return types[0] if len(types) == 1 else ("one of", types)

    def every(self):
        whole = self.listed()
        while self.has("&"):  # with a Record, whose keys have words of their own
            assert self.listed()[0] == "map"
        return whole

    def listed(self):
        found = self.single()
        while self.has("[]"):
            found = ("list", found)
        return found

    def single(self):
        token = self.take()
        if token == "(":
            inner = self.one_of()
            self.take(")")
            return inner
        if token == "{":
            members = {}
            while not self.has("}"):
                key, optional = self.take(), self.has("?")
                self.take(":")
                members[key] = (optional, self.one_of())
                self.has(";")
            return ("object", members)
        if token == "[":  # a tuple: a list, of what doesn't matter
            while self.take() != "]":
                pass
            return ("list", ("plain",))
        if token == "Record":
            self.take("<")
            self.take()
            self.take(",")
            value = self.one_of()
            self.take(">")
            return ("map", value)
        return ("null",) if token == "null" else ("name", token)

    def resolve(self, found):
        """Without names, and whether it may be null."""
        null = False
        while found[0] in ("name", "one of"):
            if found[0] == "name":
                if found[1] not in self.named:
                    return ("plain",), null
                if found[1] in self.parents:
                    return ("object", self.members(found[1])), null
                found = self.named[found[1]]
            else:
                others = [one for one in found[1] if one != ("null",)]
                null = null or len(others) < len(found[1])
                found = others[0] if len(others) == 1 else ("plain",)
        return found, null

    def members(self, name):
        inherited = [self.members(parent) for parent in self.parents.get(name, [])]
        return {key: member for part in [*inherited, self.named[name][1]] for key, member in part.items()}


def compare(types, found, schema, node, path):
    """What differs, a sentence each."""
    found, null = types.resolve(found)
    nodes, keys, required, may_be_null = [node], {}, set(), False
    for part in nodes:  # with all it refers to
        keys.update(part.get("properties", {}))
        required |= set(part.get("required", []))
        may_be_null |= "null" in part.get("type", "") or None in part.get("enum", [])
        nodes += part.get("allOf", []) + part.get("oneOf", [])
        if "$ref" in part:
            nodes.append(schema["$defs"][part["$ref"].removeprefix("#/$defs/")])
    if null != may_be_null:
        yield f"{path}: null in {'model.ts' if null else 'the schema'} alone"
    if (found[0] == "list") != any("array" in part.get("type", "") for part in nodes):
        yield f"{path}: a list in {'model.ts' if found[0] == 'list' else 'the schema'} alone"
    elif found[0] == "list":
        for items in [part["items"] for part in nodes if "items" in part]:
            yield from compare(types, found[1], schema, items, path + "[]")
    elif found[0] == "object":
        for key in sorted({*keys, *found[1]}):
            if key not in keys or key not in found[1]:
                yield f"{path}.{key}: in {'model.ts' if key in found[1] else 'the schema'} alone"
                continue
            optional, member = found[1][key]
            if optional != (key not in required) and key not in WORDS:
                yield f"{path}.{key}: optional in {'model.ts' if optional else 'the schema'} alone"
            yield from compare(types, member, schema, keys[key], f"{path}.{key}")
    elif keys and found[0] == "plain":
        yield f"{path}: an object in the schema alone"


def differences(source):
    schema = json.loads((ROOT / "docs/report.schema.json").read_text())
    return list(compare(Types(source), ("name", "Report"), schema, schema, "Report"))


def test_browser_app_has_the_schemas_types():
    wrong = differences(MODEL)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("cutShort: boolean", "cut: boolean", "Report.executors[].nearlyFullHeap.cutShort: in the schema alone"),
        ("partialTasks?:", "partialTasks:", "Report.stages[].partialTasks: optional in the schema alone"),
        (
            "budgetBytes: Bytes;",
            "budgetBytes: number;",
            "Report.executors[].regions[].budgetBytes: null in the schema alone",
        ),
        ("peakRows: Row[]", "peakRows: Row", "Report.executors[].processes[].peakRows: a list in the schema alone"),
    ],
)
def test_a_difference_names_its_field(before, after, field):
    source = MODEL
    assert before in source
    assert field in differences(source.replace(before, after))
