import { useMemo } from 'react';
import { useT } from '../../i18n.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { triggerName } from '../../parts/review-triggers.ts';
import { Report } from './report-parts.tsx';
import { type Outcome, type Outcomes, outcomes, sumOutcomes, useOutcomes } from './reports.ts';
import styles from './usage.module.css';

const colors: Record<Outcome, string> = {
  automatic: '--petrol',
  reviewed: '--apricot',
  waiting: '--petrol-line',
  rejected: '--line-ctl',
};

/** The results of texts: published without a person, approved, rejected or waiting. */
export function PublishedTexts() {
  const t = useT();
  const report = useOutcomes();
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="published">
      <h2 id="published">{t('usage.published')}</h2>
      <p className="hint">{t('usage.published_hint')}</p>
      <Read from={report} lines={14}>
        {(found) => (found.days.length === 0 ? <p>{t('usage.no_texts')}</p> : <Results of={found} />)}
      </Read>
    </section>
  );
}

function Results({ of }: { of: Outcomes }) {
  const t = useT();
  const { utcDay } = useFormat();
  const sums = sumOutcomes(of);
  const rows = outcomes.map((name) => ({
    key: name,
    name: t(`usage.outcome_${name}`),
    color: colors[name],
    count: sums[name],
  }));
  const series = useMemo(
    () =>
      outcomes.map((name) => ({
        label: t(`usage.outcome_${name}`),
        color: colors[name],
        values: of.days.map((day) => day[name]),
      })),
    [of, t],
  );
  return (
    <Report
      of={of}
      caption={t('usage.texts_of', { from: utcDay(of.from), to: utcDay(of.to) })}
      group={t('usage.outcome')}
      unit={t('usage.texts')}
      rows={rows}
      longest={rows.reduce((sum, { count }) => sum + count, 0)}
      series={series}
      table={t('usage.texts_table')}
      file={{
        label: t('usage.export_outcomes'),
        name: 'texts',
        rows: () => [
          ['date', ...outcomes],
          of.days.map((day) => [day.date, ...outcomes.map((name) => day[name])]),
        ],
      }}
    />
  );
}

/** Why texts needed a reviewer. */
export function ReviewReasons() {
  const t = useT();
  const { number } = useFormat();
  const report = useOutcomes();
  return (
    <section className="card" aria-labelledby="reasons">
      <h2 id="reasons">{t('usage.reasons')}</h2>
      <Read from={report} lines={6}>
        {({ reasons: found, reasons_of, days }) =>
          found.length === 0 ? (
            <p>
              {t(
                days.some((day) => day.reviewed + day.waiting + day.rejected > 0)
                  ? 'usage.reasons_unknown'
                  : 'usage.no_reasons',
              )}
            </p>
          ) : (
            <>
              <table className={styles['bars']}>
                <thead className="visually-hidden">
                  <tr>
                    <th scope="col">{t('usage.reason')}</th>
                    <th scope="col">{t('usage.texts')}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.map(({ code, texts }) => (
                    <tr key={code}>
                      <th scope="row">{triggerName(code, t)}</th>
                      <td>
                        <Bar className={styles['part']} max={found[0]?.texts ?? 1} value={texts} />
                        <span>{number(texts)}</span>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <p className="hint">{t('usage.reasons_of', { texts: number(reasons_of) })}</p>
            </>
          )
        }
      </Read>
    </section>
  );
}
