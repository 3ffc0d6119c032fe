import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { QueueView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
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
    <StackedTable
      columns={[t('operator.task'), ...states.map((state) => t(`operator.${state}`)), t('operator.oldest')]}
    >
      {tasks.map((counts) => (
        <tr key={counts.task}>
          <th scope="row" className="plain-cell">
            <code translate="no">{counts.task}</code>
          </th>
          {states.map((state) => (
            <td key={state} data-label={t(`operator.${state}`)} className={styles['number']}>
              {state === 'failed' && counts.failed > 0 ? (
                <span className="badge bad">{number(counts.failed)}</span>
              ) : (
                number(counts[state])
              )}
            </td>
          ))}
          <td data-label={t('operator.oldest')} className={styles['number']}>
            {counts.oldest_seconds >= 1 ? span(counts.oldest_seconds) : '–'}
          </td>
        </tr>
      ))}
    </StackedTable>
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
      <StackedTable
        columns={[
          t('operator.job'),
          t('operator.tenants_one'),
          t('operator.error'),
          t('operator.last_attempt'),
          t('operator.next_attempt'),
        ]}
        actions={t('operator.retry')}
      >
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row" className="plain-cell" id={`job-${job.id}`}>
              <code translate="no">
                {job.task} {job.id}
              </code>
            </th>
            <td data-label={t('operator.tenants_one')}>
              <TenantLink id={job.tenant_id} />
            </td>
            <td data-label={t('operator.error')} className={styles['error']}>
              {job.error === null ? (
                t('operator.worker_died')
              ) : (
                <span lang="en" dir="ltr" translate="no">
                  {job.error}
                </span>
              )}
            </td>
            <td data-label={t('operator.last_attempt')}>
              {moment(job.last_attempt_at)}
              <br />
              {t('operator.attempts_of', {
                attempts: number(job.attempts),
                max: number(job.max_attempts),
              })}
            </td>
            <td data-label={t('operator.next_attempt')}>
              {job.next_attempt_at === null ? (
                <span className="badge bad">{t('operator.none')}</span>
              ) : (
                moment(job.next_attempt_at)
              )}
            </td>
            <td className={styles['action']}>
              <button
                type="button"
                aria-describedby={`job-${job.id}`}
                disabled={isBusy}
                onClick={run(() => retry({ job_id: job.id }))}
              >
                {t('operator.retry')}
              </button>
            </td>
          </tr>
        ))}
      </StackedTable>
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
