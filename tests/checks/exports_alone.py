"""A library that shows one symbol of its own alone: reads the dynamic symbols of what was built.

exports_alone.py LIBRARY SYMBOL --nm NM
"""

import argparse
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("symbol")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()
    command = [options.nm, "--dynamic", "--defined-only", "--format=posix", options.library]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = [line.split()[0].partition("@")[0] for line in symbols.splitlines()]
    if names != [options.symbol]:
        sys.exit(f"{options.library} shows {names}, not {options.symbol} alone")


if __name__ == "__main__":
    main()
