import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n.tsx';
import { JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { openCandidates } from './open-language.tsx';
import styles from './translate.module.css';
import { isDone, type useSeries } from './use-series.ts';

/**
 * Shows the pages of a text file. Each page is a job. The number of pages is known after the first page was translated.
 */
export function FilePages({
  series: { state, jobs, error },
  resume,
}: {
  series: Pick<ReturnType<typeof useSeries>, 'state' | 'jobs' | 'error'>;
  resume: () => Promise<void>;
}) {
  const t = useT();
  if (state === 'ready') return <p className="hint">{t('translate.results_here')}</p>;
  const pages = [...jobs].toSorted(([a], [b]) => a - b);
  const count = pageCount(pages[0]?.[1]) ?? pages.length;
  const finished = pages.filter(([, { status }]) => isDone(status)).length;
  const failing = state === 'failed' ? pages.find(([, { status }]) => status === 'failed')?.[0] : undefined;
  return (
    <>
      {count > 0 && (
        <>
          <p>{t('translate.progress', { done: finished, count })}</p>
          <progress value={finished} max={count} aria-label={t('translate.results')} />
        </>
      )}
      {state === 'failed' && failing === undefined && !openCandidates(error) && (
        <Problem error={error} retry={() => void resume()} />
      )}
      <ol className="rows">
        {pages.map(([page, job]) => (
          <li key={page} className={styles.item}>
            <div>
              <span className="hint">{t('translate.page', { page: page + 1 })}</span>
              <LanguageText language={job.request.source_lang} className={styles.excerpt}>
                {job.request.source_text}
              </LanguageText>
            </div>
            <div>
              <JobStatus status={job.status} />
              {job.final_translation && (
                <LanguageText language={job.request.target_lang} className={styles.excerpt}>
                  {job.final_translation}
                </LanguageText>
              )}
              <Warnings of={job.warnings} />
              <p>
                <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
                  {t('jobs.open')}
                </Link>
              </p>
              {page === failing && (
                <>
                  <Problem error={error} />
                  <button type="button" className="small primary" onClick={() => void resume()}>
                    {t('translate.resume')}
                  </button>
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The number of pages of a job's file. */
function pageCount(
  job: { request: { metadata?: Record<string, unknown> | undefined } } | undefined,
): number | undefined {
  const document = job?.request.metadata?.['source_document'] as { page_count?: unknown } | undefined;
  return typeof document?.page_count === 'number' ? document.page_count : undefined;
}
