#!/usr/bin/env bash
# Builds a CPython that Debian 12 doesn't have, from Debian's source archive of it, for the tests of --full.
#
#   tools/build-cpython.sh PREFIX     installs python3.14 into PREFIX/bin, unless it is there (about four minutes on two cores)
#
# A mirror keeps an archive as long as it is current. If it can't be fetched, nothing is installed, which is no failure.
# Without optimisation by profile, which takes half an hour and changes no structure. Needs: curl, a C compiler, make, xz, and the
# development files of zlib, libffi, OpenSSL, SQLite, bzip2 and xz for the modules of those names.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
version=3.14.7
sha256=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
exec {lock}>"$prefix/.lock"
flock "$lock"
[ ! -e "$prefix/.complete" ] || exit 0

work=$(mktemp -d "$prefix/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
mirror=$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
archive=${mirror:-http://deb.debian.org/debian}/pool/main/p/python${version%.*}/python${version%.*}_$version.orig.tar.xz
curl --fail --silent --show-error --location --max-time 300 -o "$work/source.tar.xz" "$archive" ||
  { echo "could not fetch $archive"; exit 0; }
echo "$sha256  $work/source.tar.xz" | sha256sum --check --quiet
tar -C "$work" -xf "$work/source.tar.xz"
cd "$work"/*/
./configure --prefix="$prefix"
make -j"$(nproc)"
make altinstall
"$prefix/bin/python3.14" -c 'import bz2, ctypes, ensurepip, lzma, sqlite3, ssl, zlib'
touch "$prefix/.complete"
