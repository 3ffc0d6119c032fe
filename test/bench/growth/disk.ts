import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import type { Workspace } from './workspace.ts';

interface TableSize {
  name: string;
  rows: number;
  heap: number;
  toast: number;
  indexes: number;
}

/** The sizes of the tables, the largest first. */
async function tableSizes({ superuser }: Deployment): Promise<TableSize[]> {
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
    'model_requests',
    'memory_shards',
    'memory_postings',
    'memory_vectors',
    'terminology_sets',
    'terminology_entries',
  ],
]);

/**
 * Prints the bytes on disk for each table and for each job.
 * @returns the bytes of a job's rows with their indexes
 */
export async function reportDisk(deployment: Deployment, print: (line: string) => void): Promise<number> {
  const tables = await tableSizes(deployment);
  print('table                        rows      heap, TOAST, indexes in bytes a row');
  for (const { name, rows, heap, toast, indexes } of tables.slice(0, 14)) {
    const each = (bytes: number) => (rows > 0 ? Math.round(bytes / rows) : 0);
    const kept = bounded.has(name) ? '' : '   never pruned';
    print(
      `${name.padEnd(22)} ${String(rows).padStart(10)}   ${each(heap)}, ${each(toast)}, ${each(indexes)}${kept}`,
    );
  }
  const indexes = await deployment.superuser<{ name: string; bytes: number }[]>`
    select i.indexrelid::regclass::text as name, pg_relation_size(i.indexrelid) / greatest(1, c.reltuples)::float8 as bytes
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indrelid in ('translation_jobs'::regclass, 'usage_records'::regclass) order by 1`;
  for (const { name, bytes } of indexes) print(`  ${name}: ${Math.round(bytes)} bytes a row`);
  const ofJobs = ['translation_jobs', 'usage_records', 'usage_day_groups'];
  const bytes = tables
    .filter(({ name }) => ofJobs.includes(name))
    .reduce((sum, { heap, toast, indexes }) => sum + heap + toast + indexes, 0);
  return bytes / deployment.sizes.jobs;
}

/** Prints how many updates since the tables were filled were HOT, which means that no index had to change. */
export async function reportHotUpdates(
  { superuser }: Deployment,
  print: (line: string) => void,
): Promise<void> {
  const rows = await superuser<{ name: string; updated: number; hot: number }[]>`
    select relname as name, n_tup_upd::float8 as updated, n_tup_hot_upd::float8 as hot from pg_stat_user_tables
    where schemaname = 'public' and n_tup_upd > 0 order by n_tup_upd desc limit 8`;
  print('HOT updates during the requests');
  for (const { name, updated, hot } of rows)
    print(
      `${name.padEnd(22)} ${String(hot).padStart(8)} of ${updated} (${((100 * hot) / updated).toFixed(0)}%)`,
    );
}

/** The number of jobs whose WAL is measured, and of those whose files are measured. */
const counted = { wal: 300, files: 5000 };

/**
 * Runs jobs, and prints what they write: WAL, HOT updates of their rows, and files.
 * @param rows the bytes of a job's rows with their indexes
 */
export async function reportWrites(
  deployment: Deployment,
  rows: number,
  print: (line: string) => void,
): Promise<void> {
  const { superuser, biggest } = deployment;
  const counters = async () => {
    const [row] = await superuser<{ wal: number; pages: number; updated: number; hot: number }[]>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, sum(n_tup_upd)::float8 as updated,
        sum(n_tup_hot_upd)::float8 as hot, (select sum(wal_fpi)::float8 from pg_stat_statements) as pages
      from pg_stat_user_tables where relname = 'translation_jobs'`;
    return row!;
  };
  const submit = (count: number) => submitPlain(biggest, count);
  await superuser`checkpoint`;
  // After a checkpoint, the first write to each page writes the complete page. The first jobs do that for the pages to
  // which all jobs of the workspace write. The number of the other complete pages is printed.
  await submit(200);
  const before = await counters();
  await submit(counted.wal);
  await superuser`select pg_stat_force_next_flush()`;
  const after = await counters();
  const updated = after.updated - before.updated;
  print(
    `a job writes ${Math.round((after.wal - before.wal) / counted.wal)} bytes of WAL, with ${((after.pages - before.pages) / counted.wal).toFixed(2)} complete pages; HOT updates of its row: ${after.hot - before.hot} of ${updated}`,
  );
  const storage = join(deployment.dataDir, 'storage');
  const empty = await filesBelow(storage);
  const lanes = 8;
  await Promise.all(Array.from({ length: lanes }, () => submit(counted.files / lanes)));
  const full = await filesBelow(storage);
  const each = (what: keyof typeof full) =>
    ((full[what] - empty[what]) / counted.files).toFixed(what === 'inodes' ? 3 : 0);
  print(
    `its stored files take ${each('inodes')} inodes, ${each('blocks')} bytes on disk, and ${each('bytes')} bytes of content (${counted.files} jobs)`,
  );
  const files = (full.blocks - empty.blocks) / counted.files;
  print(
    `in all, a job takes ${Math.round(rows + files)} bytes on disk: ${Math.round(rows)} for its rows and their indexes, and ${Math.round(files)} for its record and its line in the manifest`,
  );
}

/** Returns the number of files and directories below a directory, their bytes, and the bytes of their blocks. */
async function filesBelow(directory: string): Promise<{ inodes: number; bytes: number; blocks: number }> {
  const total = { inodes: 0, bytes: 0, blocks: 0 };
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const { size, blocks } = await stat(join(entry.parentPath, entry.name));
    total.inodes += 1;
    total.blocks += blocks * 512;
    if (entry.isFile()) total.bytes += size;
  }
  return total;
}

async function submitPlain({ address, apiKey, sources }: Workspace, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const answer = await fetch(`${address()}/api/translations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        source_text: `${n} ${sources[n % sources.length]} ${Math.random()}`,
        source_lang: 'en',
        target_lang: 'it',
      }),
    });
    if (answer.status !== 200) throw new Error(`a job answered ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}
