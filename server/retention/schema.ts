import { z } from 'zod';
import type { TenantDeletion } from './deletion-run.ts';

const count = z.int().min(0);
const rows = z.record(z.string(), count).describe('Numbers of rows by table.');

export const deletionPreview = z.object({
  tenant_id: z.string(),
  name: z.string(),
  rows,
  files: count.describe('Files in platform storage.'),
  max_counted: count.describe('A number as large as this one stands for this number or more.'),
});

export type DeletionPreview = z.infer<typeof deletionPreview>;

const deletionState = z.enum(['scheduled', 'running', 'finished']);

const deletionRecord = z.object({
  id: z.string().describe('The ID of the workspace.'),
  name: z.string().nullable().describe('The name of the workspace; null if its row is deleted.'),
  state: deletionState,
  scheduled_at: z.string(),
  due_at: z
    .string()
    .describe('The end of the waiting period. Until the deletion starts, it can be canceled.'),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  rows: rows.describe('Numbers of deleted rows by table.'),
  files: count.describe('Deleted files in platform storage.'),
  files_in_account: count.describe('Deleted files in the workspace’s own account.'),
  left_in_account: count.describe('Files that stay in the workspace’s own account.'),
  queued_jobs: count,
  manifest_lines: count,
});

export const deletionList = z.object({ deletions: z.array(deletionRecord) });

export type DeletionRecord = z.infer<typeof deletionRecord>;

export const scheduleRequest = z.object({
  tenant_id: z.string().max(100),
  name: z.string().max(1000).describe('The name of the workspace, as a confirmation.'),
  after_days: z.int().min(0).max(3650).default(30).describe('The waiting period in days.'),
  mfa_code: z
    .string()
    .max(100)
    .optional()
    .describe(
      'A code of the operator’s authenticator app, or a recovery code. Not needed with the operator key.',
    ),
});

export function stateOf({ startedAt, finishedAt }: TenantDeletion): z.infer<typeof deletionState> {
  if (finishedAt) return 'finished';
  return startedAt ? 'running' : 'scheduled';
}

/** @param name the name of the tenant; null if its row is deleted */
export function deletionView(deletion: TenantDeletion, name: string | null): DeletionRecord {
  const { tenantId, scheduledAt, dueAt, startedAt, finishedAt, progress } = deletion;
  return {
    id: tenantId,
    name,
    state: stateOf(deletion),
    scheduled_at: scheduledAt.toISOString(),
    due_at: dueAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    rows: progress.rows,
    files: progress.objects,
    files_in_account: progress.accountObjects,
    left_in_account: progress.leftInAccount,
    queued_jobs: progress.queuedJobs,
    manifest_lines: progress.manifestLines,
  };
}
