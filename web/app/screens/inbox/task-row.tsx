import { Clock } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { Due } from '../../assignments/due.tsx';
import { useInterface, useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { Holders } from './holders.tsx';
import styles from './inbox.module.css';
import { InboxRow } from './inbox-row.tsx';
import type { Selection } from './selection.tsx';
import { keyOf, pairOf, type Task } from './tasks.ts';

/** Hours after which the waiting time of a task is emphasized. */
const lateHours = 24;

/** A task: its name, languages, progress, worst finding, age, and who works on it. */
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
  const due = task.kind === 'document' ? assignment?.due_at : task.due_at;
  return (
    <InboxRow
      rowKey={keyOf(task)}
      address={addressOf(task)}
      {...pairOf(task)}
      {...(task.kind === 'document'
        ? { name: task.name, isGroup: false, format: task.format }
        : {
            name: t('inbox.texts', { count: task.texts, more: isCut ? 'yes' : 'no' }),
            isGroup: true,
            format: null,
          })}
      details={<Details task={task} />}
      progress={<Progress task={task} />}
      finding={<Finding task={task} />}
      age={due ? <Due at={due} /> : <Age since={task.waiting_since} />}
      selection={selection}
    >
      <Holders task={task} assignment={assignment} />
    </InboxRow>
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
    <Text as="small" size="xs" tone="faint">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
        <Fragment key={index}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </Text>
  );
}

const tones: Partial<Record<Status, 'ok' | 'warn' | 'crit'>> = {
  critical: 'crit',
  warning: 'warn',
  confirmed: 'ok',
};

/** The worst finding of a task with its status mark. */
export function Finding({ task }: { task: Task }) {
  const t = useT();
  const { critical, warnings } = task;
  const drafts = task.drafts ?? 0;
  const shown = (status: Status, text: string) => (
    <Row as="span" isTight>
      <StatusMark status={status} />
      <Text weight="medium" tone={tones[status]}>
        {text}
      </Text>
    </Row>
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
    <Row as="span" isTight gap={1}>
      <Clock size={14} aria-hidden />
      <span className="visually-hidden">{t('inbox.waiting')}</span>
      <Text
        as="time"
        dateTime={since}
        title={moment(since)}
        {...(minutes >= 60 * lateHours && { tone: 'warn', weight: 'semi' })}
      >
        {age}
      </Text>
    </Row>
  );
}

/**
 * The progress of a task as a text, and of a document also as a bar. A group of texts has no bar, because reviewed texts
 * leave the group.
 */
export function Progress({ task }: { task: Task }) {
  const t = useT();
  if (task.kind === 'texts') return <Text size="xs">{t('inbox.to_review', { count: task.texts })}</Text>;
  const { confirmed, drafts, critical, segments } = task;
  const parts = [
    ['confirmed', confirmed],
    ['draft', drafts ?? 0],
    ['critical', critical],
  ] as const;
  return (
    <span className={styles.progress}>
      <Text size="xs">
        <span className="visually-hidden">{t('inbox.confirmed')} </span>
        {t('inbox.confirmed_of', { confirmed, total: segments })}
      </Text>
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
