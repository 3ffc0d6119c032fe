import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { itemKey } from '../../assignments/assignments.ts';
import { Due } from '../../assignments/due.tsx';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { isolated, plainName } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import styles from './inbox.module.css';
import { rowMark, type Selection, SelectRow } from './selection.tsx';
import { Finding, Progress } from './task-row.tsx';
import type { DocumentTask } from './tasks.ts';

/** A document, or texts with the same languages, domain, step and due date. */
export interface AssignedRow {
  key: string;
  items: readonly [Assignment, ...Assignment[]];
  /** Whether the list has more texts than those that are loaded. */
  isCut: boolean;
}

/** Groups items to rows, in the order of their first items. */
export function rowsOf(items: readonly Assignment[], more: { hasNextPage: boolean }): AssignedRow[] {
  const groups = Map.groupBy(items, (item) => {
    if (item.kind === 'document') return itemKey(item);
    const { source_lang, target_lang, domain, step, due_at, assignee, second } = item;
    return JSON.stringify([
      source_lang,
      target_lang,
      domain,
      step,
      due_at,
      assignee?.user_id,
      second?.user_id,
    ]);
  });
  return [...groups].map(([key, own]) => ({
    key,
    items: own as [Assignment, ...Assignment[]],
    isCut: more.hasNextPage && own[0]?.kind === 'job',
  }));
}

/** The screen of an item, for a link or a navigation. A text opens with those of its row (`rowsOf`), and no others. */
export function addressOfItem({ kind, id, source_lang, target_lang, domain, ...assignment }: Assignment) {
  if (kind === 'document')
    return { to: '/app/edit/documents/$documentId', params: { documentId: id } } as const;
  const { step, due_at, assignee, second } = assignment;
  const assigned = { step, due_at, assignee: assignee?.user_id ?? null, second: second?.user_id ?? null };
  return {
    to: '/app/edit/texts',
    search: { source: source_lang, target: target_lang, domain, assigned, item: id },
  } as const;
}

/**
 * An assigned or unassigned row: name, step, languages, words or progress, worst finding if known, and due date.
 * @param task the document in the inbox, with its progress and findings
 * @param isClosed whether the row awaits the review of another member
 */
export function AssignmentRow({
  row: { key, items, isCut },
  task,
  selection,
  isClosed = false,
  children,
}: {
  row: AssignedRow;
  task: DocumentTask | undefined;
  selection?: Selection | undefined;
  isClosed?: boolean;
  /** An action on the row. */
  children?: ReactNode;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { number } = useFormat();
  const [first] = items;
  const [source, target] = [nameOf(first.source_lang), nameOf(first.target_lang)];
  const words = items.reduce((sum, item) => sum + (item.words ?? 0), 0);
  const isGroup = items.length > 1 || isCut;
  const name = isGroup ? t('inbox.texts', { count: items.length, more: isCut ? 'yes' : 'no' }) : first.title;
  return (
    <li className={styles.task} {...rowMark(key)} data-closed={isClosed || undefined}>
      <span className={styles.lead}>
        {selection && <SelectRow rowKey={key} name={plainName(name)} selection={selection} />}
        <span className={`format ${styles.format}`} data-format={first.format ?? 'text'}>
          {first.format ?? t('inbox.text')}
        </span>
      </span>
      <div className={styles.name}>
        <Link {...addressOfItem(first)} className={styles.open}>
          {isGroup ? name : <bdi translate="no">{name}</bdi>}
        </Link>
        <small>
          <Step of={isClosed ? { ...first, step: 'second' } : first} />
        </small>
        {first.comment && (
          <small title={first.comment}>
            <bdi>{first.assigned_by ? `${first.assigned_by.name}: ${first.comment}` : first.comment}</bdi>
          </small>
        )}
      </div>
      <span className={styles.languages}>
        <span className="visually-hidden">{t('inbox.pair', { source, target })}</span>
        <span aria-hidden>
          {source} <ArrowRight size={12} className="mirrored" /> {target}
        </span>
      </span>
      {task ? (
        <Progress task={task} />
      ) : (
        <span className={styles.progress}>
          {words > 0 && t('assignments.words', { count: words, shown: number(words) })}
        </span>
      )}
      {isClosed ? (
        <span className={styles.finding}>
          <StatusMark status="todo" /> {t('assignments.not_open')}
        </span>
      ) : task ? (
        <Finding task={task} />
      ) : (
        <span />
      )}
      <span className={styles.age}>
        <Due at={first.due_at} />
      </span>
      <span className={styles.act}>{children}</span>
    </li>
  );
}

/** `First review, then lenna@`, `Second review, after mira@`, `Unassigned`. */
export function Step({ of: { step, assignee, second, four_eyes } }: { of: Assignment }) {
  const t = useT();
  if (step === 'second')
    return assignee
      ? t('assignments.second_after', { name: isolated(assignee.name) })
      : t('assignments.second_review');
  if (four_eyes)
    return second
      ? t('assignments.first_then', { name: isolated(second.name) })
      : t('assignments.first_then_any');
  return t('assignments.first_review');
}
