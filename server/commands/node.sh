#!/bin/sh
# Starts Node.js with the options for all processes of the service; `npm start` and the other scripts in package.json
# use this file. The options load modules fast, return freed memory to the system, and give short-lived objects less
# memory than by default (docs/decisions/0001).
version=$(node --version) || exit 1
major=${version#v}
if [ "${major%%.*}" -lt 24 ]; then
  echo "lingualoop: Node.js 24 or later is needed, and this is ${version#v}. Start it by npm (npm start, npm run admin, ...), which uses the Node.js that \"npm ci\" installs here." >&2
  exit 1
fi
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
exec node --require "$(cd "$(dirname "$0")/../platform" && pwd)/module-loading.ts" --max-semi-space-size=8 "$@"
