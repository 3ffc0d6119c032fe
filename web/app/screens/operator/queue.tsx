import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { QueueView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { OperatorPage } from './operator-page.tsx';

/** Milliseconds between two reads of the queue while the page is open. */
const pollMs = 10_000;

/** `/app/settings/operator/queue`: background jobs by task, and failed jobs. */
export function QueueScreen() {
  return (
    <OperatorPage>
      <Queue />
    </OperatorPage>
  );
}

function Queue() {
  const t = useT();
  const queue = useQuery({
    queryKey: queryKeys.operator.queue,
    queryFn: () => procedures.operations.queue.query(),
    refetchInterval: pollMs,
  });
  return (
    <>
      <Setting id="jobs" title={t('operator.queue_jobs')} why={t('operator.queue_why')} wide>
        <Read from={queue} lines={8}>
          {({ tasks }) =>
            tasks.length === 0 ? <p>{t('operator.queue_empty')}</p> : <States tasks={tasks} />
          }
        </Read>
      </Setting>
      <Setting id="failed-jobs" title={t('operator.failed_jobs')} why={t('operator.failed_jobs_why')} wide>
        <Read from={queue} lines={4}>
          {({ failed }) =>
            failed.length === 0 ? <p>{t('operator.none_failed')}</p> : <Failed jobs={failed} />
          }
        </Read>
      </Setting>
    </>
  );
}

const states = ['running', 'waiting', 'scheduled', 'retrying', 'failed'] as const;

function States({ tasks }: Pick<QueueView, 'tasks'>) {
  const t = useT();
  const { number, span } = useFormat();
  return (
    <DataTable
      rows={tasks}
      keyOf={({ task }) => task}
      columns={[
        { title: t('operator.task'), isName: true, cell: ({ task }) => <code translate="no">{task}</code> },
        ...states.map(
          (state): Column<QueueView['tasks'][number]> => ({
            ...{ title: t(`operator.${state}`), isNumeric: true },
            cell: ({ [state]: count }) =>
              state === 'failed' && count > 0 ? <Badge tone="bad">{number(count)}</Badge> : number(count),
          }),
        ),
        {
          title: t('operator.oldest'),
          isNumeric: true,
          cell: ({ oldest_seconds: oldest }) => (oldest >= 1 ? span(oldest) : '–'),
        },
      ]}
    />
  );
}

type FailedJob = QueueView['failed'][number];

function Failed({ jobs }: { jobs: readonly FailedJob[] }) {
  const t = useT();
  const { moment, number } = useFormat();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [asked, setAsked] = useState<string>();
  const retry = async (selection: { job_id: string } | { task: string }) => {
    try {
      const { retried } = await procedures.operations.retry.mutate(selection);
      announce(t('operator.retried', { count: retried }));
    } finally {
      await queries.invalidateQueries({ queryKey: queryKeys.operator.queue });
    }
  };
  const tasks = [...new Set(jobs.map(({ task }) => task))].sort();
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <DataTable
        rows={jobs}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t('operator.job'),
            isName: true,
            cell: ({ task, id }) => (
              <code id={`job-${id}`} translate="no">
                {task} {id}
              </code>
            ),
          },
          { title: t('operator.tenants_one'), cell: (job) => <TenantLink id={job.tenant_id} /> },
          {
            title: t('operator.error'),
            wraps: true,
            cell: ({ error: message }) =>
              message === null ? (
                t('operator.worker_died')
              ) : (
                <span lang="en" dir="ltr" translate="no">
                  {message}
                </span>
              ),
          },
          {
            title: t('operator.last_attempt'),
            wraps: true,
            cell: (job) => (
              <>
                {moment(job.last_attempt_at)}
                <br />
                {t('operator.attempts_of', { attempts: number(job.attempts), max: number(job.max_attempts) })}
              </>
            ),
          },
          {
            title: t('operator.next_attempt'),
            wraps: true,
            cell: ({ next_attempt_at: next }) =>
              next === null ? <Badge tone="bad">{t('operator.none')}</Badge> : moment(next),
          },
        ]}
        actions={{
          title: t('operator.retry'),
          cell: ({ id }) => (
            <button
              type="button"
              aria-describedby={`job-${id}`}
              aria-disabled={isBusy}
              onClick={run(() => retry({ job_id: id }))}
            >
              {t('operator.retry')}
            </button>
          ),
        }}
      />
      <div className="actions">
        {tasks.map((task) => (
          <button key={task} type="button" disabled={isBusy} onClick={() => setAsked(task)}>
            {t('operator.retry_task', { task })}
          </button>
        ))}
      </div>
      {asked !== undefined && (
        <ConfirmDialog
          title={t('operator.retry_task_question', { task: asked })}
          action={t('operator.retry_task', { task: asked })}
          onConfirm={() => retry({ task: asked })}
          onClose={() => setAsked(undefined)}
        >
          <p>{t('operator.retry_task_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** A link to the page of a workspace. @param id null for a job of the whole deployment */
function TenantLink({ id }: { id: string | null }) {
  const t = useT();
  if (id === null) return t('operator.whole_deployment');
  return (
    <Link to="/app/settings/operator/workspaces/$tenantId" params={{ tenantId: id }} translate="no">
      <code>{id.length > 12 ? `${id.slice(0, 8)}…` : id}</code>
    </Link>
  );
}
