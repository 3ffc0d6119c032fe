import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { queryKeys } from '../../query-keys.ts';

const dayMs = 86_400_000;

/**
 * Documents of all workspaces that an outage delays, and documents that failed because of an outage, which can be
 * queued again.
 */
export function HeldUpDocuments() {
  const t = useT();
  const queries = useQueryClient();
  const [day, setDay] = useState(() => new Date(Date.now() - dayMs).toISOString().slice(0, 10));
  const since = `${day}T00:00:00Z`;
  const outage = useQuery({
    queryKey: queryKeys.operator.outage(since),
    queryFn: () => client.documents.outage({ since }),
  });
  const requeue = async () => {
    try {
      const { requeued } = await client.documents.requeue({ since });
      announce(t('operator.requeued', { count: requeued }));
    } finally {
      void queries.invalidateQueries({ queryKey: queryKeys.operator.outages });
    }
  };
  return (
    <Setting id="held-up" title={t('operator.held_up')} why={t('operator.held_up_hint')}>
      <div className="form">
        <Field
          label={t('operator.failed_since')}
          problem={undefined}
          type="date"
          required
          value={day}
          onValue={(value) => value !== '' && setDay(value)}
        />
        <Read from={outage} lines={4}>
          {(found) => {
            const rows = rowsOf(found);
            if (rows.length === 0) return <p>{t('operator.none_held_up')}</p>;
            const count = found.failed.reduce((sum, { documents }) => sum + documents, 0);
            return (
              <>
                <HeldUpTable rows={rows} />
                {count > 0 && <Requeue count={count} day={day} requeue={requeue} />}
              </>
            );
          }}
        </Read>
      </div>
    </Setting>
  );
}

/** Documents that an outage delays or has made fail, grouped by the reason. */
interface HeldUp {
  state: 'waiting' | 'failed';
  reason: string;
  documents: number;
  /** Minutes that the document with the longest wait has waited; null for failed documents. */
  minutes: number | null;
}

function rowsOf({ waiting, failed }: Awaited<ReturnType<typeof client.documents.outage>>): HeldUp[] {
  return [
    ...waiting.map(({ reason, documents, longest_seconds }) => ({
      state: 'waiting' as const,
      reason,
      documents,
      minutes: Math.round(longest_seconds / 60),
    })),
    ...failed.map(({ code, documents }) => ({
      state: 'failed' as const,
      reason: code,
      documents,
      minutes: null,
    })),
  ];
}

function HeldUpTable({ rows }: { rows: readonly HeldUp[] }) {
  const t = useT();
  const { number } = useFormat();
  return (
    <StackedTable
      columns={[
        t('operator.state'),
        t('operator.reason'),
        t('operator.documents'),
        t('operator.longest_wait'),
      ]}
    >
      {rows.map(({ state, reason, documents, minutes }) => (
        <tr key={`${state} ${reason}`}>
          <th scope="row" className="plain-cell">
            <span className={state === 'failed' ? 'badge bad' : 'badge'}>{t(`operator.${state}`)}</span>
          </th>
          <td data-label={t('operator.reason')}>{isKnown(reason) ? t(`operator.code_${reason}`) : reason}</td>
          <td data-label={t('operator.documents')}>{number(documents)}</td>
          <td data-label={t('operator.longest_wait')}>
            {minutes === null ? '–' : t('operator.minutes', { minutes })}
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

/** Queues failed documents again, after a confirmation. @param day the first day of the failures */
function Requeue({ count, day, requeue }: { count: number; day: string; requeue: () => Promise<void> }) {
  const t = useT();
  const { utcDay } = useFormat();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div className="actions">
        <button type="button" className="primary" onClick={() => setAsking(true)}>
          {t('operator.requeue', { count })}
        </button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={t('operator.requeue_question', { count })}
          action={t('operator.requeue', { count })}
          onConfirm={requeue}
          onClose={() => setAsking(false)}
        >
          <p>{t('operator.requeue_why', { day: utcDay(day) })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const knownReasons = [
  'transient_error',
  'interrupted',
  'stage_timeout',
  'rate_limit',
  'service_unavailable',
] as const;

function isKnown(reason: string): reason is (typeof knownReasons)[number] {
  return (knownReasons as readonly string[]).includes(reason);
}
