import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Side } from './side.ts';

interface TableSize {
  name: string;
  rows: number;
  heap: number;
  toast: number;
  indexes: number;
}

/** The sizes of the tables, the largest first. */
async function tableSizes({ superuser }: Side): Promise<TableSize[]> {
  return superuser<TableSize[]>`
    select relname as name, greatest(reltuples, 0)::float8 as rows, pg_relation_size(oid)::float8 as heap,
      (pg_table_size(oid) - pg_relation_size(oid))::float8 as toast, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc`;
}

/** Tables whose rows are deleted when they expire, or when the row to which they belong is deleted. */
const bounded = new Set([
  ...['tokens', 'credential_directory', 'mfa_challenges', 'reset_links', 'sso_states', 'rate_windows'],
  ...['payment_events', 'worker_heartbeats', 'memory_contents', 'memory_sets', 'memory_segments'],
  ...[
    'maintenance_runs',
    'memory_shards',
    'memory_postings',
    'memory_vectors',
    'terminology_sets',
    'terminology_entries',
  ],
]);

/** Prints the bytes on disk for each table and for each job. */
export async function reportDisk(side: Side, print: (line: string) => void): Promise<void> {
  const tables = await tableSizes(side);
  print('table                        rows      heap, TOAST, indexes in bytes a row');
  for (const { name, rows, heap, toast, indexes } of tables.slice(0, 14)) {
    const each = (bytes: number) => (rows > 0 ? Math.round(bytes / rows) : 0);
    const kept = bounded.has(name) ? '' : '   never pruned';
    print(
      `${name.padEnd(22)} ${String(rows).padStart(10)}   ${each(heap)}, ${each(toast)}, ${each(indexes)}${kept}`,
    );
  }
}

/** Runs jobs over one connection, and prints what they write: WAL, HOT updates, and the files of published records. */
export async function reportWrites(side: Side, print: (line: string) => void): Promise<void> {
  const { superuser, tenantId } = side;
  const jobs = 300;
  const counters = async () => {
    const [row] = await superuser<{ wal: number; updated: number; hot: number }[]>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, sum(n_tup_upd)::float8 as updated,
        sum(n_tup_hot_upd)::float8 as hot
      from pg_stat_user_tables where relname = 'translation_jobs'`;
    return row!;
  };
  await superuser`checkpoint`;
  // After a checkpoint, the first write to each page writes the complete page. This is a cost of the checkpoint and not
  // of a job, so it is not measured.
  await submitPlain(side, 200);
  const before = await counters();
  await submitPlain(side, jobs);
  await superuser`select pg_stat_force_next_flush()`;
  const after = await counters();
  const files = join(side.dataDir, 'storage', tenantId, 'golden');
  const found = await readdir(files).catch(() => []);
  const sizes = await Promise.all(found.slice(0, 300).map((name) => stat(join(files, name))));
  const blocks = sizes.reduce((sum, { blocks }) => sum + blocks * 512, 0) / Math.max(1, sizes.length);
  print(
    `a job writes ${Math.round((after.wal - before.wal) / jobs)} bytes of WAL; HOT updates of its row: ${after.hot - before.hot} of ${after.updated - before.updated}; its golden record takes ${Math.round(blocks)} bytes and one inode`,
  );
}

async function submitPlain(side: Side, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const answer = await fetch(`${side.address()}/api/translations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': side.apiKey },
      body: JSON.stringify({
        source_text: `${n} ${side.sources[n % side.sources.length]} ${Math.random()}`,
        source_lang: 'en',
        target_lang: 'it',
      }),
    });
    if (answer.status !== 200) throw new Error(`a job answered ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}
