import { z } from 'zod';
import type { TenantDeletion } from './deletion-run.ts';

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
