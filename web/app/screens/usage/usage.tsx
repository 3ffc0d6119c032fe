import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { DailyUsage, TenantUsageSummary } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { queryKeys } from '../../query-keys.ts';
import { DailyReport } from './daily-report.tsx';
import { Reviewers } from './reviewers.tsx';
import styles from './usage.module.css';

/** `/app/reports`: the workspace's usage by day, its remaining allowance, and the report of reviewers. */
export function UsageScreen() {
  return (
    <AdminsOnly title="usage.title">
      {({ tenant }) => (
        <>
          <Allowance tenantId={tenant.id} />
          <Days tenantId={tenant.id} />
          <Reviewers />
        </>
      )}
    </AdminsOnly>
  );
}

/** Shows the allowance and the totals of a month, and a button that saves the usage records of the month as a file. */
function Allowance({ tenantId }: { tenantId: string }) {
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
    <section aria-labelledby="allowance">
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
  const taken = allowance.used + allowance.reserved;
  return (
    <>
      {isCurrent && (
        <>
          <p id="allowance-left">
            {t('usage.left', { left: number(allowance.remaining), limit: number(allowance.limit) })}
          </p>
          <meter
            aria-labelledby="allowance-left"
            max={Math.max(1, allowance.limit)}
            high={allowance.limit * 0.9}
            value={Math.min(taken, allowance.limit)}
          />
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

/** Shows the usage of the selected days as a chart and as a table. */
function Days({ tenantId }: { tenantId: string }) {
  const t = useT();
  const { from, to } = useSearch({ from: '/workspace/app/reports' });
  const report = useQuery({
    queryKey: queryKeys.usage.daily(tenantId, from, to),
    // An operator's request must name the workspace; otherwise it returns the sum over all workspaces.
    queryFn: () => client.usage.daily({ ...(from && { from }), ...(to && { to }) }, { tenantId }),
  });
  return (
    <section aria-labelledby="days">
      <h2 id="days">{t('usage.days')}</h2>
      <Read from={report} lines={14}>
        {(usage) => (
          <>
            <RangeForm key={`${usage.from} ${usage.to}`} usage={usage} />
            <DailyReport usage={usage} />
          </>
        )}
      </Read>
    </section>
  );
}

function RangeForm({ usage }: { usage: DailyUsage }) {
  const t = useT();
  const navigate = useNavigate({ from: '/app/reports' });
  const [range, setRange] = useState({ from: usage.from, to: usage.to });
  return (
    <form
      className={styles['controls']}
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: (before) => ({ ...before, ...range }) });
      }}
    >
      <Field
        label={t('usage.first_day')}
        type="date"
        required
        max={range.to}
        value={range.from}
        onValue={(from) => setRange({ ...range, from })}
      />
      <Field
        label={t('usage.last_day')}
        type="date"
        required
        min={range.from}
        value={range.to}
        onValue={(to) => setRange({ ...range, to })}
      />
      <button type="submit">{t('usage.show')}</button>
    </form>
  );
}
