import type postgres from 'postgres';

/** A written row: its table, and its tenant if it has one. */
export type Written = [table: string, tenantId: string | null];

/** The tables that note calls: the use of credentials, and rates. Rejected calls may write them, too. */
const notes = new Set(['api_keys', 'credential_directory', 'rate_windows', 'tokens']);

/** Notes each row that is written from now on, in all tables of the service. */
export async function noteWrites(sql: postgres.Sql): Promise<void> {
  // Fails for a table that does not exist.
  for (const name of notes) await sql`select ${name}::regclass`;
  await sql.unsafe(`
    create table if not exists public.noted_writes (n bigserial, name text, tenant_id text);
    grant all on public.noted_writes to public;
    create or replace function public.note_write() returns trigger language plpgsql security definer as $$
    begin
      insert into public.noted_writes (name, tenant_id)
      values (tg_table_name, to_jsonb(coalesce(new, old)) ->> 'tenant_id');
      return null;
    end $$;
    do $$
    declare name text;
    begin
      for name in select c.oid::regclass::text from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relname not in ('noted_writes', 'kept_tokens', 'kept_directory')
      loop
        execute format('create trigger note_write after insert or update or delete on %s
          for each row execute function public.note_write()', name);
      end loop;
    end $$`);
}

/** Returns the rows that were written since the last call, without those that note calls. */
export async function writesSince(sql: postgres.Sql): Promise<Written[]> {
  const rows = await sql`delete from noted_writes returning name, tenant_id`;
  return rows.map(({ name, tenant_id }): Written => [name, tenant_id]).filter(([table]) => !notes.has(table));
}
