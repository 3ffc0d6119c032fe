import type { ReactNode } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { itemKey } from '../../assignments/assignments.ts';
import { Due } from '../../assignments/due.tsx';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { isolated } from '../../parts/language-text.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { InboxRow } from './inbox-row.tsx';
import type { Selection } from './selection.tsx';
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
  const { number } = useFormat();
  const [first] = items;
  const words = items.reduce((sum, item) => sum + (item.words ?? 0), 0);
  const isGroup = items.length > 1 || isCut;
  const { comment, assigned_by } = first;
  return (
    <InboxRow
      rowKey={key}
      address={addressOfItem(first)}
      source_lang={first.source_lang}
      target_lang={first.target_lang}
      name={isGroup ? t('inbox.texts', { count: items.length, more: isCut ? 'yes' : 'no' }) : first.title}
      isGroup={isGroup}
      format={first.format}
      details={
        <Stack gap={0}>
          <Text as="small" size="xs" tone="faint">
            <Step of={isClosed ? { ...first, step: 'second' } : first} />
          </Text>
          {comment && (
            <Text as="small" size="xs" tone="faint" title={comment}>
              <bdi className="excerpt short">{assigned_by ? `${assigned_by.name}: ${comment}` : comment}</bdi>
            </Text>
          )}
        </Stack>
      }
      progress={
        task ? (
          <Progress task={task} />
        ) : (
          words > 0 && <Text size="xs">{t('assignments.words', { count: words, shown: number(words) })}</Text>
        )
      }
      finding={
        isClosed ? (
          <Row as="span" isTight>
            <StatusMark status="todo" /> {t('assignments.not_open')}
          </Row>
        ) : (
          task && <Finding task={task} />
        )
      }
      age={<Due at={first.due_at} />}
      selection={selection}
      isClosed={isClosed}
    >
      {children}
    </InboxRow>
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
