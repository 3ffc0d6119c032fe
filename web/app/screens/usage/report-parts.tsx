import { lazy, type ReactNode, Suspense, useId, useMemo } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { csvOf, saveFile } from '../../parts/save-file.ts';
import type { Series } from './bar-chart.tsx';
import { withAllDays } from './reports.ts';
import styles from './usage.module.css';

/** A choice between a few options, all of which are visible. */
export function Segments<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: V;
  options: readonly { value: V; name: string }[];
  onChange: (value: V) => void;
}) {
  const name = useId();
  return (
    <fieldset className={`segmented ${styles['segments']}`}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.name}
        </label>
      ))}
    </fieldset>
  );
}

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
    <details>
      <summary>{t('usage.as_table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section className="table-scroll" tabIndex={0} aria-label={caption}>
        <table className={styles['table']}>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('usage.day')}</th>
              {series.map(({ label }) => (
                <th scope="col" key={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .map((date, at) => (
                <tr key={date}>
                  <th scope="row">{utcDay(date)}</th>
                  {series.map(({ label, values }) => (
                    <td key={label}>{number(values[at] ?? 0)}</td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </section>
    </details>
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
      <div className={styles['split']}>
        <Chart {...chart} />
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
      </div>
      <div className={styles['foot']}>
        <DayTable caption={table} days={of.days.map(({ date }) => date)} series={series} />
        <button type="button" onClick={() => void save()}>
          {file.label}
        </button>
      </div>
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
