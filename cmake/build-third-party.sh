#!/usr/bin/env bash
# Builds the static libraries that Debian ships without -fPIC or not at all, from Debian's own source packages: protobuf-lite
# 3.21.12 (BSD-3-Clause), libunwind 1.6.2 (MIT), zlib and minizip's reader (zlib licence), libbacktrace (BSD-3-Clause) as gdb
# 13.1 carries it (nothing else of gdb is used), and of zstd (BSD-3-Clause), lz4 and liblzf (BSD-2-Clause) and snappy (BSD-3-Clause)
# what decompresses, and fmt (MIT). All end up hidden inside our shared objects.
#
#   cmake/build-third-party.sh PREFIX     installs into PREFIX (include/, lib/), unless that is complete.
#
# PREFIX holds the hashes of this file and of the patches (cmake/ThirdParty.cmake, tools/setup.sh), so that a change makes another.
#
# Needs: apt (with a Debian mirror), dpkg-source, patch, cmake, ninja, a C++ compiler, autoconf, automake, libtool.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec {lock}>"$prefix/.lock"
flock "$lock"
[ ! -e "$prefix/.complete" ] || exit 0

work=$(mktemp -d "$prefix/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

say() { echo "third party: $*" >&2; }
quietly() { # runs a command, shows its output only if it fails
  local log=$work/log.$BASHPID
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

# download NAME [OPTION]: Debian's source package, unpacked unless the option says otherwise. A mirror's index may name a version whose
# files it does not hold (yet): then the next older one of the index.
download() {
  local name=$1 versions version log=$work/log.$BASHPID
  shift
  versions=$(apt-cache "${apt_options[@]}" showsrc --only-source "$name" | sed -n 's/^Version: //p' | sort -Vru)
  for version in $versions; do
    (cd "$work" && apt-get "${apt_options[@]}" source "$@" "$name=$version") >"$log" 2>&1 && return 0
    say "the mirror does not give $name $version"
  done
  tail -n 40 "$log" >&2 || true
  say "failed: no source package $name; 'apt-get source $name' shows why"
  return 1
}

fetch() { # NAME: unpacks Debian's source package and prints its folder
  download "$1" || return 1
  find "$work" -mindepth 1 -maxdepth 1 -type d -name "$1-*" | head -n 1
}

# The patch asks the kernel whether an address can be read without a pipe: the program may close our descriptors, and have files of its
# own under their numbers.
build_libunwind() {
  say "libunwind 1.6.2: fetching and building (about half a minute)"
  source_dir=$(fetch libunwind)
  quietly patch -p1 -d "$source_dir" -i "$here/libunwind-no-descriptors.patch"
  cd "$source_dir"
  quietly autoreconf -fi
  quietly ./configure --prefix="$prefix" --libdir="$prefix/lib" --disable-shared --enable-static --with-pic --disable-tests \
    --disable-documentation --disable-minidebuginfo --disable-coredump --disable-ptrace --disable-setjmp --disable-cxx-exceptions \
    --disable-zlibdebuginfo CFLAGS="-O2 -g0 -fPIC -fvisibility=hidden"
  quietly make -j"$(nproc)" -C src
  quietly make install
}

build_protobuf() {
  say "protobuf-lite 3.21.12: fetching and building (about a minute)"
  source_dir=$(fetch protobuf)
  quietly cmake -S "$source_dir" -B "$work/protobuf" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF "${launcher[@]}"
  quietly cmake --build "$work/protobuf" --target libprotobuf-lite
  install -d "$prefix/lib"
  install -m 644 "$work/protobuf/libprotobuf-lite.a" "$prefix/lib/libprotobuf-lite.a"
}

# Its own allocator is left out: common/symbols/debug_lines.cc has one that gives back what was read. The patch keeps damaged
# files from making it call itself without end.
build_libbacktrace() {
  say "libbacktrace of gdb 13.1: fetching and building (about a quarter of a minute)"
  download gdb --download-only
  local top=gdb-13.1
  tar -C "$work" -xf "$work"/gdb_13.1.orig.tar.xz $top/{libbacktrace,include,config,config.guess,config.sub,config-ml.in,install-sh,ltmain.sh,missing,depcomp,compile}
  quietly patch -p1 -d "$work/$top" -i "$here/libbacktrace-bounded-depth.patch"
  cd "$work/$top/libbacktrace"
  quietly ./configure --disable-shared --enable-static --with-pic CFLAGS="-O2 -g0 -fPIC -fvisibility=hidden"
  quietly make libbacktrace.la
  quietly ar d .libs/libbacktrace.a mmap.o
  install -D -m 644 -t "$prefix/lib" .libs/libbacktrace.a
  install -D -m 644 -t "$prefix/include/libbacktrace" backtrace.h internal.h
}

build_zlib_and_minizip() {
  say "zlib and minizip's reader: fetching and building (about a quarter of a minute)"
  local zlib minizip flags=(-O2 -g0 -fPIC -fvisibility=hidden)
  zlib=$(fetch zlib)
  minizip=$(fetch minizip)
  cd "$zlib"
  CFLAGS="${flags[*]}" quietly ./configure --static
  quietly make libz.a
  install -D -m 644 -t "$prefix/lib" libz.a
  install -D -m 644 -t "$prefix/include" zlib.h zconf.h
  cd "$minizip"
  quietly cc "${flags[@]}" -I"$zlib" -c unzip.c ioapi.c
  quietly ar rcs "$prefix/lib/libminizip-reader.a" unzip.o ioapi.o
  install -D -m 644 -t "$prefix/include/minizip" unzip.h ioapi.h
}

build_decompressors() {
  say "zstd, lz4, snappy and liblzf: fetching and building (about half a minute)"
  local zstd lz4 snappy flags=(-O2 -g0 -fPIC -fvisibility=hidden)
  zstd=$(fetch libzstd)
  cd "$zstd/lib"
  quietly cc "${flags[@]}" -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DZSTD_STRIP_ERROR_STRINGS -DXXH_NAMESPACE=ZSTD_ -c common/*.c decompress/*.c
  quietly ar rcs "$prefix/lib/libzstd-decoder.a" ./*.o
  install -D -m 644 -t "$prefix/include" zstd.h zstd_errors.h
  lz4=$(fetch lz4)
  cd "$lz4/lib"
  quietly cc "${flags[@]}" -c lz4.c
  quietly ar rcs "$prefix/lib/liblz4-block.a" lz4.o
  install -D -m 644 -t "$prefix/include" lz4.h
  snappy=$(fetch snappy)
  # CMake only looks at the machine here: Debian's rules for the library itself need make.
  quietly cmake -S "$snappy" -B "$work/snappy-build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DSNAPPY_BUILD_TESTS=OFF \
    -DSNAPPY_BUILD_BENCHMARKS=OFF
  cd "$snappy"
  quietly c++ "${flags[@]}" -DNDEBUG -DHAVE_CONFIG_H -I. -I"$work/snappy-build" -c snappy.cc snappy-c.cc snappy-sinksource.cc snappy-stubs-internal.cc
  quietly ar rcs "$prefix/lib/libsnappy.a" snappy.o snappy-c.o snappy-sinksource.o snappy-stubs-internal.o
  install -D -m 644 -t "$prefix/include" snappy-c.h
  download liblzf --tar-only # Debian changes nothing of what is used
  tar -C "$work" -xf "$work"/liblzf_*.orig.tar.gz
  cd "$work"/liblzf-*/
  quietly cc "${flags[@]}" -I. -c lzf_d.c
  quietly ar rcs "$prefix/lib/liblzf-decoder.a" lzf_d.o
  install -D -m 644 -t "$prefix/include" lzf.h
}

# Of the version whose headers Debian's libfmt-dev has. Header-only, each file that includes fmt takes four times as long to compile.
build_fmt() {
  say "fmt: fetching and building (about a quarter of a minute)"
  local fmt
  fmt=$(fetch fmtlib)
  cd "$fmt"
  quietly c++ -std=c++20 -O2 -g0 -DNDEBUG -fPIC -fvisibility=hidden -Iinclude -c src/format.cc
  quietly ar rcs "$prefix/lib/libfmt.a" format.o
}

# All at once: most of the time one of them waits for a download or for its configure script.
builds=()
for library in libunwind protobuf libbacktrace zlib_and_minizip decompressors fmt; do
  "build_$library" &
  builds+=($!)
done
for build in "${builds[@]}"; do
  wait "$build" || { kill "${builds[@]}" 2>/dev/null; wait; exit 1; }
done
touch "$prefix/.complete"
say "installed into $prefix"
