import { useQuery } from '@tanstack/react-query';
import { reviewReports } from '#sdk/review-reports.ts';
import type { PayReport } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { useRange } from './reports.ts';
import styles from './usage.module.css';

type Row = PayReport['rows'][number];

/**
 * The source words that each reviewer confirmed or changed in the selected days, by language pair and match with the
 * translation memory; and the same as an Excel workbook, which has each band in a column.
 */
export function Pay() {
  const t = useT();
  const range = useRange();
  const report = useQuery({
    queryKey: [...queryKeys.reviewers(range.from, range.to), 'pay'],
    queryFn: () => bound(reviewReports).pay(range),
  });
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="pay">
      <h2 id="pay">{t('usage.pay')}</h2>
      <Read from={report} lines={6}>
        {(found) => (found.rows.length === 0 ? <p>{t('usage.no_reviews')}</p> : <Table report={found} />)}
      </Read>
    </section>
  );
}

/** The columns of the table: the bands that each sums. */
const columns: readonly (readonly (keyof Row['bands'])[])[] = [
  ['new'],
  ['from_70', 'from_75'],
  ['from_85', 'from_95'],
  ['sentences', 'exact', 'context'],
  ['repetitions'],
];

function Table({ report: { from, to, rows } }: { report: PayReport }) {
  const t = useT();
  const { number, percent, utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const { run, error, isBusy } = useAction();
  const save = run(async () => {
    const { fileName, content } = await bound(reviewReports).payXlsx({ from, to });
    await saveFile({ fileName, body: content });
    announce(t('usage.saved'));
  });
  const between = (low: number, high: number) => `${percent(low)}–${percent(high)}`;
  const names = [
    t('usage.pay_new'),
    between(0.7, 0.84),
    between(0.85, 0.99),
    t('usage.pay_exact'),
    t('usage.pay_repetitions'),
  ];
  return (
    <>
      <p className="hint">{t('usage.pay_hint')}</p>
      <div className="table-scroll">
        <table className={`stacked ${styles['table']}`}>
          <caption>{t('usage.pay_of', { from: utcDay(from), to: utcDay(to) })}</caption>
          <thead>
            <tr>
              {[t('usage.reviewer'), t('usage.pay_languages'), t('usage.pay_words'), ...names].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.user_id} ${row.source_lang} ${row.target_lang} ${row.review}`}>
                <th scope="row">
                  <bdi translate="no">{row.email ?? row.user_id}</bdi>
                  {row.review === 'second' && (
                    <span className={styles['known']}>{t('assignments.second_review')}</span>
                  )}
                </th>
                <td data-label={t('usage.pay_languages')}>
                  {`${nameOf(row.source_lang)} → ${nameOf(row.target_lang)}`}
                </td>
                <td data-label={t('usage.pay_words')}>{number(row.words)}</td>
                {columns.map((bands, at) => (
                  <td key={bands[0]} data-label={names[at]}>
                    {number(bands.reduce((sum, band) => sum + row.bands[band].words, 0))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error !== undefined && <Problem error={error} />}
      <button
        type="button"
        className={styles['below']}
        disabled={isBusy}
        onClick={(event) => void save(event)}
      >
        {t('usage.export_pay')}
      </button>
    </>
  );
}
