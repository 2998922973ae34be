#!/usr/bin/env bash
# Builds the two static libraries that Debian ships without -fPIC, from Debian's own source packages:
# protobuf-lite 3.21.12 (BSD-3-Clause) and libunwind 1.6.2 (MIT). Both end up hidden inside our shared objects.
#
#   cmake/build-third-party.sh PREFIX     installs into PREFIX (include/, lib/); does nothing when it is complete.
#
# Needs: apt (with a Debian mirror), dpkg-source, cmake, ninja, a C++ compiler, autoconf, automake, libtool.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
stamp=$prefix/.complete-1
[ -e "$stamp" ] && exit 0

work=$(mktemp -d "$prefix/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

say() { echo "third party: $*" >&2; }
quietly() { # runs a command, shows its output only if it fails
  local log=$work/log
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; say "failed: $*"; exit 1; }
}

# apt with source packages switched on, in a state of its own: the machine's apt configuration stays as it is.
apt_state=$work/apt
mkdir -p "$apt_state/lists/partial" "$apt_state/cache/archives/partial" "$apt_state/sources.d"
sed 's/^Types: deb *$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$apt_state/sources.d/source.sources" 2>/dev/null || true
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$apt_state/sources.list" 2>/dev/null || true
apt_options=(-o "Dir::Etc::sourcelist=$apt_state/sources.list" -o "Dir::Etc::sourceparts=$apt_state/sources.d"
             -o "Dir::State::lists=$apt_state/lists" -o "Dir::Cache=$apt_state/cache" -o "APT::Sandbox::User=root"
             -o "APT::Get::List-Cleanup=0")
say "reading the index of Debian's source packages"
quietly apt-get "${apt_options[@]}" update

fetch() { # NAME: unpacks Debian's source package and prints its folder
  (cd "$work" && quietly apt-get "${apt_options[@]}" source "$1") || return 1
  find "$work" -mindepth 1 -maxdepth 1 -type d -name "$1-*" | head -n 1
}

say "libunwind 1.6.2: fetching and building (about half a minute)"
source_dir=$(fetch libunwind)
cd "$source_dir"
quietly autoreconf -fi
quietly ./configure --prefix="$prefix" --libdir="$prefix/lib" --disable-shared --enable-static --with-pic --disable-tests \
  --disable-documentation --disable-minidebuginfo --disable-coredump --disable-ptrace --disable-setjmp --disable-cxx-exceptions \
  --disable-zlibdebuginfo CFLAGS="-O2 -g0 -fPIC -fvisibility=hidden"
quietly make -j"$(nproc)" -C src
quietly make install

say "protobuf-lite 3.21.12: fetching and building (about a minute)"
source_dir=$(fetch protobuf)
quietly cmake -S "$source_dir" -B "$work/protobuf" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
  -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF "${launcher[@]}"
quietly cmake --build "$work/protobuf" --target libprotobuf-lite
install -d "$prefix/lib"
install -m 644 "$work/protobuf/libprotobuf-lite.a" "$prefix/lib/libprotobuf-lite.a"

touch "$stamp"
say "installed into $prefix"
