import { z } from 'zod';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { retryBackgroundJobs, viewQueue } from '#server/operations/queue.ts';
import { backgroundJobId, type QueueView, taskName } from '#server/operations/schema.ts';
import { defineCommand } from '../command.ts';
import { jsonLine, table, timeSpan } from '../printing.ts';

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
