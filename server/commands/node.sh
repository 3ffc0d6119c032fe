#!/bin/sh
# Starts Node.js with the options for all processes of the service; `npm start` and the other scripts in package.json
# use this file. The options return freed memory to the system, and give short-lived objects less memory than by default
# (docs/decisions/0001).
export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
exec node --max-semi-space-size=8 "$@"
