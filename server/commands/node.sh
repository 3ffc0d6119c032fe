#!/bin/sh
# Starts Node.js with the options of all our processes: `npm start` and the other scripts of package.json use it.
# Freed memory returns to the system, and short-lived objects get less memory than by default (docs/decisions/0001).
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
exec node --max-semi-space-size=8 "$@"
