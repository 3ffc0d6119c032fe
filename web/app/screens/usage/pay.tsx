import { useQuery } from '@tanstack/react-query';
import { reviewReports } from '#sdk/review-reports.ts';
import type { PayReport } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { MemberName } from '../../parts/member-name.tsx';
import { queryKeys } from '../../query-keys.ts';
import { ReviewerTable } from './report-parts.tsx';
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
  const between = (low: number, high: number) => `${percent(low)}–${percent(high)}`;
  return (
    <ReviewerTable
      caption={t('usage.pay_of', { from: utcDay(from), to: utcDay(to) })}
      hint={t('usage.pay_hint')}
      names={[
        ...[t('usage.reviewer'), t('usage.pay_languages'), t('usage.pay_words'), t('usage.pay_new')],
        ...[between(0.7, 0.84), between(0.85, 0.99), t('usage.pay_exact'), t('usage.pay_repetitions')],
      ]}
      rows={rows.map((row) => ({
        key: `${row.user_id} ${row.source_lang} ${row.target_lang} ${row.review}`,
        reviewer: (
          <>
            <MemberName email={row.email} id={row.user_id} />
            {row.review === 'second' && (
              <span className={styles['known']}>{t('assignments.second_review')}</span>
            )}
          </>
        ),
        cells: [
          `${nameOf(row.source_lang)} → ${nameOf(row.target_lang)}`,
          number(row.words),
          ...columns.map((bands) => number(bands.reduce((sum, band) => sum + row.bands[band].words, 0))),
        ],
      }))}
      exportName={t('usage.export_pay')}
      workbook={() => bound(reviewReports).payXlsx({ from, to })}
    />
  );
}
