import { Link } from '@tanstack/react-router';
import type { TranslationJob, TranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { JobDownloads } from '../../parts/job-downloads.tsx';
import { isDownloadable, JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { detected, SourceLanguage } from '../../parts/source-language.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import styles from './translate.module.css';

/**
 * The translation of a text into one language: the request and its result. Until it has a job or an error, the
 * translation is in progress.
 */
export interface TextRun {
  request: TranslationRequest;
  job?: TranslationJob;
  error?: unknown;
}

/**
 * Shows the result of translating a text into one language.
 * @param retry sends the same request again, with the same idempotency key
 */
export function TextResult({ run, retry }: { run: TextRun; retry: () => void }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { job, error } = run;
  const language = run.request.target_lang;
  const text = job?.final_translation ?? job?.baseline_translation;
  return (
    <article className={styles.result} aria-busy={!job && !error}>
      <header>
        <h2>{nameOf(language)}</h2>
        {run.request.source_lang === detected && job && (
          <span className="hint">
            <SourceLanguage request={job.request} />
          </span>
        )}
        {job && <JobStatus status={job.status} />}
      </header>
      {!job && !error && <p className="hint">{t('translate.translating')}</p>}
      {error ? <Problem error={error} retry={retry} /> : null}
      {job?.agent_run.error && <p className={styles.problem}>{job.agent_run.error}</p>}
      {text && (
        <LanguageText language={language} className={styles.translation}>
          {text}
        </LanguageText>
      )}
      {job && <Warnings of={job.warnings} />}
      {job?.status === 'awaiting_review' && <p className="hint">{t('translate.waits')}</p>}
      {job && (
        <>
          {isDownloadable(job.status) && <JobDownloads jobId={job.id} />}
          <div className="actions">
            {text && <CopyButton text={text} />}
            <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
              {t('jobs.open')}
            </Link>
          </div>
        </>
      )}
    </article>
  );
}
