import { useId } from 'react';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import type { Series } from './bar-chart.tsx';
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
    <fieldset className={styles['segments']}>
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
export function CountedFrom({ of: { counted_from } }: { of: { counted_from: string | null } }) {
  const t = useT();
  const { moment } = useFormat();
  if (counted_from === null) return null;
  return <p className="notice">{t('usage.counted_from', { when: moment(counted_from) })}</p>;
}

/** The values of a chart as a table that can be opened, the latest day first. */
export function DayTable({
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
