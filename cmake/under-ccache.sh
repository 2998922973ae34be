#!/bin/sh
# under-ccache.sh CHECKOUT CCACHE COMPILER ARGUMENT…: runs the compiler under ccache.
#
# CHECKOUT: paths below it are hashed as relative ones, so another clone finds what this one compiled.
# A precompiled header from the build before is removed first. ccache's preprocessor would read it instead of the headers that have
# changed since, and find the result of another day.
for argument; do
  case $argument in *.gch) rm -f "$argument" ;; esac
done
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros # as precompiled headers want it; nothing here uses those macros
shift
exec "$@"
