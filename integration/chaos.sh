#!/usr/bin/env bash
# Kills Python workers and executors of real Spark applications at random moments, by SIGKILL and by the kernel for their memory,
# and holds every post-mortem against the truth. Twenty deaths are part of tests/run.sh --full.
#
#   integration/chaos.sh [--deaths 300] [--spark 4|3.5] [--results FILE]     goes on where the last call ended; see --help
#   integration/chaos.sh last-words [--deaths 20] [--spark 4|3.5]            how old the last sample is at kernel kills
#
# Memory cgroups need root; without them nothing is killed for its memory. Measure on an idle machine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/setup.sh"
script=many
if [ "${1:-}" = last-words ]; then script=last_words; shift; fi
setup_tests
own_environment
exec "$BUILD/tools/bin/python" "$PROJECT/integration/chaos/$script.py" "$@"
