import { Link } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import { Fragment } from 'react';
import type { TranslationJob, TranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { CopyButton, copyName } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { JobDownloads } from '../../parts/job-downloads.tsx';
import { isDownloadable, JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Warnings } from '../../parts/warnings.tsx';
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
        {text && <CopyButton text={text} name={copyName(job.status)} />}
      </span>
    </footer>
  );
}

/** Placeholders and tags: a look only; the service decides what a placeholder is. */
const placeholder =
  /\{\{?[\w.-]{1,60}\}?\}|%(?:\d+\$)?[sd@]|%\{\w{1,60}\}|<\/?[a-zA-Z][\w-]{0,30}[^<>]{0,200}>/g;

/** Maximum length of a text whose parts are marked, in UTF-16 units. */
const longest = 20_000;

interface Mark {
  start: number;
  end: number;
  kind: 'placeholder' | 'term';
}

/** The terms of a glossary that a job applied, as the service stores them. */
interface AppliedTerm {
  target: string;
  setName: string;
}

/** The glossary terms that the service found in the text of a job. */
function appliedTerms({ request }: TranslationJob): AppliedTerm[] {
  const entries = request.metadata?.['terminology_entries'];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap(({ target_term: target, set_name: setName }: Record<string, unknown>) =>
    typeof target === 'string' && typeof setName === 'string' ? { target, setName } : [],
  );
}

/** Shows a translation with its placeholders as chips, and its glossary terms underlined. */
function MarkedText({
  text,
  language,
  terms,
  className,
}: {
  text: string;
  language: string;
  terms: readonly AppliedTerm[];
  className: string | undefined;
}) {
  let at = 0;
  return (
    <LanguageText language={language} className={className}>
      {marksIn(text, terms).map(({ start, end, kind }) => {
        const before = text.slice(at, start);
        at = end;
        return (
          <Fragment key={start}>
            {before}
            <span className={styles[kind]}>{text.slice(start, end)}</span>
          </Fragment>
        );
      })}
      {text.slice(at)}
    </LanguageText>
  );
}

/** The marked parts of a text, in order and without overlaps. */
function marksIn(text: string, terms: readonly AppliedTerm[]): Mark[] {
  if (text.length > longest) return [];
  const found = [...text.matchAll(placeholder)].map(
    ({ index, 0: { length } }): Mark => ({ start: index, end: index + length, kind: 'placeholder' }),
  );
  const lower = text.toLowerCase();
  for (const target of new Set(terms.map((term) => term.target.toLowerCase()))) {
    if (target === '' || lower.length !== text.length) continue;
    for (let start = lower.indexOf(target); start >= 0; start = lower.indexOf(target, start + target.length))
      found.push({ start, end: start + target.length, kind: 'term' });
  }
  const marks: Mark[] = [];
  for (const mark of found.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (mark.start >= (marks.at(-1)?.end ?? 0)) marks.push(mark);
  return marks;
}
