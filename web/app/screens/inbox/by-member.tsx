import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarOff, UserRoundPlus } from 'lucide-react';
import { useRef, useState } from 'react';
import { AssignDialog } from '../../assignments/assign-dialog.tsx';
import { type Item, maxItems, readAgain } from '../../assignments/assignments.ts';
import { type Colleague, service, useColleagues } from '../../assignments/colleagues.ts';
import { Due } from '../../assignments/due.tsx';
import { useAssign } from '../../assignments/use-assign.tsx';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { AssignmentRow, rowsOf } from './assignment-row.tsx';
import { useSelection } from './selection.tsx';
import { useListKeys } from './task-list.tsx';

/** The load of each member, for administrators, and the unassigned items. */
export function ByMember() {
  const t = useT();
  const colleagues = useColleagues();
  const { assign, toast } = useAssign();
  const [asked, setAsked] = useState<Item[]>();
  const { run, error } = useAction();
  const [open, setOpen] = useState<string>();
  const load = useQuery({
    queryKey: queryKeys.assignments.of({ count: 'unassigned' }),
    queryFn: async () => (await service.load({ limit: 1 })).unassigned,
    refetchInterval: readAgain,
  });
  const askUnassigned = run(async () => {
    const items: Item[] = [];
    for await (const { kind, id } of service.list({ state: 'unassigned', limit: 200 })) {
      items.push({ kind, id });
      if (items.length === maxItems) break;
    }
    setAsked(items);
  });
  return (
    <Stack>
      <Row gap={5}>
        {load.data !== undefined && load.data > 0 ? (
          <>
            <b>{t('assignments.unassigned_items', { count: load.data })}</b>
            <button type="button" className="primary" onClick={askUnassigned}>
              <UserRoundPlus size={16} aria-hidden />
              {t('assignments.assign_unassigned', { count: Math.min(load.data, maxItems) })}
            </button>
          </>
        ) : (
          load.data === 0 && <span>{t('assignments.all_assigned')}</span>
        )}
        <Text size="sm" tone="soft">
          {t('assignments.forecast_why')}
        </Text>
      </Row>
      {error ? <Problem error={error} /> : null}
      <Read from={colleagues} lines={10}>
        {(members) => (
          <>
            {members.every(({ languages }) => languages.length === 0) && (
              <p className="notice">
                {t('assignments.no_languages')}{' '}
                <Link to="/app/settings/members">{t('assignments.add_in_members')}</Link>
              </p>
            )}
            <Loads members={members} open={open} onOpen={setOpen} />
          </>
        )}
      </Read>
      {open !== undefined && <ItemsOf key={open} userId={open} />}
      {asked && <AssignDialog items={asked} assign={assign} onClose={() => setAsked(undefined)} />}
      {toast}
    </Stack>
  );
}

function Loads({
  members,
  open,
  onOpen,
}: {
  members: readonly Colleague[];
  open: string | undefined;
  onOpen: (userId: string | undefined) => void;
}) {
  const t = useT();
  const { number, utcDay } = useFormat();
  const { nameOf } = useLanguages();
  return (
    <DataTable
      rows={members}
      keyOf={({ user_id }) => user_id}
      columns={[
        {
          title: t('assignments.member'),
          isName: true,
          cell: ({ name, is_away, away_to, languages }) => (
            <>
              <Row gap={2}>
                <bdi translate="no">{name}</bdi>
                {is_away && away_to && (
                  <Badge>
                    <CalendarOff size={13} aria-hidden />{' '}
                    {t('assignments.away_until', { day: utcDay(away_to) })}
                  </Badge>
                )}
              </Row>
              <small className="hint">
                {languages.length === 0
                  ? t('assignments.any_language')
                  : [...new Set(languages.map(({ target_lang }) => nameOf(target_lang)))].join(', ')}
              </small>
            </>
          ),
        },
        { title: t('assignments.words_to_review'), cell: ({ load }) => (load ? number(load.words) : '–') },
        {
          title: t('assignments.items'),
          cell: ({ load }) => (
            <>
              {load ? number(load.items) : '–'}
              {load && load.upcoming > 0 && (
                <small className="hint">{t('assignments.second_later', { count: load.upcoming })}</small>
              )}
            </>
          ),
        },
        {
          title: t('assignments.overdue'),
          cell: ({ load }) =>
            load && load.overdue > 0 ? <Badge tone="waits">{number(load.overdue)}</Badge> : number(0),
        },
        {
          title: t('assignments.at_risk'),
          cell: ({ load }) =>
            !load || load.at_risk === null ? (
              <span title={t('assignments.speed_unknown')}>
                – <span className="visually-hidden">{t('assignments.speed_unknown')}</span>
              </span>
            ) : load.at_risk > 0 ? (
              <Badge>{number(load.at_risk)}</Badge>
            ) : (
              number(0)
            ),
        },
        {
          title: t('assignments.next_date'),
          cell: ({ load }) => (load?.next_due_at ? <Due at={load.next_due_at} /> : '–'),
        },
      ]}
      actions={{
        title: t('assignments.act'),
        cell: ({ user_id, name, load }) =>
          load !== undefined &&
          load.items > 0 && (
            <button
              type="button"
              className="small"
              aria-expanded={open === user_id}
              onClick={() => onOpen(open === user_id ? undefined : user_id)}
            >
              {t('assignments.show_items')}{' '}
              <bdi className="visually-hidden" translate="no">
                {name}
              </bdi>
            </button>
          ),
      }}
    />
  );
}

/** The items whose next review is by a member, by due date. */
function ItemsOf({ userId }: { userId: string }) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const { reading, more } = usePages(queryKeys.assignments.of({ holder: userId }), (cursor) =>
    service.listPage({ holder: userId, limit: 200, ...(cursor && { cursor }) }),
  );
  const rows = rowsOf(reading.data ?? [], more);
  const { selection, shown } = useSelection(
    list,
    rows.map(({ key }) => key),
    (keys) => rows.flatMap((row) => (keys.includes(row.key) ? row.items : [])),
  );
  useListKeys(list);
  return (
    <section ref={list} aria-label={t('assignments.items')}>
      <Read from={reading} lines={6}>
        {() => (
          <ul className="bare">
            {rows.map((row) => (
              <AssignmentRow key={row.key} row={row} task={undefined} selection={selection} />
            ))}
          </ul>
        )}
      </Read>
      <More of={more} />
      {shown}
    </section>
  );
}
