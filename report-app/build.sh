#!/usr/bin/env bash
# Checks the app's types and bundles it:
#
#   report-app/build.sh FOLDER     app.js, app.css and app_hash.inc, in FOLDER
#
# Several builds of one checkout may call this at once: one does the work at a time.
set -euo pipefail
out=$(realpath -m "${1:?where to}")
cd "$(dirname "${BASH_SOURCE[0]}")"
exec 9>.build.lock
flock 9
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci --no-audit --no-fund --ignore-scripts
  cp package-lock.json node_modules/.installed-lock
fi
node node_modules/typescript/bin/tsc --noEmit
node build.mjs --out "$out"
