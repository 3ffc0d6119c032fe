import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { TaskName } from './job-queue.ts';

/**
 * Records that a recurring task, a backup or the verification of a backup has completed now. Metrics report the age of the record, which outlives
 * the process. Platform scope.
 * @param everySeconds seconds between two runs; null if the operator decides when it runs
 */
export async function recordMaintenance(
  tx: Tx,
  name: TaskName | 'backup' | 'verify_backup',
  everySeconds: number | null,
): Promise<void> {
  await tx.execute(sql`
    insert into maintenance_runs (name, finished_at, every_seconds) values (${name}, clock_timestamp(), ${everySeconds})
    on conflict (name) do update set finished_at = excluded.finished_at, every_seconds = excluded.every_seconds`);
}

/**
 * Deletes the records of tasks that this version does not have, so that their age raises no alert. Platform scope.
 * @param names the recurring tasks
 * @returns the number of deleted records
 */
export async function pruneMaintenance(tx: Tx, names: readonly TaskName[]): Promise<number> {
  const rows = await tx.execute(sql`
    delete from maintenance_runs where name not in ('backup', 'verify_backup')
      and name not in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)) returning name`);
  return rows.length;
}
