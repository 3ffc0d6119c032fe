/*
 * The service runs with a role that owns nothing: it reads and writes rows, and policies bind it. It cannot switch
 * policies off, change tables, or become the owner, whatever SQL an attacker might bring into one of its connections. The
 * owner of the tables connects only to migrate (docs/decisions/0132).
 */

/** Runs a statement in a session, and returns its rows. */
export type Query = <Row extends object>(text: string, values?: string[]) => Promise<Row[]>;

/** The statements that give a role its rights, as far as it lacks them. Parameter: the role. */
const missingGrants = `
  with owner as (select relowner as role from pg_class c join pg_namespace n on n.oid = relnamespace
      where (nspname, relname) = ('drizzle', '__drizzle_migrations')),
    -- Only the owner of a table can give rights on it. Extensions and operators may have others in these schemas.
    parts as (select c.oid, nspname, relname, relkind, relispartition, relrowsecurity
      from pg_class c join pg_namespace n on n.oid = relnamespace join owner on owner.role = relowner
      where nspname in ('public', 'graphile_worker')),
    journals as (select c.oid from pg_class c join pg_namespace n on n.oid = relnamespace
      where (nspname, relname) in (('drizzle', '__drizzle_migrations'), ('graphile_worker', 'migrations'))),
    wanted as (
      select format('grant usage on schema %I to %I', nspname, $1::text) as statement,
        has_schema_privilege($1::text, oid, 'usage') as is_granted
      from pg_namespace where nspname in ('public', 'graphile_worker', 'drizzle')
      union all
      -- A partition has no policy, so it is only reached through its table.
      select format('grant select, insert, update, delete on %I.%I to %I', nspname, relname, $1::text),
        has_table_privilege($1::text, oid, 'select') and has_table_privilege($1::text, oid, 'insert')
          and has_table_privilege($1::text, oid, 'update') and has_table_privilege($1::text, oid, 'delete')
      from parts where relkind in ('r', 'p', 'v') and not relispartition and oid not in (select oid from journals)
      union all
      select format('grant select on %s to %I', oid::regclass, $1::text), has_table_privilege($1::text, oid, 'select')
      from journals
      union all
      select format('grant usage, select on sequence %I.%I to %I', nspname, relname, $1::text),
        has_sequence_privilege($1::text, oid, 'usage') and has_sequence_privilege($1::text, oid, 'select')
      from parts where relkind = 'S'
      union all
      select format('grant execute on function %s to %I', p.oid::regprocedure, $1::text),
        has_function_privilege($1::text, p.oid, 'execute')
      from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname in ('public', 'graphile_worker') and prokind = 'f' and p.proowner = current_user::regrole
      union all
      -- graphile-worker switches row-level security on without a policy, so that only the owner sees its rows.
      select format('create policy lingualoop_service on %I.%I using (true) with check (true)', nspname, relname),
        exists (select from pg_policy where polrelid = parts.oid)
      from parts where nspname = 'graphile_worker' and relkind in ('r', 'p') and relrowsecurity
      union all
      -- A temporary table could shadow one of the service.
      select format('revoke create, temporary on database %I from public', datname),
        not has_database_privilege($1::text, oid, 'temporary')
      from pg_database where datname = current_database() and datdba = current_user::regrole
      union all
      -- Databases that were created by PostgreSQL 14 let every role create tables there.
      select 'revoke create on schema public from public', not has_schema_privilege($1::text, oid, 'create')
      from pg_namespace where nspname = 'public' and pg_has_role(nspowner, 'usage'))
  select statement from wanted where not is_granted`;

/**
 * Gives the service's role the rights that it needs. Run it as the owner after each migration, under the migration lock;
 * it may run any number of times, and changes nothing if the role has them.
 * @throws Error if the role does not exist, or could still act as the owner
 */
export async function grantToService(query: Query, role: string): Promise<void> {
  await refuseOwner(query, role);
  for (const { statement } of await query<{ statement: string }>(missingGrants, [role]))
    await query(statement);
}

/** Whether the role of this connection lacks rights that `grantToService` gives. */
export async function lacksGrants(query: Query): Promise<boolean> {
  const [self] = await query<{ role: string }>('select current_user as role');
  return (await query(missingGrants, [self?.role ?? ''])).length > 0;
}

/** @throws Error if the role is missing, bypasses policies, creates roles, or is a member of the owner */
async function refuseOwner(query: Query, role: string): Promise<void> {
  const [found] = await query<{ unbound: boolean; member: boolean; owner: string }>(
    `select rolsuper or rolbypassrls or rolcreaterole as unbound,
      pg_has_role(oid, current_user::regrole, 'member') as member, current_user as owner
    from pg_roles where rolname = $1::text`,
    [role],
  );
  if (!found) throw new Error(`the role "${role}" of DATABASE_URL does not exist (docs/installing.md)`);
  if (found.unbound)
    throw new Error(
      `the role "${role}" of DATABASE_URL must be neither superuser nor BYPASSRLS nor CREATEROLE: alter role "${role}" nosuperuser nobypassrls nocreaterole`,
    );
  if (found.member)
    throw new Error(
      `the role "${role}" of DATABASE_URL is a member of "${found.owner}", which owns the tables, and could switch policies off: revoke "${found.owner}" from "${role}"`,
    );
}

/** Whether the role of this connection may create tables, so that it can migrate. */
export async function mayMigrate(query: Query): Promise<boolean> {
  const [found] = await query<{ may: boolean }>(
    `select has_database_privilege(current_database(), 'create') as may`,
  );
  return found?.may === true;
}

/** Whether the role of this connection may read which migrations the database has. */
export async function mayReadJournal(query: Query): Promise<boolean> {
  const found = await query(`
    select 1 as one from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = 'drizzle' and relname = '__drizzle_migrations'
      and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')`);
  return found.length > 0;
}
