import { z } from 'zod';
import { usageSummary } from '#server/billing/metering/schema.ts';
import { storageUsage } from '#server/storage/schema.ts';

const moment = z.string().describe('A time in ISO 8601 format, in UTC.');
const count = z.int().min(0);
/** Bytes and other sums that may exceed the range of `z.int`. */
const amount = z.number().min(0);

export const queueView = z.object({
  tasks: z.array(
    z.object({
      task: z.string(),
      running: count,
      waiting: count.describe('Jobs that a worker may take now.'),
      scheduled: count.describe('Jobs that may not start yet.'),
      retrying: count.describe('Jobs whose last attempt failed and that run again automatically.'),
      failed: count.describe('Jobs without attempts left.'),
      oldest_seconds: amount.describe('Seconds for which the oldest job that may start has been waiting.'),
    }),
  ),
  failed: z.array(
    z.object({
      id: z.string(),
      task: z.string(),
      tenant_id: z.string().nullable(),
      attempts: count,
      max_attempts: count,
      last_attempt_at: moment,
      next_attempt_at: moment.nullable().describe('Null if no attempts are left.'),
      error: z.string().nullable().describe('The kind of the error; null if the worker died.'),
    }),
  ),
});
export type QueueView = z.infer<typeof queueView>;

/** The largest ID of a background job. */
const maxJobId = 2n ** 63n - 1n;

export const backgroundJobId = z
  .string()
  .refine((id) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) <= maxJobId, 'is not a valid job ID');

export const taskName = z.string().regex(/^[a-z_]{1,63}$/, 'is not a valid task name');

export const retryRequest = z
  .strictObject({ job_id: backgroundJobId.optional(), task: taskName.optional() })
  .refine(({ job_id, task }) => (job_id === undefined) !== (task === undefined), {
    error: 'send job_id or task',
    path: ['job_id'],
  });

export const retried = z.object({ retried: count });

export const workspaceView = z.object({
  id: z.string(),
  name: z.string(),
  created_at: moment,
  active: z.boolean(),
  deletion_due_at: moment.nullable(),
  plan: z.string().nullable(),
  subscription: z.enum(['current', 'lapsed', 'ended', 'none']).nullable().describe('Null without billing.'),
  monthly_char_limit: z.int(),
  allowance: usageSummary.shape.allowance,
  topup: usageSummary.shape.topup,
  api_key_prefix: z.string().nullable().describe('Of the workspace key; null without one.'),
  api_keys: z.int().describe('The number of API keys that are not revoked.'),
  api_key_since: moment.nullable().describe('Null if the audit log does not have the event.'),
  storage: storageUsage.extend({
    own_cap: amount.nullable().describe('0 for no cap, null for the cap of the deployment.'),
    binding_status: z.string().nullable(),
    last_verified_at: moment.nullable(),
  }),
  members: z.array(
    z.object({
      user_id: z.string(),
      email: z.string(),
      role: z.string(),
      active: z.boolean(),
      sessions: count,
      last_used_at: moment.nullable(),
    }),
  ),
  members_total: count,
  failures: z.array(
    z.object({
      kind: z.enum(['text', 'document']),
      id: z.string(),
      failed_at: moment,
      reason: z.string().nullable(),
    }),
  ),
});
export type WorkspaceView = z.infer<typeof workspaceView>;

export const workspaceRequest = z.strictObject({ tenant_id: z.string().max(100) });

export const modelsView = z.object({
  mode: z.enum(['stub', 'live']),
  hours: z.int().describe('The figures are of the current hour and the hours before it, over all processes.'),
  models: z.array(
    z.object({
      model: z.string().describe('`other` for models that the settings do not name.'),
      roles: z.array(z.enum(['translation', 'judge', 'embedding', 'candidate', 'workspace_key'])),
      modes: z.array(z.string()).describe('How JSON was requested; `vectors` for an embedding model.'),
      requests: count,
      failed: count,
      errors: z.array(z.object({ kind: z.string(), requests: count })),
      p50_seconds: amount.nullable().describe('Of successful requests; null without any.'),
      p95_seconds: amount.nullable(),
      input_tokens: amount,
      output_tokens: amount,
      cost: amount.nullable().describe('In the currency of MODEL_PRICES; null without a price of the model.'),
    }),
  ),
});
export type ModelsView = z.infer<typeof modelsView>;

export const enginesView = z.object({
  engines: z.array(z.object({ name: z.string(), kind: z.string() })),
  routes: z
    .array(
      z.object({
        from: z
          .array(z.string())
          .nullable()
          .describe('Source languages; null for all. So for the next fields.'),
        to: z.array(z.string()).nullable(),
        domain: z.string().nullable(),
        text_type: z.enum(['Plain', 'Html']).nullable(),
        use: z.array(z.string()).describe('The engines in the order in which they are asked.'),
      }),
    )
    .describe('The first route that matches a text is used.'),
  judge: z.string().nullable().describe('The engine that judges and repairs; null without one.'),
  without_judge: z.enum(['review', 'checks']),
  days: z.int().describe('The results are of texts that people checked in these days.'),
  results: z
    .array(
      z.object({
        engine: z.string(),
        source_lang: z.string(),
        target_lang: z.string(),
        checked: count.describe('Machine translations that people reviewed or checked.'),
        changed: count.describe('Those that they changed or rejected, or in which they found an error.'),
        serious: count.describe(
          'Those that they rejected, or in which they found a major or critical error.',
        ),
        repaired: count.describe('Those that a language model had repaired before.'),
      }),
    )
    .describe('The most checked first.'),
});
export type EnginesView = z.infer<typeof enginesView>;

export const storageView = z.object({
  provider: z.enum(['directory', 'datalake', 's3']),
  up: z.boolean().describe('Whether platform storage accepts objects.'),
  free_bytes: amount.nullable(),
  total_bytes: amount.nullable(),
  parked_jobs: count.describe('Texts whose record could not be stored yet; at most 10000 are counted.'),
  document_bytes: amount,
  document_files: amount,
  workspaces: z.array(
    z.object({
      tenant_id: z.string(),
      name: z.string(),
      bytes: amount,
      files: count,
      bytes_allowed: amount.nullable(),
    }),
  ),
  maintenance: z.array(
    z.object({ task: z.string(), age_seconds: amount, interval_seconds: z.number().nullable() }),
  ),
});
export type StorageView = z.infer<typeof storageView>;
