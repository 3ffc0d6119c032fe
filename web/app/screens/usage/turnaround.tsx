import { useQuery } from '@tanstack/react-query';
import { reviewReports } from '#sdk/review-reports.ts';
import type { TurnaroundReport } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import { ReviewerTable } from './report-parts.tsx';
import { useRange } from './reports.ts';
import styles from './usage.module.css';

/** How long items awaited their reviews, of those that were decided in the selected days, and whether that was in time. */
export function Turnaround() {
  const t = useT();
  const range = useRange();
  const report = useQuery({
    queryKey: [...queryKeys.reviewers(range.from, range.to), 'turnaround'],
    queryFn: () => bound(reviewReports).turnaround(range),
  });
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="turnaround">
      <h2 id="turnaround">{t('usage.turnaround')}</h2>
      <Read from={report} lines={6}>
        {(found) => (found.rows.length === 0 ? <p>{t('usage.no_reviews')}</p> : <Table report={found} />)}
      </Read>
    </section>
  );
}

function Table({ report: { from, to, rows } }: { report: TurnaroundReport }) {
  const t = useT();
  const { number, span, utcDay } = useFormat();
  const { nameOf } = useLanguages();
  return (
    <ReviewerTable
      caption={t('usage.turnaround_of', { from: utcDay(from), to: utcDay(to) })}
      hint={t('usage.turnaround_hint')}
      names={[
        ...[t('assignments.assigned_to'), t('usage.pay_languages'), t('assignments.items')],
        ...[t('usage.first_median'), t('usage.first_p90'), t('usage.last_median'), t('usage.last_p90')],
        ...[t('usage.on_time'), t('assignments.overdue')],
      ]}
      rows={rows.map((row) => ({
        key: `${row.user_id} ${row.source_lang} ${row.target_lang}`,
        reviewer:
          row.user_id === null ? (
            t('assignments.unassigned')
          ) : (
            <bdi translate="no">{row.name ?? row.user_id}</bdi>
          ),
        cells: [
          `${nameOf(row.source_lang)} → ${nameOf(row.target_lang)}`,
          number(row.items),
          ...[row.first_median, row.first_p90, row.last_median, row.last_p90].map(span),
          ...[row.on_time, row.overdue].map(number),
        ],
      }))}
      exportName={t('usage.export_turnaround')}
      workbook={() => bound(reviewReports).turnaroundXlsx({ from, to })}
    />
  );
}
