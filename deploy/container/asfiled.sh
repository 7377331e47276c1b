#!/bin/sh
# The command line in a container. `exec`, so that signals reach it and its exit code is the container's.
exec bun --config=/app/bunfig.toml --no-env-file /app/src/cli.ts "$@"
