import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { TenantUsageSummary } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../kit/field.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { queryKeys } from '../../query-keys.ts';
import { proveFirst } from '../../session/proof.ts';
import styles from './usage.module.css';

/** Shows the allowance and the totals of a month, and a button that saves the usage records of the month as a file. */
export function Month({ tenantId }: { tenantId: string }) {
  const t = useT();
  const thisMonth = new Date().toISOString().slice(0, 7);
  const { period = thisMonth } = useSearch({ from: '/workspace/app/reports' });
  const navigate = useNavigate({ from: '/app/reports' });
  const summary = useQuery({
    queryKey: queryKeys.usage.summary(tenantId, period),
    // The limit is 1, because this component needs only the figures and not the usage records.
    queryFn: () => client.usage.summary(tenantId, { period, limit: 1 }),
  });
  return (
    <section className="card" aria-labelledby="allowance">
      <h2 id="allowance">{t('usage.month')}</h2>
      <div className={styles['controls']}>
        <Field
          label={t('usage.period')}
          type="month"
          required
          min="2020-01"
          max={thisMonth}
          value={period}
          onValue={(chosen) =>
            chosen && void navigate({ search: (before) => ({ ...before, period: chosen }), replace: true })
          }
        />
        <Export tenantId={tenantId} period={period} />
      </div>
      <Read from={summary} lines={5}>
        {(month) => <Figures month={month} isCurrent={period === thisMonth} />}
      </Read>
    </section>
  );
}

function Figures({ month, isCurrent }: { month: TenantUsageSummary; isCurrent: boolean }) {
  const t = useT();
  const { number, day } = useFormat();
  const { jobs, billable_chars, allowance, topup } = month;
  const { left, limit } = leftOf(month);
  return (
    <>
      {isCurrent && (
        <>
          <p id="allowance-left">{t('usage.left', { left: number(left), limit: number(limit) })}</p>
          <Bar labelledBy="allowance-left" max={limit} value={limit - left} />
        </>
      )}
      <dl className="facts">
        <div>
          <dt>{t('usage.jobs')}</dt>
          <dd>{number(jobs)}</dd>
        </div>
        <div>
          <dt>{t('usage.chars')}</dt>
          <dd>{number(billable_chars)}</dd>
        </div>
        {isCurrent && (
          <>
            <div>
              <dt>{t('usage.reserved')}</dt>
              <dd>{number(allowance.reserved)}</dd>
            </div>
            <div>
              <dt>{t('usage.counted_since')}</dt>
              <dd>{day(allowance.window_start)}</dd>
            </div>
          </>
        )}
        {topup.purchased > 0 && (
          <div>
            <dt>{t('usage.topup')}</dt>
            <dd>{t('usage.topup_of', { left: number(topup.balance), all: number(topup.purchased) })}</dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** Saves the usage records of a month as a file. The file may be large, so it is streamed. */
function Export({ tenantId, period }: { tenantId: string; period: string }) {
  const t = useT();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if (!(await proveFirst())) return;
      await saveFile(await client.usage.export(tenantId, { format: 'csv', period }));
      announce(t('usage.exported'));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      {error ? <Problem error={error} retry={() => void save()} /> : null}
      <button type="button" disabled={isBusy} onClick={() => void save()}>
        {isBusy ? t('usage.exporting') : t('usage.export')}
      </button>
    </div>
  );
}
