import { Link } from '@tanstack/react-router';
import { type RefObject, useRef } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { type Item, maxItems, useAssignments } from '../../assignments/assignments.ts';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Row, Stack } from '../../kit/box.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { procedures } from '../../procedures.ts';
import { isVisitor } from '../../session/keeper.ts';
import { Columns, RowGroup } from './inbox-row.tsx';
import { useSelection } from './selection.tsx';
import { TaskRow } from './task-row.tsx';
import { keyOf, severities, type Task } from './tasks.ts';

const marks = { critical: 'critical', warning: 'warning', rule: 'todo' } as const satisfies Record<
  Task['severity'],
  Status
>;

/** The tasks in sections by severity. The keys of lists move the focus from task to task. */
export function TaskList({
  tasks,
  isCut,
}: {
  tasks: readonly Task[];
  /** Whether more texts await review than the counted ones. */
  isCut: boolean;
}) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const documents = tasks.flatMap((task) =>
    task.kind === 'document' ? [{ kind: 'document' as const, id: task.id }] : [],
  );
  const assignments = useAssignments(documents);
  const byId = new Map(assignments.data?.map((one) => [one.id, one]));
  const { selection, shown } = useSelection(list, tasks.map(keyOf), (keys) =>
    itemsOf(tasks.filter((task) => keys.includes(keyOf(task)))),
  );
  useListKeys(list);
  if (tasks.length === 0)
    return (
      <Row>
        {t('inbox.none_found')}
        <Link to="/app" className="button">
          {t('inbox.show_everything')}
        </Link>
      </Row>
    );
  return (
    <Stack ref={list}>
      <Columns />
      {severities.map((severity) => (
        <RowGroup
          key={severity}
          id={`tasks-${severity}`}
          name={`inbox.section_${severity}`}
          icon={<StatusMark status={marks[severity]} />}
          rows={tasks.filter((task) => task.severity === severity)}
        >
          {(task) => (
            <TaskRow
              key={keyOf(task)}
              task={task}
              isCut={isCut}
              assignment={task.kind === 'document' ? byId.get(task.id) : undefined}
              selection={isVisitor() ? undefined : selection}
            />
          )}
        </RowGroup>
      ))}
      {shown}
    </Stack>
  );
}

/** The items of tasks: documents, and the texts of groups, as far as one request can assign them. */
async function itemsOf(tasks: readonly Task[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const task of tasks) {
    if (task.kind === 'document') items.push({ kind: 'document', id: task.id });
    else {
      for (let cursor: string | null | undefined; cursor !== null && items.length < maxItems; ) {
        const page: OutputOf<'reviews.texts'> = await procedures.reviews.texts.query({
          ...task.filter,
          ...(cursor && { cursor }),
        });
        items.push(...page.texts.map(({ id }) => ({ kind: 'job' as const, id })));
        cursor = page.next_cursor;
      }
    }
  }
  return items.slice(0, maxItems);
}

/** The keys of lists move the focus between the links of rows. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  useCommands({
    listDown: () => focusTask(list.current, 1),
    listUp: () => focusTask(list.current, -1),
  });
}

/** Moves the focus to the next or previous task; without a focused task, to the first or last one. */
function focusTask(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('li a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : -1) : Math.min(links.length - 1, Math.max(0, at + step));
  links.at(next)?.focus();
}
