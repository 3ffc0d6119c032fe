import type { ReviewerReport } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Section } from '../../kit/section.tsx';
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
    <Section title={t('usage.reviewers')} why={t('usage.reviewers_hint')}>
      <Read from={report} lines={6}>
        {(found) =>
          found.reviewers.length === 0 ? <p>{t('usage.no_member_reviews')}</p> : <Table report={found} />
        }
      </Read>
    </Section>
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
      <DataTable
        caption={t('usage.reviewers_of', { from: utcDay(report.from), to: utcDay(report.to) })}
        rows={report.reviewers}
        keyOf={({ user_id }) => user_id}
        columns={[
          {
            title: t('usage.reviewer'),
            isName: true,
            cell: (one) => <MemberName email={one.email} id={one.user_id} />,
          },
          {
            title: t('usage.reviews'),
            isNumeric: true,
            cell: (one) => (
              <Row as="span" isTight justify="end">
                <Bar className={styles['part']} max={most} value={reviewsOf(one)} />
                <span>{number(reviewsOf(one))}</span>
              </Row>
            ),
          },
          { title: t('usage.approved'), isNumeric: true, cell: (one) => number(one.approved) },
          { title: t('usage.edited'), isNumeric: true, cell: (one) => number(one.edited) },
          { title: t('usage.rejected'), isNumeric: true, cell: (one) => number(one.rejected) },
          {
            title: t('usage.edit_distance'),
            isNumeric: true,
            cell: (one) => (
              <>
                {one.words > 0 ? percent(one.edits / one.words) : t('usage.unknown')}
                <Known of={one.measured} all={one.approved + one.edited} />
              </>
            ),
          },
          {
            title: t('usage.time_each'),
            isNumeric: true,
            cell: (one) => (
              <>
                {one.timed > 0 ? duration(one.worked_ms / one.timed) : t('usage.unknown')}
                <Known of={one.timed} all={reviewsOf(one)} />
              </>
            ),
          },
        ]}
      />
      <Row>
        <button type="button" onClick={() => void save()}>
          {t('usage.export_reviewers')}
        </button>
      </Row>
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
  return <span className="hint">{t('usage.known', { of: number(of), all: number(all) })}</span>;
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
