import { useNavigate } from '@tanstack/react-router';
import { AlarmClock, CalendarDays, CalendarOff, Clock, UserRoundPlus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReviewerProfile } from '#sdk/types.ts';
import { covers } from '#server/member-languages.ts';
import { readAgain } from '../../assignments/assignments.ts';
import { service } from '../../assignments/colleagues.ts';
import { dueState, useDueWords } from '../../assignments/due.tsx';
import { ProfileDialog } from '../../assignments/profile-dialog.tsx';
import { Refused, type ShownRefusal, shownRefusal, useAssign } from '../../assignments/use-assign.tsx';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { ActionButton } from '../../kit/action-button.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type AssignedRow, AssignmentRow, addressOfItem, rowsOf } from './assignment-row.tsx';
import { Columns, RowGroup } from './inbox-row.tsx';
import { type Selection, useSelection } from './selection.tsx';
import { useListKeys } from './task-list.tsx';
import type { DocumentTask, Task } from './tasks.ts';

/** Items of a page of a list. */
const limit = 200;

const byDue = [
  ['overdue', 'assignments.overdue', <AlarmClock key="icon" size={15} aria-hidden />],
  ['today', 'assignments.due_today', <Clock key="icon" size={15} aria-hidden />],
  ['later', 'assignments.later', <CalendarDays key="icon" size={15} aria-hidden />],
  ['none', 'assignments.no_date', <CalendarDays key="icon" size={15} aria-hidden />],
] as const;

/**
 * What the member reviews next, by due date; then second reviews that are not open yet, and unassigned items in the
 * member's languages, which the member can take.
 * @param tasks the tasks of the inbox, for the progress and findings of documents
 */
export function MyWork({ profile, tasks }: { profile: ReviewerProfile; tasks: readonly Task[] }) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const open = usePages(
    queryKeys.assignments.of({ mine: 'open' }),
    (cursor) => service.minePage({ state: 'open', limit, ...(cursor && { cursor }) }),
    { refetchInterval: readAgain },
  );
  const upcoming = usePages(queryKeys.assignments.of({ mine: 'upcoming' }), (cursor) =>
    service.minePage({ state: 'upcoming', limit, ...(cursor && { cursor }) }),
  );
  const free = usePages(
    queryKeys.assignments.of({ state: 'unassigned' }),
    (cursor) => service.listPage({ state: 'unassigned', limit, ...(cursor && { cursor }) }),
    { refetchInterval: readAgain },
  );
  const rows = rowsOf(open.reading.data ?? [], open.more);
  const freeRows = rowsOf(
    (free.reading.data ?? []).filter(
      (item) => covers(profile.languages, 'review', item) && item.second?.user_id !== profile.user_id,
    ),
    free.more,
  );
  const all = [...rows, ...freeRows];
  const { selection, shown } = useSelection(
    list,
    all.map(({ key }) => key),
    (keys) => all.flatMap((row) => (keys.includes(row.key) ? row.items : [])),
  );
  useListKeys(list);
  const documents = new Map(
    tasks.flatMap((task) => (task.kind === 'document' ? [[task.id, task] as const] : [])),
  );
  const taskOf = ({ items: [first] }: AssignedRow): DocumentTask | undefined => documents.get(first.id);
  const readings = [open, upcoming, free].map(({ reading }) => reading);
  const isRead = readings.every(({ data }) => data !== undefined);
  return (
    <Read
      from={{
        data: isRead || undefined,
        error: readings.find(({ error }) => error)?.error,
        refetch: () => readings.map(({ refetch }) => refetch()),
      }}
      lines={20}
    >
      {() => (
        <Stack ref={list}>
          <Summary profile={profile} rows={rows} />
          {rows.length === 0 ? (
            <Text as="p" tone="soft">
              {t('assignments.nothing_mine')}
              {profile.languages.length === 0 && ` ${t('assignments.ask_languages')}`}
            </Text>
          ) : (
            <Columns action="assignments.act" />
          )}
          {byDue.map(([state, name, icon]) => (
            <RowGroup
              key={state}
              id={`due-${state}`}
              name={name}
              icon={icon}
              rows={rows.filter(({ items: [first] }) => dueState(first.due_at) === state)}
            >
              {(row) => <AssignmentRow key={row.key} row={row} task={taskOf(row)} selection={selection} />}
            </RowGroup>
          ))}
          <More of={open.more} />
          <RowGroup
            id="upcoming"
            name="assignments.awaiting_first"
            icon={<StatusMark status="todo" />}
            rows={rowsOf(upcoming.reading.data ?? [], upcoming.more)}
            hint="assignments.awaiting_first_why"
          >
            {(row) => <AssignmentRow key={row.key} row={row} task={taskOf(row)} isClosed />}
          </RowGroup>
          <More of={upcoming.more} />
          <FreeItems rows={freeRows} member={profile.user_id} {...{ taskOf, selection }} />
          <More of={free.more} />
          {shown}
        </Stack>
      )}
    </Read>
  );
}

/** Unassigned items, which the member can take. */
function FreeItems({
  rows,
  member,
  taskOf,
  selection,
}: {
  rows: readonly AssignedRow[];
  member: string;
  taskOf: (row: AssignedRow) => DocumentTask | undefined;
  selection: Selection;
}) {
  const t = useT();
  const { assign, toast } = useAssign();
  const [refusal, setRefusal] = useState<ShownRefusal>();
  const take = async ({ items }: AssignedRow) => {
    setRefusal(undefined);
    const [refused] = await assign([{ items, change: { assignee: member } }]);
    setRefusal(refused && shownRefusal(refused, items));
  };
  return (
    <>
      {refusal && (
        <p className="problem">
          <Refused refusal={refusal} />
        </p>
      )}
      <RowGroup id="free" name="assignments.free" icon={<UserRoundPlus size={15} aria-hidden />} rows={rows}>
        {(row) => (
          <AssignmentRow key={row.key} row={row} task={taskOf(row)} selection={selection}>
            <ActionButton onRun={() => take(row)}>{t('assignments.take')}</ActionButton>
          </AssignmentRow>
        )}
      </RowGroup>
      {toast}
    </>
  );
}

/** The words that the member reviews next, the next due date, and the member's absence. */
function Summary({ profile, rows }: { profile: ReviewerProfile; rows: readonly AssignedRow[] }) {
  const t = useT();
  const { number, utcDay } = useFormat();
  const dueWords = useDueWords();
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [first] = rows;
  useCommands(first ? { openNext: () => void navigate(addressOfItem(first.items[0])) } : {});
  const words = rows.reduce(
    (sum, { items }) => sum + items.reduce((own, item) => own + (item.words ?? 0), 0),
    0,
  );
  const next = first?.items[0].due_at;
  const { away_from, away_to } = profile;
  return (
    <Row gap={5}>
      {first && (
        <button
          type="button"
          className="primary"
          onClick={() => void navigate(addressOfItem(first.items[0]))}
        >
          {t('inbox.open_next')} <CommandKey id="openNext" isHidden />
        </button>
      )}
      {words > 0 && <span>{t('assignments.words_left', { count: words, shown: number(words) })}</span>}
      {next && <span>{t('assignments.next_due', { when: dueWords(next) })}</span>}
      <button type="button" className="ghost" onClick={() => setEditing(true)}>
        <CalendarOff size={16} aria-hidden />
        {away_from && away_to
          ? t('assignments.away_days', { from: utcDay(away_from), to: utcDay(away_to) })
          : t('assignments.away')}
      </button>
      {isEditing && <ProfileDialog profile={profile} isOwn onClose={() => setEditing(false)} />}
    </Row>
  );
}
