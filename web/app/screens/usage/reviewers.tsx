import type { ReviewerReport } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { MemberName } from '../../parts/member-name.tsx';
import { csvOf, saveFile } from '../../parts/save-file.ts';
import { useReviewers } from './reports.ts';
import styles from './usage.module.css';

/**
 * A report for the selected days with a row for each reviewer: the decisions, the percentage of changed words, and the
 * working time.
 */
export function Reviewers() {
  const t = useT();
  const report = useReviewers();
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="reviewers">
      <h2 id="reviewers">{t('usage.reviewers')}</h2>
      <Read from={report} lines={6}>
        {(found) =>
          found.reviewers.length === 0 ? <p>{t('usage.no_member_reviews')}</p> : <Table report={found} />
        }
      </Read>
    </section>
  );
}

function Table({ report }: { report: ReviewerReport }) {
  const t = useT();
  const { number, percent, utcDay, duration } = useFormat();
  const most = Math.max(1, ...report.reviewers.map(reviewsOf));
  const save = async () => {
    const body = csvOf(
      columns,
      report.reviewers.map((one) => columns.map((name) => one[name])),
    );
    await saveFile({ fileName: `reviewers-${report.from}-${report.to}.csv`, body });
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
              <th scope="col">{t('usage.reviews')}</th>
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
                  <MemberName email={one.email} id={one.user_id} />
                </th>
                <td data-label={t('usage.reviews')} className={styles['measure']}>
                  <Bar className={styles['part']} max={most} value={reviewsOf(one)} />
                  <span>{number(reviewsOf(one))}</span>
                </td>
                <td data-label={t('usage.approved')}>{number(one.approved)}</td>
                <td data-label={t('usage.edited')}>{number(one.edited)}</td>
                <td data-label={t('usage.rejected')}>{number(one.rejected)}</td>
                <td data-label={t('usage.edit_distance')}>
                  {one.words > 0 ? percent(one.edits / one.words) : t('usage.unknown')}
                  <Known of={one.measured} all={one.approved + one.edited} />
                </td>
                <td data-label={t('usage.time_each')}>
                  {one.timed > 0 ? duration(one.worked_ms / one.timed) : t('usage.unknown')}
                  <Known of={one.timed} all={reviewsOf(one)} />
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

function reviewsOf({ approved, edited, rejected }: ReviewerReport['reviewers'][number]): number {
  return approved + edited + rejected;
}

/** Shows how many of the reviews a figure is based on, if it is not based on all. */
function Known({ of, all }: { of: number; all: number }) {
  const t = useT();
  const { number } = useFormat();
  if (of === 0 || of >= all) return null;
  return <span className={styles['known']}>{t('usage.known', { of: number(of), all: number(all) })}</span>;
}

/** The columns of the file: the field names and sums of the service. */
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
] as const satisfies readonly (keyof ReviewerReport['reviewers'][number])[];
