import { useMemo } from 'react';
import type { DailyUsage } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Chart } from './report-parts.tsx';
import styles from './usage.module.css';

/**
 * Shows the usage of each day as a chart and as a table. The table is also for screen readers; it omits days without
 * usage.
 */
export function DailyReport({ usage: { days, totals } }: { usage: DailyUsage }) {
  const t = useT();
  const { number, utcDay } = useFormat();
  const used = days.filter(({ jobs }) => jobs > 0);
  const chart = useMemo(
    () => ({
      days: days.map(({ date }) => date),
      series: [
        {
          label: t('usage.chars'),
          color: '--petrol',
          values: days.map(({ billable_chars }) => billable_chars),
        },
      ],
    }),
    [days, t],
  );
  if (used.length === 0) return <p>{t('usage.none')}</p>;
  const hasTokens = totals.total_tokens !== undefined;
  return (
    <>
      <Chart {...chart} />
      <details>
        <summary>{t('usage.as_table')}</summary>
        <div className="table-scroll">
          <table className={styles['table']}>
            <caption>{t('usage.table')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('usage.day')}</th>
                <th scope="col">{t('usage.jobs')}</th>
                <th scope="col">{t('usage.chars')}</th>
                {hasTokens && <th scope="col">{t('usage.tokens')}</th>}
              </tr>
            </thead>
            <tbody>
              {used.toReversed().map(({ date, jobs, billable_chars, total_tokens }) => (
                <tr key={date}>
                  <th scope="row">{utcDay(date)}</th>
                  <td>{number(jobs)}</td>
                  <td>{number(billable_chars)}</td>
                  {hasTokens && <td>{number(total_tokens ?? 0)}</td>}
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t('usage.total')}</th>
                <td>{number(totals.jobs)}</td>
                <td>{number(totals.billable_chars)}</td>
                {hasTokens && <td>{number(totals.total_tokens ?? 0)}</td>}
              </tr>
            </tfoot>
          </table>
        </div>
      </details>
    </>
  );
}
