import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
import { fileFailureText } from '../../parts/file-failure.ts';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem, problemText } from '../../parts/problem.tsx';
import { detected } from '../../parts/source-language.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { isApproved } from '../documents/files.ts';
import { isInFlight } from '../documents/use-progress.ts';
import type { FileQueue, FileTask, ListedFile } from './file-queue.ts';
import styles from './files.module.css';
import { OpenLanguage, openCandidates } from './open-language.tsx';
import { Spinner } from './run-mark.tsx';
import { isDone, pageCount, type SeriesView } from './series.ts';
import { SeriesItem } from './series-item.tsx';
import type { DocumentState } from './use-document-states.ts';

/** A file into one language: its progress, then its result or its error in words, and what can be done. */
export function FileTaskLine({
  file,
  name,
  task,
  state,
  queue,
}: {
  file: ListedFile;
  name: string;
  task: FileTask;
  state: DocumentState | undefined;
  queue: FileQueue;
}) {
  const t = useT();
  const { number } = useFormat();
  const { target, share } = task;
  const again = () => queue.again(file.id, target);
  if (task.state === 'waiting')
    return (
      <Line task={task}>
        <StatusMark status="todo" /> {t('translate.waiting')}
        <Stop name={name} onStop={() => queue.stop(file.id, target)} />
      </Line>
    );
  if (task.state === 'stopped')
    return (
      <Line task={task}>
        <StatusMark status="rejected" /> {t('translate.stopped')}
        {file.file && <Again name={name} onClick={again} />}
      </Line>
    );
  if (task.state === 'sending')
    return (
      <Line task={task} bar={<progress value={share} aria-label={t('translate.uploading')} />}>
        <Spinner size={16} />
        {share < 1
          ? t('translate.uploading_share', { share: number(Math.round(share * 100)) })
          : t('translate.uploaded')}
        <Stop name={name} onStop={() => queue.stop(file.id, target)} />
      </Line>
    );
  if (task.state === 'failed') return <FailedLine file={file} name={name} tasks={[task]} queue={queue} />;
  if (task.pages) return <PagesLine file={file} task={task} />;
  return state ? <DocumentLine name={name} task={task} state={state} /> : null;
}

/** @param bar the progress of the line */
function Line({ task, bar, children }: { task: FileTask; bar?: ReactNode; children: ReactNode }) {
  const { nameOf } = useLanguages();
  return (
    <Stack gap={1}>
      <div className={styles.line}>
        {task.target && <b>{nameOf(task.target)}</b>}
        {children}
      </div>
      {bar}
    </Stack>
  );
}

function Stop({ name, onStop }: { name: string; onStop: () => void }) {
  const t = useT();
  return (
    <button type="button" className="small" aria-label={t('translate.stop_file', { name })} onClick={onStop}>
      {t('translate.stop')}
    </button>
  );
}

function Again({ name, onClick }: { name: string; onClick: () => void }) {
  const t = useT();
  return (
    <button
      type="button"
      className="small"
      aria-label={t('translate.retry_file', { name })}
      onClick={onClick}
    >
      {t('common.retry')}
    </button>
  );
}

/**
 * The error of a file, and what can be done.
 * @param tasks the languages with this error; mostly it is the same for all
 */
export function FailedLine({
  file,
  name,
  tasks,
  queue,
}: {
  file: ListedFile;
  name: string;
  tasks: readonly FileTask[];
  queue: FileQueue;
}) {
  const t = useT();
  const [first] = tasks;
  if (!first) return null;
  const { error } = first;
  const again = (from?: string) => {
    for (const { target } of tasks) queue.again(file.id, target, from);
  };
  const shown = tasks.length === 1 ? first : { ...first, target: '' };
  if (openCandidates(error))
    return (
      <Line task={shown}>
        <OpenLanguage error={error} from={detected} onChoose={again} />
      </Line>
    );
  const mayRetry = !(error instanceof LinguaLoopError) || mayHelp(error.status);
  return (
    <Line task={shown}>
      <StatusMark status="critical" />
      <Flaw as="span" role="alert">
        {error === undefined ? t('translate.file_lost') : refusalText(error, t)}
      </Flaw>
      {mayRetry && file.file && <Again name={name} onClick={() => again()} />}
    </Line>
  );
}

/** Describes why a file was not accepted: in the words of the service, if it rejected the file itself. */
function refusalText(error: unknown, t: Translate): string {
  const message = error instanceof LinguaLoopError && typeof error.detail === 'string' ? error.detail : '';
  const isOfFile = message.startsWith('source_document: ');
  return isOfFile
    ? fileFailureText({ code: 'unexpected_error', error_type: null, message }, t)
    : problemText(error, t);
}

