import { useMemo } from 'react';
import type { DailyUsage } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { useFormat } from '../../parts/format.ts';
import { Chart } from './report-parts.tsx';

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
  return (
    <>
      <Chart {...chart} />
      <Disclosure title={t('usage.as_table')}>
        <DataTable
          caption={t('usage.table')}
          rows={[...used.toReversed(), { date: '', ...totals }]}
          keyOf={({ date }) => date}
          columns={[
            {
              title: t('usage.day'),
              isName: true,
              cell: ({ date }) => (date === '' ? <b>{t('usage.total')}</b> : utcDay(date)),
            },
            { title: t('usage.jobs'), isNumeric: true, cell: ({ jobs }) => number(jobs) },
            {
              title: t('usage.chars'),
              isNumeric: true,
              cell: ({ billable_chars }) => number(billable_chars),
            },
            ...(totals.total_tokens === undefined
              ? []
              : [
                  {
                    title: t('usage.tokens'),
                    isNumeric: true,
                    cell: ({ total_tokens }: { total_tokens?: number | undefined }) =>
                      number(total_tokens ?? 0),
                  },
                ]),
          ]}
        />
      </Disclosure>
    </>
  );
}
