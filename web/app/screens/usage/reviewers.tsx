import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReviewerReport } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './usage.module.css';

type Figures = ReviewerReport['reviewers'][number];

/**
 * A report for the selected days with a row for each reviewer: the decisions, the percentage of changed words, and the
 * working time.
 */
export function Reviewers() {
  const t = useT();
  const { from, to } = useSearch({ from: '/workspace/app/reports' });
  const report = useQuery({
    queryKey: queryKeys.reviewers(from, to),
    queryFn: () => client.reviews.byReviewer({ ...(from && { from }), ...(to && { to }) }),
  });
  return (
    <section aria-labelledby="reviewers">
      <h2 id="reviewers">{t('usage.reviewers')}</h2>
      <Read from={report} lines={6}>
        {(found) =>
          found.reviewers.length === 0 ? <p>{t('usage.no_reviews')}</p> : <Table report={found} />
        }
      </Read>
    </section>
  );
}

function Table({ report }: { report: ReviewerReport }) {
  const t = useT();
  const { number, utcDay } = useFormat();
  const { locale } = useInterface();
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const save = async () => {
    await saveFile({ fileName: `reviewers-${report.from}-${report.to}.csv`, body: csvOf(report.reviewers) });
    announce(t('usage.reviewers_exported'));
  };
  return (
    <>
      <p className="hint">{t('usage.reviewers_hint')}</p>
      <div className="table-scroll">
        <table className={`stacked ${styles['table']}`}>
          <caption>{t('usage.reviewers_of', { from: utcDay(report.from), to: utcDay(report.to) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('usage.reviewer')}</th>
              <th scope="col">{t('usage.approved')}</th>
              <th scope="col">{t('usage.edited')}</th>
              <th scope="col">{t('usage.rejected')}</th>
              <th scope="col">{t('usage.edit_distance')}</th>
              <th scope="col">{t('usage.time_each')}</th>
            </tr>
          </thead>
          <tbody>
            {report.reviewers.map((one) => (
              <tr key={one.user_id}>
                <th scope="row">
                  <bdi translate="no">{one.email ?? one.user_id}</bdi>
                </th>
                <td data-label={t('usage.approved')}>{number(one.approved)}</td>
                <td data-label={t('usage.edited')}>{number(one.edited)}</td>
                <td data-label={t('usage.rejected')}>{number(one.rejected)}</td>
                <td data-label={t('usage.edit_distance')}>
                  {one.words > 0 ? percent.format(one.edits / one.words) : t('usage.unknown')}
                  <Known of={one.measured} all={one.approved + one.edited} />
                </td>
                <td data-label={t('usage.time_each')}>
                  {one.timed > 0 ? durationOf(one.worked_ms / one.timed, locale) : t('usage.unknown')}
                  <Known of={one.timed} all={one.approved + one.edited + one.rejected} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" className={styles['below']} onClick={() => void save()}>
        {t('usage.export_reviewers')}
      </button>
    </>
  );
}

/** Shows how many of the reviews a figure is based on, if it is not based on all. */
function Known({ of, all }: { of: number; all: number }) {
  const t = useT();
  const { number } = useFormat();
  if (of === 0 || of >= all) return null;
  return <span className={styles['known']}>{t('usage.known', { of: number(of), all: number(all) })}</span>;
}

/** Minutes and seconds in the interface language. */
function durationOf(milliseconds: number, locale: string): string {
  const seconds = Math.round(milliseconds / 1000);
  const part = (value: number, unit: 'minute' | 'second') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' }).format(value);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0
    ? part(seconds, 'second')
    : `${part(minutes, 'minute')} ${part(seconds % 60, 'second')}`;
}

const columns = [
  'user_id',
  'email',
  'approved',
  'edited',
  'rejected',
  'measured',
  'words',
  'edits',
  'timed',
  'worked_ms',
] as const satisfies readonly (keyof Figures)[];

/** The report as CSV (RFC 4180), with the field names and sums of the service. */
function csvOf(reviewers: readonly Figures[]): string {
  const cell = (value: string | number | null) => {
    if (typeof value !== 'string') return String(value ?? '');
    // A spreadsheet would evaluate an email address such as =a@example.org as a formula.
    const text = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
    return `"${text.replaceAll('"', '""')}"`;
  };
  const lines = reviewers.map((one) => columns.map((name) => cell(one[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}
