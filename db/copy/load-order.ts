import type { Session } from '../session.ts';
import { ownSchemas, quoted } from './contents.ts';

const schemas = ownSchemas.map((name) => `'${name}'`).join(', ');

/**
 * Removes what prevents loading rows table by table, or makes it slow: foreign keys, indexes that no constraint
 * needs, triggers, and row-level security for the tables' owner.
 * @returns a function that restores all of this; foreign keys are checked then
 */
export async function dropForLoading(session: Session): Promise<() => Promise<void>> {
  const constraints = await statements(
    session,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
     from pg_constraint
     where contype = 'f' and connamespace in (select oid from pg_namespace where nspname in (${schemas})) order by 1`,
  );
  const indexes = await statements(
    session,
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as restore
     from pg_index join pg_class c on c.oid = indrelid join pg_namespace n on n.oid = relnamespace
     where nspname in (${schemas}) and not exists (select from pg_constraint where conindid = indexrelid) order by 1`,
  );
  const tables = await session.query<{ schema: string; name: string; forced: boolean }>(
    `select nspname as schema, relname as name, relforcerowsecurity as forced
     from pg_class c join pg_namespace n on n.oid = relnamespace where nspname in (${schemas}) and relkind = 'r'
     and not exists (select from pg_depend where objid = c.oid and deptype = 'e' and classid = 'pg_class'::regclass)`,
  );
  const alter = (isBefore: boolean) =>
    tables.flatMap(({ schema, name, forced }) => {
      const table = `${quoted(schema)}.${quoted(name)}`;
      return [
        `alter table ${table} ${isBefore ? 'disable' : 'enable'} trigger user`,
        ...(forced ? [`alter table ${table} ${isBefore ? 'no force' : 'force'} row level security`] : []),
      ];
    });
  const run = async (all: readonly string[]) => {
    for (const statement of all) await session.query(statement);
  };
  await run([...constraints.map(({ drop }) => drop), ...indexes.map(({ drop }) => drop), ...alter(true)]);
  return async () => {
    await run(indexes.map(({ restore }) => restore));
    // Before `alter`: a foreign key is checked by queries, which see the rows of all tenants only while the policies
    // do not apply.
    await run(constraints.map(({ restore }) => restore));
    await run(alter(false));
  };
}

interface DropAndRestore {
  drop: string;
  restore: string;
}

function statements(session: Session, query: string): Promise<DropAndRestore[]> {
  return session.query<DropAndRestore>(query);
}
