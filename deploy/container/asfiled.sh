#!/bin/sh
# The command line in a container. The password of DATABASE_URL may be a file of its own (DATABASE_PASSWORD_FILE), so that no
# `inspect` shows it: both drivers of PostgreSQL read it from PGPASSWORD. `exec`, so that signals reach the command and its exit code is the container's.
set -eu
if [ -n "${DATABASE_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$DATABASE_PASSWORD_FILE")
  export PGPASSWORD
fi
exec bun --config=/app/bunfig.toml --no-env-file /app/src/cli.ts "$@"
