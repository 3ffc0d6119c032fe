import { ArrowRight, UserRoundPlus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { useInterface, useT } from '../i18n.tsx';
import { keyLabel } from '../keys/commands.ts';
import { isKey } from '../keys/match-key.ts';
import { Grid, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { TextArea } from '../kit/field.tsx';
import { Form } from '../kit/form.tsx';
import { useFormat } from '../parts/format.ts';
import { isolated } from '../parts/language-text.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { Read } from '../parts/loading.tsx';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { type Item, itemKey, maxItems, useAssignments } from './assignments.ts';
import { type Colleague, useColleagues } from './colleagues.ts';
import { dueLimits, fromLocal, toLocal } from './due.tsx';
import { keep, MemberSelect } from './member-select.tsx';
import {
  type Change,
  isUnknown,
  Refused,
  readAgain,
  type ShownRefusal,
  shownRefusal,
  useAssign,
} from './use-assign.tsx';

/** The dialog with its undo, which stays after the dialog is closed. */
export function Assigning({
  isOpen,
  ...dialog
}: {
  items: readonly Item[];
  focus: 'first' | 'due';
  isOpen: boolean;
  onClose: () => void;
}) {
  const { assign, toast } = useAssign();
  return (
    <>
      {isOpen && <AssignDialog {...dialog} assign={assign} />}
      {toast}
    </>
  );
}

/** Items of one pair of languages, which are assigned to the same members. */
interface Group {
  key: string;
  source_lang: string;
  target_lang: string;
  items: readonly Assignment[];
}

/** Assigns items: first and second reviewer for each pair of languages; due date and comment for all. */
export function AssignDialog({
  items,
  focus = 'first',
  assign,
  onClose,
}: {
  items: readonly Item[];
  /** The field that has the focus first. */
  focus?: 'first' | 'due' | undefined;
  assign: ReturnType<typeof useAssign>['assign'];
  onClose: () => void;
}) {
  const t = useT();
  const [opened] = useState(items);
  const found = useAssignments(opened, { isLive: false });
  const colleagues = useColleagues();
  const data = found.data && colleagues.data && { items: found.data, colleagues: colleagues.data };
  const error = found.error ?? colleagues.error;
  const refetch = () => Promise.all([found.refetch(), colleagues.refetch()]);
  const [left, setLeft] = useState(opened.length);
  const count = found.data ? Math.min(left, found.data.length) : left;
  return (
    <Dialog title={t('assignments.assign_title', { count })} isWide onClose={onClose}>
      <Read from={{ data, error, refetch }} lines={8}>
        {({ items: known, colleagues: members }) =>
          known.length === 0 ? (
            <>
              <p>{t('assignments.none_awaits')}</p>
              <button type="button" onClick={onClose}>
                {t('common.close')}
              </button>
            </>
          ) : (
            <AssignForm
              all={known}
              colleagues={members}
              focus={focus}
              assign={assign}
              onLeft={(count) => (count > 0 ? setLeft(count) : onClose())}
              onClose={onClose}
            />
          )
        }
      </Read>
    </Dialog>
  );
}

function AssignForm({
  all,
  colleagues,
  focus,
  assign,
  onLeft,
  onClose,
}: {
  all: readonly Assignment[];
  colleagues: readonly Colleague[];
  focus: 'first' | 'due';
  assign: ReturnType<typeof useAssign>['assign'];
  /** Called with the number of rejected items, which may be 0. */
  onLeft: (count: number) => void;
  onClose: () => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const me = useMe();
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const { items, refusals, send } = useOpenItems(all, assign);
  const [chosen, setChosen] = useState<Readonly<Record<string, Partial<Reviewers>>>>({});
  const [due, setDue] = useState<string>();
  const [comment, setComment] = useState('');
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    fields.current?.querySelector<HTMLElement>(focus === 'due' ? 'input' : 'select')?.focus();
  }, [focus]);
  const groups = groupsOf(items);
  const newDue = due === dueOf(items) ? undefined : due;
  const changes = changesOf(groups, chosen, isAdmin, newDue, comment.trim());
  const count = changes.reduce((sum, change) => sum + change.items.length, 0);
  const assignees = colleagues.filter(({ user_id }) =>
    groups.some(({ key }) => chosen[key]?.first === user_id),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    // The form checks its fields first: an incomplete date is not "no date".
    if (isKey(event.nativeEvent, 'Mod+Enter') && count > 0)
      fields.current?.querySelector('form')?.requestSubmit();
  };
  return (
    <Stack ref={fields} onKeyDown={onKeyDown}>
      <Form
        action={
          <>
            <UserRoundPlus size={16} aria-hidden />
            {count === items.length || count === 0
              ? t('assignments.assign')
              : t('assignments.assign_some', { count, total: items.length })}{' '}
            <kbd>{keyLabel('Mod+Enter')}</kbd>
          </>
        }
        isReady={count > 0}
        onSubmit={async () => onLeft(await send(changes))}
        problem={(error) =>
          isUnknown(error) ? (
            <p role="alert" className="problem">
              {t('assignments.outcome_unknown')}
            </p>
          ) : null
        }
        onCancel={onClose}
        cancel={refusals.length > 0 ? t('common.close') : undefined}
      >
        <Stack as="ul" gap={2}>
          {groups.map((group) => (
            <GroupRow
              key={group.key}
              group={group}
              colleagues={colleagues}
              me={isAdmin ? null : (me.data?.user.user_id ?? '')}
              values={{ ...valuesOf(group.items), ...chosen[group.key] }}
              onChange={(values) =>
                setChosen({ ...chosen, [group.key]: { ...chosen[group.key], ...values } })
              }
              refusals={refusals}
            />
          ))}
        </Stack>
        {all.length >= maxItems && (
          <p className="hint">{t('assignments.at_most', { max: number(maxItems) })}</p>
        )}
        {isAdmin ? (
          <DueField items={items} chosen={due} onChange={setDue} assignees={assignees} />
        ) : (
          <p className="hint">{t('assignments.admins_decide')}</p>
        )}
        <TextArea
          label={t('assignments.comment')}
          rows={2}
          maxLength={2000}
          value={comment}
          onValue={setComment}
        />
      </Form>
    </Stack>
  );
}

/** The items that are not assigned yet. `send` resolves to the number of those that the service rejected. */
function useOpenItems(all: readonly Assignment[], assign: ReturnType<typeof useAssign>['assign']) {
  const [items, setItems] = useState(all);
  const [refusals, setRefusals] = useState<readonly ShownRefusal[]>([]);
  const send = async (changes: Parameters<typeof assign>[0]) => {
    const refused = await assign(changes).catch(async (error: unknown) => {
      // The next try must not be rejected as if someone else had made this change.
      if (isUnknown(error)) setItems(await readAgain(items).catch(() => items));
      throw error;
    });
    if (refused.length === 0) return 0;
    // The rejected items stay, with their present versions: whoever assigns them again has seen who has them.
    setRefusals(refused.map((one) => shownRefusal(one, items)));
    const present = new Map(refused.map((one) => [itemKey(one), one]));
    setItems(
      items.flatMap((item) => {
        const now = present.get(itemKey(item));
        return now ? { ...item, version: now.version, assignee: now.assignee } : [];
      }),
    );
    return refused.length;
  };
  return { items, refusals, send };
}

/** The due date of items as the value of a field; empty if they have none, or several. */
function dueOf(items: readonly Assignment[]): string {
  const dues = new Set(items.map(({ due_at }) => due_at));
  return dues.size === 1 ? toLocal(items[0]?.due_at ?? null) : '';
}

/** The due date of all items. @param assignees who gets them: the date is also shown by their clocks */
function DueField({
  items,
  chosen,
  assignees,
  onChange,
}: {
  items: readonly Assignment[];
  chosen: string | undefined;
  assignees: readonly Colleague[];
  onChange: (due: string) => void;
}) {
  const t = useT();
  const zones = foreignZones(assignees);
  const areDifferent = new Set(items.map(({ due_at }) => due_at)).size > 1;
  return (
    <label>
      {t('assignments.due_for_all')}
      <input
        type="datetime-local"
        {...dueLimits}
        value={chosen ?? dueOf(items)}
        onChange={({ target }) => onChange(target.value)}
      />
      {areDifferent && chosen === undefined && <span className="hint">{t('assignments.dues_differ')}</span>}
      {chosen && fromLocal(chosen) && zones.length > 0 && <ZoneHint at={new Date(chosen)} members={zones} />}
    </label>
  );
}

function groupsOf(items: readonly Assignment[]): Group[] {
  const groups = Map.groupBy(items, ({ source_lang, target_lang }) => `${source_lang} ${target_lang}`);
  return [...groups].map(([key, own]) => {
    const { source_lang, target_lang } = own[0] as Assignment;
    return { key, source_lang, target_lang, items: own };
  });
}

/** The values of a group's fields: IDs of members, empty for no one, or `keep` if they differ. */
interface Reviewers {
  first: string;
  second: string;
}

function valuesOf(items: readonly Assignment[]): Reviewers {
  const common = (field: 'assignee' | 'second') => {
    const ids = new Set(items.map((item) => item[field]?.user_id ?? ''));
    return ids.size === 1 ? ([...ids][0] as string) : keep;
  };
  return { first: common('assignee'), second: common('second') };
}

/**
 * The changes that assign groups. A group that stays as it is is left out.
 * @param due the new due date of all items
 */
function changesOf(
  groups: readonly Group[],
  chosen: Readonly<Record<string, Partial<Reviewers>>>,
  isAdmin: boolean,
  due: string | undefined,
  comment: string,
) {
  return groups.flatMap(({ key, items }) => {
    const former = valuesOf(items);
    const { first, second } = { ...former, ...chosen[key] };
    const change: Change = {
      ...(first !== keep && first !== former.first && { assignee: first || null }),
      ...(isAdmin && second !== keep && second !== former.second && { second: second || null }),
      ...(due !== undefined && { due_at: fromLocal(due) }),
    };
    if (Object.keys(change).length === 0) return [];
    return [{ items, change: { ...change, ...(comment && { comment }) } }];
  });
}

/** Names that are listed of a group. */
const maxNames = 3;

function GroupRow({
  group: { source_lang, target_lang, items },
  colleagues,
  me,
  values,
  onChange,
  refusals,
}: {
  group: Group;
  colleagues: readonly Colleague[];
  /** The ID of the caller; null for an administrator. */
  me: string | null;
  values: Reviewers;
  onChange: (values: Partial<Reviewers>) => void;
  refusals: readonly ShownRefusal[];
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { number } = useFormat();
  const title = useId();
  const words = items.reduce((sum, item) => sum + (item.words ?? 0), 0);
  const former = valuesOf(items);
  // Members hand over their own items, and take unassigned ones.
  const mayChoose = me === null || items.every(({ assignee }) => assignee?.user_id === me);
  const names = items.map((item) => (
    <li key={itemKey(item)}>
      <bdi translate="no">{item.title}</bdi>
      <Refused refusal={refusals.find((one) => itemKey(one) === itemKey(item))} />
    </li>
  ));
  const select = (role: 'review' | 'second') => (
    <MemberSelect
      label={t(role === 'review' ? 'assignments.first_review' : 'assignments.second_review')}
      role={role}
      group={{ source_lang, target_lang }}
      colleagues={mayChoose ? colleagues : colleagues.filter(({ user_id }) => user_id === me)}
      other={role === 'review' ? values.second : values.first}
      value={role === 'review' ? values.first : values.second}
      isMixed={(role === 'review' ? former.first : former.second) === keep}
      onChange={(value) => onChange(role === 'review' ? { first: value } : { second: value })}
    />
  );
  return (
    <Card as="li" pad={3} aria-labelledby={title}>
      <Grid least={11} gap={3}>
        <Stack gap={1}>
          <b id={title}>
            {nameOf(source_lang)}{' '}
            <ArrowRight size={12} aria-label={t('assignments.into')} className="mirrored" />{' '}
            {nameOf(target_lang)}
          </b>
          <Stack as="ul" gap={0}>
            {names.slice(0, maxNames)}
          </Stack>
          {items.length > maxNames && (
            <details>
              <summary>{t('assignments.more_names', { count: items.length - maxNames })}</summary>
              <ul>{names.slice(maxNames)}</ul>
            </details>
          )}
          {words > 0 && <small>{t('assignments.words', { count: words, shown: number(words) })}</small>}
        </Stack>
        {select('review')}
        {me === null && select('second')}
      </Grid>
    </Card>
  );
}

/** Members whose clock shows another time than the local one. */
function foreignZones(members: readonly Colleague[]): Colleague[] {
  const now = new Date();
  const clock = (timeZone?: string) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(now);
  return members.filter(({ time_zone }) => clock(time_zone) !== clock()).slice(0, 3);
}

/** The due date by the clocks of members. */
function ZoneHint({ at, members }: { at: Date; members: readonly Colleague[] }) {
  const t = useT();
  const { locale } = useInterface();
  const timeIn = (timeZone: string) =>
    new Intl.DateTimeFormat(locale, {
      ...{ timeZone, weekday: 'short', month: 'short', day: 'numeric' },
      ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
    }).format(at);
  return (
    <span className="hint">
      {members.map(({ user_id, name, time_zone }) => (
        <span key={user_id}>
          {t('assignments.for_member', { name: isolated(name), time: timeIn(time_zone) })}{' '}
        </span>
      ))}
    </span>
  );
}
