#!/bin/sh
# Runs once, when the database's volume is empty. The service's role owns its database and is no superuser: the
# image's own user is one, which row-level security would not bind, and which the service refuses.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$LINGUALOOP_DB_PASSWORD" -U "$POSTGRES_USER" -d postgres <<'SQL'
create role lingualoop login nosuperuser nobypassrls password :'password';
create database lingualoop owner lingualoop;
SQL
