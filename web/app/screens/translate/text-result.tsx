import { Link } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import type { TranslationJob, TranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { JobDownloads } from '../../parts/job-downloads.tsx';
import { isDownloadable, JobStatus } from '../../parts/job-status.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { appliedTerms, MarkedText } from './marked-text.tsx';
import { openCandidates } from './open-language.tsx';
import styles from './panes.module.css';
import { Spinner, stateOfJob } from './run-mark.tsx';

/**
 * The translation of a text into one language: the request and its result. Until it has a job or an error, the
 * translation is in progress.
 */
export interface TextRun {
  request: TranslationRequest;
  job?: TranslationJob;
  error?: unknown;
}

/** The state of a run; undefined if the service asks for the language of the text. */
export function stateOfRun({ job, error }: TextRun) {
  if (error) return openCandidates(error) ? undefined : 'failed';
  return job ? stateOfJob(job) : 'running';
}

/**
 * Shows the result of translating a text into one language.
 * @param isOld whether the source text has changed since
 * @param retry sends the same request again, with the same idempotency key
 */
export function TextResult({ run, isOld, retry }: { run: TextRun; isOld: boolean; retry: () => void }) {
  const t = useT();
  const { job, error } = run;
  const text = job?.final_translation ?? job?.baseline_translation;
  return (
    <article className={styles.result} aria-busy={!job && !error}>
      <div className={styles.content}>
        {!job && !error && (
          <p className={styles.running}>
            <Spinner size={16} /> {t('translate.translating')}
          </p>
        )}
        {error ? <Problem error={error} retry={retry} /> : null}
        {job?.agent_run.error && <p className={styles.problem}>{job.agent_run.error}</p>}
        {job && text && (
          <MarkedText
            text={text}
            language={run.request.target_lang}
            terms={appliedTerms(job)}
            className={styles.text}
          />
        )}
        {job && <Warnings of={job.warnings} />}
        {job && (job.status === 'awaiting_review' || job.status === 'refined') && (
          <p className={styles.waits}>
            {t('translate.waits')}{' '}
            <Link to="/app/edit/texts" search={{ item: job.id }}>
              {t('translate.open_review')}
            </Link>
          </p>
        )}
        {isOld && job && <p className="hint">{t('translate.source_changed')}</p>}
      </div>
      {job && <ResultFoot job={job} text={text ?? ''} />}
    </article>
  );
}

/** The score and the terms of a translation, and what can be done with it. */
function ResultFoot({ job, text }: { job: TranslationJob; text: string }) {
  const t = useT();
  const { number } = useFormat();
  const { quality_gate: gate } = job.agent_run;
  const terms = appliedTerms(job);
  const sets = [...new Set(terms.map(({ setName }) => setName))];
  return (
    <footer className={styles.foot}>
      <JobStatus status={job.status} />
      {gate && (
        <span className={gate.score >= gate.threshold ? 'badge good' : 'badge waits'}>
          <Gauge size={13} aria-hidden />
          {t('translate.score', { score: number(gate.score) })}
        </span>
      )}
      {terms.length > 0 && (
        <span className="badge" title={sets.join(', ')}>
          {t('translate.terms_used', { count: terms.length })} <bdi translate="no">{sets[0]}</bdi>
          {sets.length > 1 && ` +${sets.length - 1}`}
        </span>
      )}
      <span className={styles.actions}>
        <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
          {t('jobs.open')}
        </Link>
        {isDownloadable(job.status) && <JobDownloads jobId={job.id} />}
        {text && <CopyButton text={text} />}
      </span>
    </footer>
  );
}
