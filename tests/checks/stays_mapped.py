"""A library that its process never unmaps (-z nodelete): reads the dynamic section of what was built.

stays_mapped.py LIBRARY --readelf READELF
"""

import argparse
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--readelf", default="readelf")
    options = parser.parse_args()
    dynamic = subprocess.run(
        [options.readelf, "--dynamic", "--wide", options.library], capture_output=True, text=True, check=True
    ).stdout
    if not re.search(r"\(FLAGS_1\).*\bNODELETE\b", dynamic):
        sys.exit(f"{options.library} may be unmapped under the threads that run in it: link it with -Wl,-z,nodelete")


if __name__ == "__main__":
    main()
