import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import type { ReviewItem } from '../schema.ts';
import { listProfiles, shownName, usersOf } from './profiles.ts';
import type {
  Assignment,
  AssignmentPage,
  ListInput,
  LoadPage,
  MineInput,
  Profile,
  ProfilesInput,
} from './schema.ts';

const isoFormat = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`);

/** The time in a cursor of an item without a due date. */
const never = '9999-12-31T23:59:59.999Z';

/** @throws AppError 422 */
function readEnd(cursor: string): { at: string; id: string } {
  const { updatedAt, id } = readCursor(cursor);
  return { at: updatedAt.toISOString(), id };
}

/** The key of an item in a list. */
interface Key extends Record<string, unknown> {
  kind: Assignment['kind'];
  id: string;
  at: string;
}

/** Returns a page of the open assignments `a` that match a condition, by due date. */
async function pageByDue(
  tx: Tx,
  tenantId: string,
  { condition, limit, cursor }: { condition: SQL; limit: number; cursor: string | undefined },
): Promise<AssignmentPage> {
  const end = cursor === undefined ? undefined : readEnd(cursor);
  const place = end
    ? sql`(a.due, a.item_id) > (${end.at === never ? 'infinity' : end.at}::timestamptz, ${end.id})`
    : sql`true`;
  const keys = await tx.execute<Key>(sql`
    select a.item_kind as kind, a.item_id as id,
      coalesce(to_char(a.due_at at time zone 'utc', ${isoFormat}), ${never}) as at
    from review_assignments a
    where a.tenant_id = ${tenantId} and a.closed_at is null and ${condition} and ${place}
    order by a.due, a.item_id limit ${limit + 1}::int`);
  return pageOf(tx, tenantId, keys, limit);
}

async function pageOf(
  tx: Tx,
  tenantId: string,
  keys: readonly Key[],
  limit: number,
): Promise<AssignmentPage> {
  const listed = keys.slice(0, limit);
  const last = listed.at(-1);
  return {
    items: await describe(tx, tenantId, listed),
    next_cursor: last && keys.length > limit ? writeCursor({ updated_at: last.at, id: last.id }) : null,
  };
}

/** Returns the items that the member reviews next, or whose second review follows. */
export function listMine(
  tx: Tx,
  tenantId: string,
  userId: string,
  { state, ...page }: MineInput,
): Promise<AssignmentPage> {
  const condition =
    state === 'open' ? sql`a.holder = ${userId}` : sql`a.second = ${userId} and a.passed_at is null`;
  return pageByDue(tx, tenantId, { condition, ...page, cursor: page.cursor });
}

/** Returns the assigned items of a workspace, those that are overdue, those that are unassigned, or some items. */
export async function listAssignments(
  tx: Tx,
  tenantId: string,
  { items, state, holder, limit, cursor }: ListInput,
): Promise<AssignmentPage> {
  if (items) return { items: await describe(tx, tenantId, items), next_cursor: null };
  if (state === 'unassigned') return listUnassigned(tx, tenantId, limit, cursor);
  const condition = sql`${holder === undefined ? sql`a.holder is not null` : sql`a.holder = ${holder}`}
    and ${state === 'overdue' ? sql`a.due < now()` : sql`true`}`;
  return pageByDue(tx, tenantId, { condition, limit, cursor });
}

/** Returns a page of the items that no one reviews next, in the order in which they began to await review. */
async function listUnassigned(
  tx: Tx,
  tenantId: string,
  limit: number,
  cursor: string | undefined,
): Promise<AssignmentPage> {
  const end = cursor === undefined ? undefined : readEnd(cursor);
  const place = end ? sql`(a.held_at, a.item_id) > (${end.at}::timestamptz, ${end.id})` : sql`true`;
  const keys = await tx.execute<Key>(sql`
    select a.item_kind as kind, a.item_id as id,
      to_char(a.held_at at time zone 'utc', ${isoFormat}) as at
    from review_assignments a
    where a.tenant_id = ${tenantId} and a.closed_at is null and a.holder is null and ${place}
    order by a.held_at, a.item_id limit ${limit + 1}::int`);
  return pageOf(tx, tenantId, keys, limit);
}

type Row = Omit<Assignment, 'assignee' | 'second' | 'assigned_by'> &
  Record<'assignee' | 'second' | 'assigned_by', string | null> &
  Record<string, unknown>;

/** Returns items with their assignments, in the order of their keys. Items that do not await review are left out. */
async function describe(tx: Tx, tenantId: string, keys: readonly ReviewItem[]): Promise<Assignment[]> {
  if (keys.length === 0) return [];
  const iso = (time: SQL) => sql`to_char(${time} at time zone 'utc', ${isoFormat})`;
  const listed = keys.map(({ kind, id }) => ({ kind, id }));
  const rows = await tx.execute<Row>(sql`
    select k.kind, k.id, coalesce(d.source_file_name, left(j.request ->> 'source_text', 200)) as title,
      d.source_format as format, coalesce(d.request, j.request) ->> 'source_lang' as source_lang,
      coalesce(d.request, j.request) ->> 'target_lang' as target_lang,
      coalesce(d.request, j.request) ->> 'domain' as domain, a.words, a.assignee,
      coalesce(a.four_eyes, false) as four_eyes, a.second,
      case when a.passed_at is null then 'first' else 'second' end as step, ${iso(sql`a.due_at`)} as due_at,
      coalesce(a.due_at < now(), false) as is_overdue, a.comment, a.assigned_by,
      case when a.version > 0 then ${iso(sql`a.assigned_at`)} end as assigned_at,
      ${iso(sql`a.held_at`)} as waiting_since, coalesce(a.version, 0) as version
    from json_to_recordset(${JSON.stringify(listed)}::json) as k(kind text, id text)
    left join translation_jobs j on k.kind = 'job' and j.tenant_id = ${tenantId} and j.job_id = k.id
    left join document_jobs d on k.kind = 'document' and d.tenant_id = ${tenantId} and d.document_id = k.id
    join review_assignments a on a.tenant_id = ${tenantId} and a.item_kind = k.kind and a.item_id = k.id
      and a.closed_at is null
    where coalesce(j.job_id, d.document_id) is not null`);
  const ids = rows.flatMap(({ assignee, second, assigned_by }) => [assignee, second, assigned_by]);
  const names = await tx.execute<{ id: string; name: string }>(sql`
    select u.user_id as id, ${shownName} as name from ${usersOf(tenantId)} and u.user_id = any(array(
      select json_array_elements_text(${JSON.stringify([...new Set(ids.filter((id) => id !== null))])}::json)))`);
  const nameOf = new Map(names.map(({ id, name }) => [id, name]));
  const person = (id: string | null) => (id === null ? null : { user_id: id, name: nameOf.get(id) ?? id });
  const byId = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]));
  return keys.flatMap(({ kind, id }) => {
    const row = byId.get(`${kind} ${id}`);
    if (!row) return [];
    const { assignee, second, assigned_by } = row;
    return { ...row, assignee: person(assignee), second: person(second), assigned_by: person(assigned_by) };
  });
}

/** Maximum number of unassigned items that are counted. */
const maxCounted = 10_000;

/** Days of which the speed of a member is measured, and the fewest timed reviews from which it is known. */
const speedDays = 30;
const minTimed = 5;

/** The items of a member that are overdue, are due on one day, or have no due date. */
interface Bucket {
  /** A time in ISO 8601. */
  due: string | null;
  items: number;
  words: number;
  overdue: number;
}

/** Returns a page of the active members with what they have to review. */
export async function listLoad(tx: Tx, tenantId: string, input: ProfilesInput): Promise<LoadPage> {
  const { members, next_cursor } = await listProfiles(tx, tenantId, input);
  // The members are consecutive. A range is compared faster than 200 IDs.
  const ofMembers = (id: SQL) =>
    sql`${id} between ${members[0]?.user_id ?? ''} and ${members.at(-1)?.user_id ?? ''}`;
  const loads = await tx.execute<{ user_id: string; days: [string | null, number, number, number][] }>(sql`
    select user_id, json_agg(json_build_array(nullif(due, 'infinity'), items, words, overdue) order by due) as days
    from (select a.holder as user_id, min(a.due) as due, count(*) as items, sum(a.words) as words,
        count(*) filter (where a.due < now()) as overdue
      from review_assignments a
      where a.tenant_id = ${tenantId} and a.closed_at is null and ${ofMembers(sql`a.holder`)}
      group by a.holder, case when a.due < now() then '-infinity' else date_trunc('day', a.due) end) day
    group by user_id`);
  const others = await tx.execute<{ user_id: string; upcoming: number }>(sql`
    select a.second as user_id, count(*)::int as upcoming from review_assignments a
    where a.tenant_id = ${tenantId} and a.closed_at is null and a.passed_at is null and ${ofMembers(sql`a.second`)}
    group by a.second`);
  const speeds = await tx.execute<{ user_id: string; speed: number }>(sql`
    select user_id, sum(words)::float8 * 3600000 / sum(worked_ms) as speed from review_days
    where tenant_id = ${tenantId} and ${ofMembers(sql`user_id`)}
      and day > (now() at time zone 'UTC')::date - ${speedDays}::int
    group by user_id having sum(timed) >= ${minTimed}::int and sum(worked_ms) > 0 and sum(words) > 0`);
  const [free] = await tx.execute<{ items: number }>(sql`
    select count(*)::int as items from (
      select from review_assignments a where a.tenant_id = ${tenantId} and a.closed_at is null and a.holder is null
      limit ${maxCounted}::int) counted`);
  const loadOf = new Map(
    loads.map(({ user_id, days }) => [
      user_id,
      days.map(([due, items, words, overdue]): Bucket => ({ due, items, words, overdue })),
    ]),
  );
  const upcomingOf = new Map(others.map((one) => [one.user_id, one.upcoming]));
  const speedOf = new Map(speeds.map((one) => [one.user_id, one.speed]));
  const now = new Date();
  return {
    members: members.map((member) => {
      const { user_id, name, is_away, away_from, away_to } = member;
      const own = loadOf.get(user_id) ?? [];
      const speed = speedOf.get(user_id) ?? null;
      const sum = (field: 'items' | 'words' | 'overdue') => own.reduce((all, one) => all + one[field], 0);
      return {
        ...{ user_id, name, is_away, away_from, away_to },
        ...{ items: sum('items'), words: sum('words'), overdue: sum('overdue') },
        at_risk: speed === null ? null : itemsAtRisk(own, speed, member, now),
        upcoming: upcomingOf.get(user_id) ?? 0,
        words_per_hour: speed === null ? null : Math.round(speed),
        next_due_at: own[0]?.due ? new Date(own[0].due).toISOString() : null,
      };
    }),
    unassigned: free?.items ?? 0,
    next_cursor,
  };
}

const dayMs = 86_400_000;

/** Hours of review that a member has in a working day. */
const hoursPerDay = 8;

/**
 * Counts the items that will be overdue if a member reviews by due date at a constant speed, 8 hours a day from Monday to
 * Friday, except during an absence.
 * @param buckets by due date
 * @param speed words per hour
 */
export function itemsAtRisk(
  buckets: readonly Pick<Bucket, 'due' | 'items' | 'words' | 'overdue'>[],
  speed: number,
  { away_from, away_to }: Pick<Profile, 'away_from' | 'away_to'>,
  now: Date,
): number {
  let words = 0;
  let items = 0;
  // The days are counted once for all buckets, and at most a year of them.
  let day = Math.floor(now.getTime() / dayMs);
  const lastDay = day + 366;
  let hours = 0;
  for (const { due, items: count, words: own, overdue } of buckets) {
    if (due === null) break;
    words += own;
    const dueDay = Date.parse(due) / dayMs;
    while (day < dueDay && day < lastDay) {
      const date = new Date(day * dayMs);
      const name = date.toISOString().slice(0, 10);
      const isAway = away_from !== null && away_to !== null && away_from <= name && name <= away_to;
      const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
      // What is left of today counts, and the day of the due date counts as a whole.
      const share = Math.min(1, day + 1 - now.getTime() / dayMs);
      if (!isAway && !isWeekend) hours += hoursPerDay * share;
      day++;
    }
    if (overdue === 0 && words / speed > hours) items += count;
  }
  return items;
}
