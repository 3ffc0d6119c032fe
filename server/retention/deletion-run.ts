import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { type DeletionProgress, tenantDeletions } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import type { LocatingServices } from '#server/storage/destination.ts';

export type TenantDeletion = typeof tenantDeletions.$inferSelect;

export type DeletionServices = LocatingServices & Pick<Services, 'log'>;

/** The work of one run of the task on one tenant. */
export interface DeletionRun {
  services: DeletionServices;
  /** `progress` changes with `addDone`. */
  deletion: TenantDeletion;
  /** Whether the run has used its time. The work must then end at once; the next run continues. */
  isOver(): boolean;
}

/** Counts of finished work, to be added to the progress. */
export type Done = Partial<DeletionProgress>;

/** Adds to the progress of a deletion in its own transaction. */
export function addDone({ services, deletion }: DeletionRun, done: Done): Promise<void> {
  return services.database.inTenant(deletion.tenantId, (tx) => addDoneIn(tx, deletion, done));
}

/** Adds to the progress of a deletion in the transaction that has done the work, so that no row counts twice. */
export async function addDoneIn(tx: Tx, deletion: TenantDeletion, done: Done): Promise<void> {
  const before = deletion.progress;
  const sum = (name: 'accountObjects' | 'leftInAccount' | 'manifestLines' | 'objects' | 'queuedJobs') =>
    before[name] + (done[name] ?? 0);
  const rows = { ...before.rows };
  for (const [table, count] of Object.entries(done.rows ?? {})) rows[table] = (rows[table] ?? 0) + count;
  const progress: DeletionProgress = {
    rows,
    objects: sum('objects'),
    accountObjects: sum('accountObjects'),
    leftInAccount: sum('leftInAccount'),
    queuedJobs: sum('queuedJobs'),
    manifestLines: sum('manifestLines'),
    manifestsThrough: done.manifestsThrough ?? before.manifestsThrough,
  };
  await tx.update(tenantDeletions).set({ progress }).where(eq(tenantDeletions.tenantId, deletion.tenantId));
  deletion.progress = progress;
}

const count = z.int().min(0);

const deletionState = z.enum(['scheduled', 'running', 'finished']);

export const deletionRecord = z.object({
  id: z.string().describe('The ID of the workspace.'),
  state: deletionState,
  scheduled_at: z.string(),
  due_at: z
    .string()
    .describe('The end of the waiting period. Until the deletion starts, it can be canceled.'),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  files: count.describe('Deleted files in platform storage.'),
  files_in_account: count.describe('Deleted files in the workspace’s own account.'),
  left_in_account: count.describe('Files that stay in the workspace’s own account.'),
  queued_jobs: count,
  manifest_lines: count,
  rows: z.record(z.string(), count).describe('Numbers of deleted rows by table.'),
});

type DeletionRecord = z.infer<typeof deletionRecord>;

function stateOf({ startedAt, finishedAt }: TenantDeletion): z.infer<typeof deletionState> {
  if (finishedAt) return 'finished';
  return startedAt ? 'running' : 'scheduled';
}

export function deletionView(deletion: TenantDeletion): DeletionRecord {
  const { tenantId, scheduledAt, dueAt, startedAt, finishedAt, progress } = deletion;
  return {
    id: tenantId,
    state: stateOf(deletion),
    scheduled_at: scheduledAt.toISOString(),
    due_at: dueAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    files: progress.objects,
    files_in_account: progress.accountObjects,
    left_in_account: progress.leftInAccount,
    queued_jobs: progress.queuedJobs,
    manifest_lines: progress.manifestLines,
    rows: progress.rows,
  };
}