/** Whether all languages of a file have failed with the same error. */
export function failedAlike(tasks: readonly FileTask[], t: Translate): boolean {
  const texts = tasks.map(({ state, error }) => state === 'failed' && problemText(error, t));
  return tasks.length > 1 && texts[0] !== false && texts.every((text) => text === texts[0]);
}

/** Whether the same file may be accepted later. */
function mayHelp(status: number | null): boolean {
  return status === null || status === 402 || status === 429 || status >= 500;
}

/** A document: its progress in the service, or its result. */
function DocumentLine({
  name,
  task,
  state: { document, progress },
}: {
  name: string;
  task: FileTask;
  state: DocumentState;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const status = progress?.status ?? document.status;
  const quality = document.quality_report?.metadata['llm_quality'] as
    | { needs_review_units?: number }
    | undefined;
  const waiting = quality?.needs_review_units ?? 0;
  const [mark, words]: [Status, string] = isApproved(document)
    ? ['confirmed', t('documents.approved')]
    : status === 'failed'
      ? ['critical', document.failure ? fileFailureText(document.failure, t) : t('documents.status_failed')]
      : waiting > 0
        ? ['warning', t('translate.ready_waiting', { count: waiting })]
        : ['todo', t('documents.state_needs_review')];
  return (
    <Line
      task={task}
      bar={
        <>
          {isInFlight(status) && (
            <progress max={100} value={progress?.percent ?? 0} aria-label={t('documents.progress')} />
          )}
          <Warnings of={document.warnings} />
        </>
      }
    >
      {isInFlight(status) ? (
        <>
          <Spinner size={16} />
          <span role="status">
            {progress && progress.total_segments > 0
              ? t('translate.document_share', { share: Math.round(progress.percent) })
              : progress
                ? t(`documents.stage_${progress.stage}`)
                : t('translate.document_queued')}
          </span>
        </>
      ) : (
        <>
          <StatusMark status={mark} />
          <Text tone={status === 'failed' ? 'crit' : undefined} title={document.failure?.message}>
            {words}
          </Text>
        </>
      )}
      <Link
        className="button"
        to="/app/edit/documents/$documentId"
        params={{ documentId: document.id }}
        aria-label={t('translate.document_open', { name, language: nameOf(task.target) })}
      >
        {t('translate.open')}
      </Link>
    </Line>
  );
}

/** A text file: how many of its pages are translated, and its pages. */
function PagesLine({ file, task }: { file: ListedFile; task: FileTask }) {
  const t = useT();
  const { series, pages } = task;
  if (!series || !pages) return null;
  const jobs = [...pages.jobs.values()];
  const count = pageCount(jobs[0]) ?? jobs.length;
  const done = jobs.filter(({ status }) => isDone(status)).length;
  const isRunning = pages.state === 'running';
  const waiting = jobs.filter(({ status }) => status === 'awaiting_review').length;
  return (
    <Line
      task={task}
      bar={
        <>
          {isRunning && (
            <progress value={done} max={Math.max(count, 1)} aria-label={t('translate.results')} />
          )}
          <FilePages view={pages} resume={() => void (file.file ? series.resume() : undefined)} />
        </>
      }
    >
      {isRunning ? (
        <Spinner size={16} />
      ) : (
        <StatusMark status={pages.state === 'failed' ? 'critical' : waiting > 0 ? 'warning' : 'confirmed'} />
      )}
      <span role="status">
        {count > 0 ? t('translate.progress', { done, count }) : t('translate.uploaded')}
      </span>
      {pages.state === 'failed' && !file.file && <Flaw as="span">{t('translate.file_lost')}</Flaw>}
      {waiting > 0 && !isRunning && <span>{t('translate.pages_waiting', { count: waiting })}</span>}
    </Line>
  );
}

/**
 * Shows the pages of a text file. Each page is a job. The number of pages is known after the first page was translated.
 * The list is open if a page has failed.
 */
function FilePages({ view: { state, jobs, error }, resume }: { view: SeriesView; resume: () => void }) {
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
        <Disclosure
          title={t('translate.pages', { count: pages.length })}
          isOpen={failing !== undefined || undefined}
        >
          <ol className="rows">
            {pages.map(([page, job]) => (
              <SeriesItem
                key={page}
                job={job}
                text={job.request.source_text}
                source={job.request.source_lang}
                about={t('translate.page', { page: page + 1 })}
              >
                {page === failing && error !== undefined && (
                  <>
                    <Problem error={error} />
                    <button type="button" className="small primary" onClick={resume}>
                      {t('translate.resume')}
                    </button>
                  </>
                )}
              </SeriesItem>
            ))}
          </ol>
        </Disclosure>
      )}
    </>
  );
}
