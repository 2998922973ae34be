"""Which lines of the program built a DataFrame. Spark is lazy: the line that asks for rows is rarely the one that says
what has to be done for them.

Behind each DataFrame of PySpark's is an object of the JVM's. The places are kept at Py4J's proxy of that object, and
handed on to what is made of it. Standard library only; pure but for those proxies.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

# Methods whose result is another DataFrame, or a grouping that one is made of. `count` of a grouping is among the
# actions, because a Dataset has it, too.
_STEPS = {
    "Dataset": "agg as coalesce crossJoin cube describe distinct drop dropDuplicates dropDuplicatesWithinWatermark "
    "except exceptAll exists filter groupBy groupingSets hint intersect intersectAll join joinAsOf lateralJoin limit "
    "mapInArrow mapInPandas nearestByJoin observe offset pythonMapInArrow repartition repartitionById "
    "repartitionByRange rollup sample scalar select selectExpr sort sortWithinPartitions summary to toDF toJSON union "
    "unionByName unpivot unpivotWithSeq withColumn withColumnRenamed withColumns withColumnsRenamed withMetadata "
    "withSequenceColumn withWatermark zip zipWithIndex",
    "DataFrameNaFunctions": "drop fill replace",
    "DataFrameStatFunctions": "sampleBy",
    "RelationalGroupedDataset": "agg applyInPandasWithState avg flatMapCoGroupsInArrow flatMapCoGroupsInPandas "
    "flatMapGroupsInArrow flatMapGroupsInPandas max mean min sum transformWithStateInPandas "
    "transformWithStateInPySpark",
    "SparkSession": "applySchemaToPythonRDD range table",  # the beginnings
    "DataFrameReader": "changes table",  # its other methods are among the actions
    "Observation": "on",
    "Transformer": "transform",  # a model of MLlib's
}
# What hands a DataFrame on and adds nothing to it.
_CARRIERS = {
    "Dataset": "mergeInto na stat write writeTo",
    "DataFrameWriter": "bucketBy clusterBy format mode option options partitionBy sortBy",
    "DataFrameWriterV2": "clusterBy option options partitionedBy tableProperty using",
    "MergeIntoWriter": "delete insert insertAll update updateAll whenMatched whenNotMatched whenNotMatchedBySource "
    "withSchemaEvolution",
}
# Of the program's functions in PySpark, those that cut a DataFrame for themselves.
_TAKING = frozenset(["first", "head", "take"])
STEPS = frozenset(name for names in _STEPS.values() for name in names.split())
CARRIERS = frozenset(name for names in _CARRIERS.values() for name in names.split())
# Static methods of the JVM's.
STATIC_STEPS = frozenset(["broadcast", "csvFromDataFrame", "jsonFromDataFrame", "toDataFrame", "xmlFromDataFrame"])
MOST_PLACES = 16
_ATTRIBUTE = "_sparkmemprof_built_at"
_moments = itertools.count()

# "file:line" of the program, and when the newest step there was made.
Places = dict[str, int]


def of(proxies: Iterable[Any]) -> Places:
    """Where the objects of these proxies were built. What isn't a proxy was built nowhere."""
    found: Places = {}
    for proxy in proxies:
        for place, moment in getattr(proxy, "__dict__", {}).get(_ATTRIBUTE, {}).items():
            found[place] = max(moment, found.get(place, moment))
    return found


def keep(answer: Any, place: str | None, before: Places) -> None:
    """Notes at the proxy of a new object where it was made, if that is a line of the program, and where that was built
    which it was made of: the newest MOST_PLACES places."""
    if not hasattr(type(answer), "_get_object_id"):
        return
    places = before if place is None or "\n" in place else {**before, place: next(_moments)}
    vars(answer)[_ATTRIBUTE] = {each: places[each] for each in _newest_first(places)[:MOST_PLACES]}


def place_of(method: str, site: str | None, before: Places) -> str | None:
    """The place of a step that this method of the JVM's makes, "file:line"; None: it adds none. `site`: "function at
    file:line", with the function of PySpark's that the program has called."""
    if site is None or method in CARRIERS:
        return None
    function, place = site.split(" at ", 1)
    if method == "limit" and function in _TAKING:
        return None
    if method == "as" and not before:
        return None  # a column has another name
    return place


def text_of(places: Places, site: str | None, most_bytes: int = 1000) -> str:
    """For the jobs of an action at that site: its own place, and below it files with their lines, "file:3,17", the
    oldest step first; the oldest ones are left out where there is no room. "": it has none."""
    if not places or site is None:
        return ""
    own = site.split(" at ", 1)[1]
    newest = _newest_first(places)[:MOST_PLACES]
    while newest:
        text = "\n".join([own, *_by_file(reversed(newest))])
        if len(text.encode()) <= most_bytes:
            return text
        newest.pop()
    return ""


def _by_file(places: Iterable[str]) -> Iterator[str]:
    """ "file:3,17" of neighbours in one file."""
    for file, group in itertools.groupby((place.rpartition(":") for place in places), key=lambda parts: parts[0]):
        yield f"{file}:{','.join(line for *_, line in group)}"


def _newest_first(places: Places) -> list[str]:
    return sorted(places, key=places.__getitem__, reverse=True)
