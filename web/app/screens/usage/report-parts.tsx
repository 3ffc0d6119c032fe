import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useT } from '../../i18n.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { csvOf, saveFile } from '../../parts/save-file.ts';
import type { Series } from './bar-chart.tsx';
import { withAllDays } from './reports.ts';
import styles from './usage.module.css';

/** Says since when the jobs of a report are counted, if there were too many to count them all. */
function CountedFrom({ of: { counted_from } }: { of: { counted_from: string | null } }) {
  const t = useT();
  const { moment } = useFormat();
  if (counted_from === null) return null;
  return <p className="notice">{t('usage.counted_from', { when: moment(counted_from) })}</p>;
}

/** The values of a chart as a table that can be opened, the latest day first. */
function DayTable({
  caption,
  days,
  series,
}: {
  caption: string;
  days: readonly string[];
  series: readonly Series[];
}) {
  const t = useT();
  const { number, utcDay } = useFormat();
  return (
    <Disclosure title={t('usage.as_table')}>
      <DataTable
        caption={caption}
        rows={days.map((date, at) => ({ date, at })).toReversed()}
        keyOf={({ date }) => date}
        columns={[
          { title: t('usage.day'), isName: true, cell: ({ date }) => utcDay(date) },
          ...series.map(({ label, values }) => ({
            ...{ title: label, isNumeric: true },
            cell: ({ at }: { at: number }) => number(values[at] ?? 0),
          })),
        ]}
      />
    </Disclosure>
  );
}

/** A row of a report: a group, and its count in all days. */
interface ReportRow {
  key: string;
  name: ReactNode;
  /** The CSS variable of its color in the chart. */
  color: string | undefined;
  count: number;
}

/** Daily counts by group: as a chart, a list, a table and a CSV file. */
export function Report({
  of,
  caption,
  group,
  unit,
  rows,
  longest,
  series,
  table,
  file,
}: {
  of: { from: string; to: string; counted_from: string | null; days: readonly { date: string }[] };
  caption: string;
  /** The name of what the rows are. */
  group: string;
  /** The name of what is counted. */
  unit: string;
  rows: readonly ReportRow[];
  /** The count whose bar has the full length. */
  longest: number;
  series: Series[];
  /** The name of the table of days. */
  table: string;
  file: { label: string; name: string; rows(): Parameters<typeof csvOf> };
}) {
  const t = useT();
  const { number, percent } = useFormat();
  const chart = useMemo(() => withAllDays(of, series), [of, series]);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const save = async () => {
    await saveFile({ fileName: `${file.name}-${of.from}-${of.to}.csv`, body: csvOf(...file.rows()) });
    announce(t('usage.saved'));
  };
  return (
    <>
      <CountedFrom of={of} />
      <Row gap={6} align="start">
        <Fill least={26}>
          <Chart {...chart} />
        </Fill>
        <Fill least={16}>
          <table className={styles['bars']}>
            <caption className="visually-hidden">{caption}</caption>
            <thead className="visually-hidden">
              <tr>
                <th scope="col">{group}</th>
                <th scope="col">{unit}</th>
                <th scope="col">{t('usage.share')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, name, color, count }) => (
                <tr key={key}>
                  <th scope="row">
                    <i style={{ background: `var(${color})` }} />
                    {name}
                  </th>
                  <td>{number(count)}</td>
                  <td>
                    <Bar className={styles['part']} max={longest} value={count} />
                    <span>{percent(total === 0 ? 0 : count / total)}</span>
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t('usage.total')}</th>
                <td>{number(total)}</td>
                <td />
              </tr>
            </tfoot>
          </table>
        </Fill>
      </Row>
      <Row gap={4} align="start">
        <Fill least={16}>
          <DayTable caption={table} days={of.days.map(({ date }) => date)} series={series} />
        </Fill>
        <button type="button" onClick={() => void save()}>
          {file.label}
        </button>
      </Row>
    </>
  );
}

/** The library for charts is only loaded when a chart is shown. */
const BarChart = lazy(() => import('./bar-chart.tsx').then(({ BarChart }) => ({ default: BarChart })));

/** A chart of each day. Its space is reserved while the library is loaded. */
export function Chart(props: { days: readonly string[]; series: readonly Series[] }) {
  return (
    <Suspense fallback={<div className={styles['chart']} />}>
      <BarChart {...props} />
    </Suspense>
  );
}
