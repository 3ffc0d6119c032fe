#!/bin/sh
# Runs once, when the database's volume is empty. The owner of the tables only migrates. The service's role owns nothing, so it cannot
# switch row-level security off. Neither is a superuser like the image's own user, which the service rejects.
set -eu
if [ -n "${LINGUALOOP_DB_OWNER_PASSWORD:-}" ]; then
  owner=lingualoop_owner
  psql -v ON_ERROR_STOP=1 -v password="$LINGUALOOP_DB_OWNER_PASSWORD" -U "$POSTGRES_USER" -d postgres <<'SQL'
create role lingualoop_owner login nosuperuser nobypassrls password :'password';
-- Migrations then report which session of the service they wait for.
grant pg_read_all_stats to lingualoop_owner;
SQL
else
  owner=lingualoop
fi
psql -v ON_ERROR_STOP=1 -v password="$LINGUALOOP_DB_PASSWORD" -v owner="$owner" -U "$POSTGRES_USER" -d postgres <<'SQL'
create role lingualoop login nosuperuser nobypassrls password :'password';
create database lingualoop owner :"owner";
SQL
