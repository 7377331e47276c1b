#!/bin/sh
# PostgreSQL 15 for compose.yaml: makes its database at the first start, with the password of the secret, and then runs it.
set -eu
bin=/usr/lib/postgresql/15/bin
cluster=/data/cluster
if [ ! -f "$cluster/PG_VERSION" ]; then
  # Made in a draft folder that is renamed at the end, so that a first start that is killed leaves no half-made database.
  rm -rf /data/draft
  "$bin/initdb" --pgdata=/data/draft --username=asfiled --pwfile="${PASSWORD_FILE:-/run/secrets/database-password}" \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-instructions
  echo 'host all all all scram-sha-256' >>/data/draft/pg_hba.conf
  # This server listens on no network address. It only makes the database.
  echo 'create database asfiled;' | "$bin/postgres" --single -D /data/draft postgres >/dev/null
  sync
  mv /data/draft "$cluster"
fi
exec "$bin/postgres" -D "$cluster" -c listen_addresses='*' -c unix_socket_directories= -c log_min_messages=warning \
  -c max_connections="${MAX_CONNECTIONS:-200}" -c shared_buffers="${SHARED_BUFFERS:-256MB}" -c max_wal_size=2GB "$@"
