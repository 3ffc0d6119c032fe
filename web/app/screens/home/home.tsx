import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../../client.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { JobRows } from '../../parts/job-rows.tsx';
import { Read } from '../../parts/loading.tsx';
import { useJobCounts } from '../../parts/use-job-counts.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { AllowanceLeft } from './allowance.tsx';
import styles from './home.module.css';
import { RecentDocuments } from './recent-documents.tsx';

/** Maximum number of jobs shown for each status; the list of jobs has the others. */
const most = 5;

/** Milliseconds between refreshes. */
const readAgain = 10_000;

type ShownStatus = 'awaiting_review' | 'pending' | 'failed';

/** `/app`: translations that await review, jobs in progress, the remaining allowance, and recent failures. */
export function HomeScreen() {
  const t = useT();
  const me = useMe();
  return (
    <>
      <title>{`${t('common.home')} · LinguaLoop`}</title>
      <h1>{t('common.home')}</h1>
      <div className={styles.grid}>
        <JobsOf status="awaiting_review" title="home.waiting" empty="common.nothing_waits" />
        {me.data && isAdministrator(me.data) && (
          <Part title="home.allowance">
            <AllowanceLeft tenantId={me.data.tenant.id} />
          </Part>
        )}
        <JobsOf status="pending" title="home.under_way" empty="home.nothing_runs">
          <RecentDocuments which="under_way" />
        </JobsOf>
        <JobsOf status="failed" title="home.failures" empty="home.nothing_failed">
          <RecentDocuments which="failed" />
        </JobsOf>
      </div>
    </>
  );
}

/** The most recently changed jobs of a status, the number of jobs with this status, and a link to all of them. */
function JobsOf({
  status,
  title,
  empty,
  children,
}: {
  status: ShownStatus;
  title: MessageId;
  empty: MessageId;
  children?: ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  const jobs = useQuery({
    queryKey: queryKeys.jobs.latest(status),
    queryFn: () => client.translations.searchPage({ statuses: [status], limit: most }),
    refetchInterval: readAgain,
  });
  const counts = useJobCounts();
  const found = counts.data?.by_status.find((one) => one.status === status);
  return (
    <Part
      title={title}
      action={
        found &&
        found.count > 0 && (
          <Link to="/app/texts" search={{ status }}>
            {t(`home.all_${status}`, { count: `${number(found.count)}${found.more ? '+' : ''}` })}
          </Link>
        )
      }
    >
      <Read from={jobs}>{({ items: shown }) => <JobRows jobs={shown} empty={t(empty)} />}</Read>
      {children}
    </Part>
  );
}

function Part({ title, action, children }: { title: MessageId; action?: ReactNode; children: ReactNode }) {
  const t = useT();
  const id = title.replace('.', '-');
  return (
    <section aria-labelledby={id} className={styles.part}>
      <div className={styles.title}>
        <h2 id={id}>{t(title)}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
