import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../../client.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { JobRows, type JobSummary, summaryOf } from '../../parts/job-rows.tsx';
import { Read } from '../../parts/loading.tsx';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { AllowanceLeft } from './allowance.tsx';
import { DocumentsUnderWay } from './documents-under-way.tsx';
import styles from './home.module.css';

/** Jobs of a status that this screen shows; the list has the others. */
const most = 5;

/** `/app`: what waits for the person, what is under way, what is left of the allowance, and what failed last. */
export function HomeScreen() {
  const t = useT();
  const me = useMe();
  const waiting = useNewest('awaiting_review');
  const running = useNewest('pending');
  const failed = useNewest('failed');
  return (
    <>
      <title>{`${t('common.home')} · LinguaLoop`}</title>
      <h1>{t('common.home')}</h1>
      <div className={styles.grid}>
        <Part title="home.waiting" action={<AllOf status="awaiting_review" />}>
          <Read from={waiting}>{(jobs) => <JobRows jobs={jobs} empty={t('common.nothing_waits')} />}</Read>
        </Part>
        {me.data && isAdministrator(me.data) && (
          <Part title="home.allowance">
            <AllowanceLeft tenantId={me.data.tenant.id} />
          </Part>
        )}
        <Part title="home.under_way" action={<AllOf status="pending" />}>
          <Read from={running}>{(jobs) => <JobRows jobs={jobs} empty={t('home.nothing_runs')} />}</Read>
          <DocumentsUnderWay />
        </Part>
        <Part title="home.failures" action={<AllOf status="failed" />}>
          <Read from={failed}>{(jobs) => <JobRows jobs={jobs} empty={t('home.nothing_failed')} />}</Read>
        </Part>
      </div>
    </>
  );
}

/** The jobs of a status that changed last. Looked at again while the person does, and when they come back to the tab. */
function useNewest(status: 'awaiting_review' | 'pending' | 'failed') {
  return useQuery({
    queryKey: ['jobs', 'newest', status],
    queryFn: async (): Promise<JobSummary[]> => {
      const { items } = await client.translations.listPage({ status, limit: most });
      return items.map(summaryOf);
    },
    refetchInterval: 10_000,
  });
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

function AllOf({ status }: { status: 'awaiting_review' | 'pending' | 'failed' }) {
  const t = useT();
  return (
    <Link to="/app/jobs" search={{ status }} aria-label={t(`home.all_${status}`)}>
      {t('home.all')}
    </Link>
  );
}
