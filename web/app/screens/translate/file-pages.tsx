import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n.tsx';
import { JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import styles from './files.module.css';
import { openCandidates } from './open-language.tsx';
import type { SeriesView } from './series.ts';

/**
 * Shows the pages of a text file. Each page is a job. The number of pages is known after the first page was translated.
 * The list is open if a page has failed.
 */
export function FilePages({
  view: { state, jobs, error },
  resume,
}: {
  view: SeriesView;
  resume: () => void;
}) {
  const t = useT();
  const pages = [...jobs].toSorted(([a], [b]) => a - b);
  const failing = state === 'failed' ? pages.find(([, { status }]) => status === 'failed')?.[0] : undefined;
  if (state === 'ready') return null;
  return (
    <>
      {state === 'failed' && failing === undefined && error !== undefined && !openCandidates(error) && (
        <Problem error={error} retry={resume} />
      )}
      {pages.length > 0 && (
        <details className={styles.pages} open={failing !== undefined || undefined}>
          <summary>{t('translate.pages', { count: pages.length })}</summary>
          <ol className="rows">
            {pages.map(([page, job]) => (
              <li key={page} className={styles.page}>
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
                  {page === failing && error !== undefined && (
                    <>
                      <Problem error={error} />
                      <button type="button" className="small primary" onClick={resume}>
                        {t('translate.resume')}
                      </button>
                    </>
                  )}
                </div>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
