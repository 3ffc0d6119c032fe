import { Link } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import { Fragment } from 'react';
import type { TranslationJob, TranslationRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { Badge, Flaw, Text } from '../../kit/text.tsx';
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
    <article aria-busy={!job && !error}>
      <Stack pad={5} gap={4} isFilling>
        {!job && !error && (
          <Row as="p">
            <Spinner size={16} /> <Text tone="soft">{t('translate.translating')}</Text>
          </Row>
        )}
        {error ? <Problem error={error} retry={retry} /> : null}
        {job?.agent_run.error && <Flaw>{job.agent_run.error}</Flaw>}
        {job && text && (
          <MarkedText text={text} language={run.request.target_lang} terms={appliedTerms(job)} />
        )}
        {job && <Warnings of={job.warnings} />}
        {job && (job.status === 'awaiting_review' || job.status === 'refined') && (
          <Card tone="warn" pad={3}>
            <Text as="p" size="sm">
              {t('translate.waits')}{' '}
              <Link to="/app/edit/texts" search={{ item: job.id }}>
                {t('translate.open_review')}
              </Link>
            </Text>
          </Card>
        )}
        {isOld && job && <p className="hint">{t('translate.source_changed')}</p>}
      </Stack>
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
    <Row as="footer" pad={3} justify="space-between">
      <Row>
        <JobStatus status={job.status} />
        {gate && (
          <Badge tone={gate.score >= gate.threshold ? 'good' : 'waits'}>
            <Gauge size={13} aria-hidden />
            {t('translate.score', { score: number(gate.score) })}
          </Badge>
        )}
        {terms.length > 0 && (
          <Badge title={sets.join(', ')}>
            {t('translate.terms_used', { count: terms.length })} <bdi translate="no">{sets[0]}</bdi>
            {sets.length > 1 && ` +${sets.length - 1}`}
          </Badge>
        )}
      </Row>
      <Row gap={3}>
        <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
          {t('jobs.open')}
        </Link>
        {isDownloadable(job.status) && <JobDownloads jobId={job.id} />}
        {text && <CopyButton text={text} name={copyName(job.status)} />}
      </Row>
    </Row>
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
}: {
  text: string;
  language: string;
  terms: readonly AppliedTerm[];
}) {
  let at = 0;
  return (
    <LanguageText language={language} className={styles.text}>
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
