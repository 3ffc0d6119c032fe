import { Link } from '@tanstack/react-router';
import { ArrowRight, Clock } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { Due } from '../../assignments/due.tsx';
import { useInterface, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { Holders } from './holders.tsx';
import styles from './inbox.module.css';
import { rowMark, type Selection, SelectRow } from './selection.tsx';
import { keyOf, pairOf, type Task } from './tasks.ts';

/** Hours after which the waiting time of a task is emphasized. */
const lateHours = 24;

/** A task: its name, languages, progress, worst finding, age, and who works on it. A click anywhere opens it. */
export function TaskRow({
  task,
  isCut,
  assignment,
  selection,
}: {
  task: Task;
  /** Whether a group may have more texts than the counted ones. */
  isCut: boolean;
  /** The assignment of a document; undefined if it is not known. A group of texts has those of its texts. */
  assignment: Assignment | undefined;
  selection: Selection | undefined;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { source_lang, target_lang } = pairOf(task);
  const [source, target] = [nameOf(source_lang), nameOf(target_lang)];
  const due = task.kind === 'document' ? assignment?.due_at : task.due_at;
  const format = task.kind === 'document' ? task.format : 'text';
  const name =
    task.kind === 'document'
      ? task.name
      : t('inbox.texts', { count: task.texts, more: isCut ? 'yes' : 'no' });
  return (
    <li className={styles.task} {...rowMark(keyOf(task))}>
      <span className={styles.lead}>
        {selection && (
          <SelectRow
            rowKey={keyOf(task)}
            name={task.kind === 'document' ? plainName(name) : name}
            selection={selection}
          />
        )}
        <span
          className={`format ${styles.format}`}
          data-format={format}
          translate={format === 'text' ? undefined : 'no'}
        >
          {format === 'text' ? t('inbox.text') : format}
        </span>
      </span>
      <div className={styles.name}>
        <TaskLink task={task} className={styles.open}>
          {task.kind === 'document' ? <bdi translate="no">{name}</bdi> : name}
        </TaskLink>
        <Details task={task} />
      </div>
      <span className={styles.languages}>
        <span className="visually-hidden">{t('inbox.pair', { source, target })}</span>
        <span aria-hidden>
          {source} <ArrowRight size={12} className="mirrored" /> {target}
        </span>
      </span>
      <Progress task={task} />
      <Finding task={task} />
      {due ? (
        <span className={styles.age}>
          <Due at={due} />
        </span>
      ) : (
        <Age since={task.waiting_since} />
      )}
      <Holders task={task} assignment={assignment} />
    </li>
  );
}

/** Domain and submitter, as far as they are known. */
function Details({ task }: { task: Task }) {
  const t = useT();
  const { domain, submitter } = task.kind === 'document' ? task : task.filter;
  const parts: ReactNode[] = [
    ...(domain ? [<bdi key="domain">{domain}</bdi>] : []),
    ...(submitter ? [<bdi key="submitter">{t('inbox.from', { submitter })}</bdi>] : []),
  ];
  if (parts.length === 0) return null;
  return (
    <small>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
        <Fragment key={index}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </small>
  );
}

/** The worst finding of a task with its status mark. */
export function Finding({ task }: { task: Task }) {
  const t = useT();
  const { critical, warnings } = task;
  const drafts = task.drafts ?? 0;
  const shown = (status: Status, text: string) => (
    <span className={styles.finding} data-status={status}>
      <StatusMark status={status} />
      {text}
    </span>
  );
  if (critical > 0) return shown('critical', t('inbox.critical', { count: critical }));
  if (warnings > 0) return shown('warning', t('inbox.warnings', { count: warnings }));
  if (drafts > 0) return shown('draft', t('inbox.drafts', { count: drafts }));
  if (task.kind === 'texts') return shown('todo', t('inbox.rule'));
  if (task.confirmed === task.segments) return shown('confirmed', t('inbox.all_confirmed'));
  return shown('todo', t('inbox.to_approve'));
}

/** The age of a task: `5 min`, `4 hr`, `3 days`. */
function Age({ since }: { since: string }) {
  const t = useT();
  const { locale } = useInterface();
  const { moment } = useFormat();
  const minutes = Math.max(1, Math.floor((Date.now() - Date.parse(since)) / 60_000));
  const [value, unit] =
    minutes < 60
      ? ([minutes, 'minute'] as const)
      : minutes < 60 * 24
        ? ([Math.floor(minutes / 60), 'hour'] as const)
        : ([Math.floor(minutes / 60 / 24), 'day'] as const);
  const unitDisplay = unit === 'day' ? 'long' : 'short';
  const age = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }).format(value);
  return (
    <span className={styles.age} data-late={minutes >= 60 * lateHours || undefined}>
      <Clock size={14} aria-hidden />
      <span className="visually-hidden">{t('inbox.waiting')}</span>
      <time dateTime={since} title={moment(since)}>
        {age}
      </time>
    </span>
  );
}

/**
 * The progress of a task as a text, and of a document also as a bar. A group of texts has no bar, because reviewed texts
 * leave the group.
 */
export function Progress({ task }: { task: Task }) {
  const t = useT();
  if (task.kind === 'texts')
    return <span className={styles.progress}>{t('inbox.to_review', { count: task.texts })}</span>;
  const { confirmed, drafts, critical, segments } = task;
  const parts = [
    ['confirmed', confirmed],
    ['draft', drafts ?? 0],
    ['critical', critical],
  ] as const;
  return (
    <span className={styles.progress}>
      <span>
        <span className="visually-hidden">{t('inbox.confirmed')} </span>
        {t('inbox.confirmed_of', { confirmed, total: segments })}
      </span>
      <span className="status-bar" aria-hidden>
        {parts.map(
          ([status, count]) =>
            count > 0 && (
              <i key={status} data-status={status} style={{ inlineSize: `${(100 * count) / segments}%` }} />
            ),
        )}
      </span>
    </span>
  );
}

/** A link that opens a task in the editor; a group of texts at its most severe text. */
export function TaskLink({
  task,
  className,
  children,
}: {
  task: Task;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <Link {...addressOf(task)} className={className}>
      {children}
    </Link>
  );
}

/** The screen of a task, for a link or a navigation. */
export function addressOf(task: Task) {
  if (task.kind === 'document')
    return { to: '/app/edit/documents/$documentId', params: { documentId: task.id } } as const;
  const { source_lang, target_lang, domain, submitter } = task.filter;
  return {
    to: '/app/edit/texts',
    search: { source: source_lang, target: target_lang, domain, submitter, item: task.first },
  } as const;
}
