import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../bench.ts';
import { submitText } from '../service.ts';
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

/**
 * Reports the bytes on disk of a row in each of the largest tables.
 * @returns the bytes of a job's rows with their indexes
 */
export async function reportDisk(run: Run, deployment: Deployment): Promise<number> {
  const tables = await tableSizes(deployment);
  for (const { name, rows, heap, toast, indexes } of tables.slice(0, 14)) {
    const each = (bytes: number) => (rows > 0 ? Math.round(bytes / rows) : 0);
    run.figure(`${name}: heap, TOAST and indexes`, each(heap + toast + indexes), 'bytes a row');
    run.note(`  ${each(heap)}, ${each(toast)}, ${each(indexes)}`);
  }
  const ofJobs = ['translation_jobs', 'usage_records', 'usage_day_groups'];
  const bytes = tables
    .filter(({ name }) => ofJobs.includes(name))
    .reduce((sum, { heap, toast, indexes }) => sum + heap + toast + indexes, 0);
  return bytes / deployment.sizes.jobs;
}

/** The number of jobs whose WAL is measured, and of those whose files are measured. */
const counted = { wal: 300, files: 5000 };

/**
 * Runs jobs, and reports what they write: WAL, and files.
 * @param rows the bytes of a job's rows with their indexes
 */
export async function reportWrites(run: Run, deployment: Deployment, rows: number): Promise<void> {
  const { superuser, biggest } = deployment;
  const wal = async () => {
    const [row] = await superuser<{ wal: number }[]>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`;
    return row!.wal;
  };
  const submit = (count: number) => submitPlain(biggest, count);
  await superuser`checkpoint`;
  // After a checkpoint, the first write to each page writes the complete page. The first jobs do that for the pages to
  // which all jobs of the workspace write.
  await submit(200);
  const before = await wal();
  await submit(counted.wal);
  run.figure('a job: WAL', ((await wal()) - before) / counted.wal, 'bytes');
  const storage = join(deployment.dataDir, 'storage');
  const empty = await filesBelow(storage);
  const lanes = 8;
  await Promise.all(Array.from({ length: lanes }, () => submit(counted.files / lanes)));
  const full = await filesBelow(storage);
  const files = (full.blocks - empty.blocks) / counted.files;
  run.figure('a job: inodes', (full.inodes - empty.inodes) / counted.files, '');
  run.figure('a job: rows with their indexes', rows, 'bytes');
  run.figure('a job: record and its line in the manifest', files, 'bytes');
  run.figure('a job: in all', rows + files, 'bytes', { most: 4000 });
}

/** Returns the number of files and directories below a directory, and the bytes of their blocks. */
async function filesBelow(directory: string): Promise<{ inodes: number; blocks: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  let blocks = 0;
  for (const entry of entries) blocks += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
  return { inodes: entries.length, blocks };
}

async function submitPlain({ address, apiKey, sources }: Workspace, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await submitText(
      { address: address(), apiKey },
      {
        source_text: `${n} ${sources[n % sources.length]} ${Math.random()}`,
        source_lang: 'en',
        target_lang: 'it',
      },
    );
}
