import { z } from 'zod';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { atTheServer, operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { retryBackgroundJobs, viewQueue } from '#server/operations/queue.ts';
import { backgroundJobId, type QueueView, taskName } from '#server/operations/schema.ts';
import { cancelDocument } from '#server/translation/documents/cancel.ts';
import { requeueDocuments } from '#server/translation/documents/requeue.ts';
import { defineCommand, moment, Refusal, tenantIdOrNone } from '../command.ts';
import { jsonLine, printable, table, timeSpan } from '../printing.ts';

export const queue = defineCommand({
  summary:
    'Counts the background jobs by task and state, or lists those that failed (of many, the latest 100).',
  parameters: [],
  options: {
    failed: { type: 'boolean', summary: 'list the failed jobs, which retry can run again' },
    json: { type: 'boolean', summary: 'one JSON object per line' },
  },
  input: z.object({ failed: z.boolean().default(false), json: z.boolean().default(false) }),
  async *run({ database }, { failed, json }) {
    const view = await viewQueue(database);
    if (json) yield* (failed ? view.failed : view.tasks).map(jsonLine);
    else yield* failed ? failedJobs(view) : states(view);
  },
});

function states({ tasks, failed }: QueueView): string[] {
  if (tasks.length === 0) return ['No background jobs.'];
  const titles = ['task', 'running', 'waiting', 'scheduled', 'retrying', 'failed', 'oldest'];
  const rows = tasks.map((of) => [
    of.task,
    of.running,
    of.waiting,
    of.scheduled,
    of.retrying,
    of.failed,
    of.oldest_seconds > 0 ? timeSpan(of.oldest_seconds) : '-',
  ]);
  return [
    ...table(titles, rows),
    ...(failed.length > 0 ? ['', 'queue --failed lists the failed jobs.'] : []),
  ];
}

function failedJobs({ failed }: QueueView): string[] {
  if (failed.length === 0) return ['No failed background jobs.'];
  const titles = ['id', 'task', 'tenant_id', 'attempts', 'last_attempt', 'next_attempt', 'error'];
  return table(
    titles,
    failed.map((job) => [
      job.id,
      job.task,
      job.tenant_id ?? '-',
      `${job.attempts}/${job.max_attempts}`,
      job.last_attempt_at,
      job.next_attempt_at ?? 'none',
      job.error ?? 'the worker died',
    ]),
  );
}

export const retry = defineCommand({
  summary:
    'Lets failed background jobs run again immediately: one, or all of a task. Running jobs are not changed.',
  parameters: [],
  options: {
    id: { type: 'string', value: 'job_id', summary: 'only this job, as queue --failed lists it' },
    task: { type: 'string', value: 'name', summary: 'all failed jobs of this task' },
  },
  input: z
    .object({ id: backgroundJobId.optional(), task: taskName.optional() })
    .refine(({ id, task }) => (id === undefined) !== (task === undefined), {
      error: 'or --task is required, but not both',
      path: ['id'],
    }),
  async *run({ database }, { id, task }) {
    const selection = id !== undefined ? { jobId: id } : { task: task ?? '' };
    const jobs = await retryBackgroundJobs(database, selection, operatorAtServer);
    yield jobs === 0
      ? 'No failed job matches; nothing was changed.'
      : `${jobs} ${jobs === 1 ? 'job runs' : 'jobs run'} again.`;
  },
});

export const requeue = defineCommand({
  summary:
    'Queues failed documents again: one, or all that failed since a given time. Only failures with transient_error, interrupted or stage_timeout count.',
  parameters: [],
  options: {
    id: { type: 'string', value: 'document_id', summary: 'only this document' },
    since: {
      type: 'string',
      value: 'moment',
      summary: 'all documents that failed since this time: 2026-07-31, or 2026-07-31T09:00:00Z',
    },
    tenant: { type: 'string', value: 'id', summary: 'with --since: only documents of this tenant' },
    'dry-run': { type: 'boolean', summary: 'print the counts and change nothing' },
  },
  input: z
    .object({
      id: z.string().min(1, 'is empty').max(200, 'is not a valid document ID').optional(),
      since: moment.optional(),
      tenant: tenantIdOrNone.optional(),
      'dry-run': z.boolean().default(false),
    })
    .refine(({ id, since }) => (id === undefined) !== (since === undefined), {
      error: 'or --since is required, but not both',
      path: ['id'],
    })
    .refine(({ id, tenant }) => id === undefined || tenant === undefined, {
      error: 'needs --since',
      path: ['tenant'],
    }),
  async *run({ database }, { id, since, tenant, 'dry-run': dryRun }) {
    if (tenant && !(await database.inTenant(tenant, (tx) => readTenant(tx, tenant))))
      throw new Refusal(`unknown tenant: ${tenant}`);
    // Only documents that have failed before this time are queued, so that one that fails again during the command is
    // not queued a second time.
    const until = new Date();
    const selection =
      id !== undefined ? { documentId: id } : { since: since ?? until, until, tenantId: tenant };
    let requeued = 0;
    for (let isFirst = true; ; isFirst = false) {
      const result = await requeueDocuments(database, serverAdministrator, atTheServer, selection, {
        dryRun,
      });
      if (isFirst) for (const { code, documents } of result.found) yield `${printable(code)}\t${documents}`;
      if (dryRun) {
        yield `${documents(result.left)} would be queued again; nothing was changed.`;
        return;
      }
      requeued += result.requeued;
      if (result.left === 0 || result.requeued === 0) break;
    }
    yield `${documents(requeued)} queued again.`;
  },
});

export const cancelDocumentCommand = defineCommand({
  summary:
    'Ends a document that is queued or running. It fails with interrupted and is not billed; requeue continues it.',
  parameters: ['document_id'],
  options: {},
  input: z.object({ document_id: z.string().min(1, 'is empty').max(200, 'is not a valid document ID') }),
  async *run({ database }, { document_id: id }) {
    const { tenantId, stage } = await cancelDocument(database, serverAdministrator, atTheServer, id);
    yield `Document ${id} of tenant ${tenantId} was canceled at the stage ${stage}.`;
  },
});

const documents = (count: number) => `${count} ${count === 1 ? 'document' : 'documents'}`;
