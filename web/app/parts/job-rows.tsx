import { Link } from '@tanstack/react-router';
import { useT } from '../i18n.tsx';
import { useFormat } from './format.ts';
import styles from './job-rows.module.css';
import { JobStatus } from './job-status.tsx';
import { LanguageText } from './language-text.tsx';
import { useLanguages } from './languages.tsx';

/** A job in a list. */
export interface JobSummary {
  id: string;
  status: string;
  source_lang: string;
  target_lang: string;
  /** At most 300 characters of each text. */
  source_excerpt: string;
  translation_excerpt: string | null;
  triggers: string[];
  updated_at: string;
}

/** Jobs as rows: their texts, each in its language, and their status. @param empty the text shown without jobs */
export function JobRows({ jobs, empty }: { jobs: readonly JobSummary[]; empty: string | undefined }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { moment } = useFormat();
  if (jobs.length === 0) return empty === undefined ? null : <p>{empty}</p>;
  return (
    <ul className="rows">
      {jobs.map((job) => (
        <li key={job.id} className={styles.row}>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }} className={styles.texts}>
            <LanguageText as="span" language={job.source_lang} className={styles.text}>
              {job.source_excerpt}
            </LanguageText>
            {job.translation_excerpt && (
              <LanguageText as="span" language={job.target_lang} className={styles.translation}>
                {job.translation_excerpt}
              </LanguageText>
            )}
          </Link>
          <span className={styles.about}>
            <JobStatus status={job.status} />
            <span className="hint">
              {t('jobs.pair', { from: nameOf(job.source_lang), to: nameOf(job.target_lang) })}
            </span>
            <time className="hint" dateTime={job.updated_at}>
              {moment(job.updated_at)}
            </time>
          </span>
        </li>
      ))}
    </ul>
  );
}
