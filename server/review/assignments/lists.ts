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

/** The open reviews of a member. */
interface Load extends Record<string, unknown> {
  user_id: string;
  items: number;
  words: number;
  overdue: number;
  /** The first due date, in milliseconds. */
  next_due: number | null;
  /**
   * The days with due items, in order: the day, where 1 is today in the time zone of the member, the items that are not
   * overdue, and the words. Day 0 is all past days, and the day after the last one is all days more than a year away.
   */
  days: [day: number, items: number, words: number][];
  /** The offset of the time zone from UTC now. */
  offset_ms: number;
}

/** Days for which a forecast is made. */
const forecastDays = 366;

/** Returns a page of the active members with what they have to review. */
export async function listLoad(tx: Tx, tenantId: string, input: ProfilesInput): Promise<LoadPage> {
  const { members, next_cursor } = await listProfiles(tx, tenantId, input, { withLanguages: false });
  // The members are consecutive. A range is compared faster than 200 IDs.
  const ofMembers = (id: SQL) =>
    sql`${id} between ${members[0]?.user_id ?? ''} and ${members.at(-1)?.user_id ?? ''}`;
  const asked = JSON.stringify(members.map(({ user_id, time_zone }) => ({ user_id, time_zone })));
  // A search of the index for each member, and small numbers: to sort all rows and to write JSON objects took twice as long.
  const loads = await tx.execute<Load>(sql`
    select m.user_id, m.offset_s * 1000 as offset_ms, load.* from (
      select user_id, date_part('epoch', date_trunc('day', now(), time_zone)) as midnight,
        date_part('epoch', now() at time zone time_zone) - date_part('epoch', now()) as offset_s
      from json_to_recordset(${asked}::json) as one(user_id text, time_zone text) offset 0) m
    cross join lateral (
      select coalesce(sum(items), 0)::int as items, coalesce(sum(words), 0)::float8 as words,
        coalesce(sum(items - ahead), 0)::int as overdue, date_part('epoch', min(due)) * 1000 as next_due,
        coalesce(json_agg(array[day, ahead, words] order by day) filter (where day is not null), '[]') as days
      from (
        select width_bucket(date_part('epoch', nullif(a.due, 'infinity')), m.midnight,
            m.midnight + ${forecastDays * 86_400}::int, ${forecastDays}::int) as day,
          min(nullif(a.due, 'infinity')) as due, count(*) as items, sum(a.words) as words,
          count(*) filter (where a.due >= now()) as ahead
        from review_assignments a
        where a.tenant_id = ${tenantId} and a.closed_at is null and a.holder = m.user_id
        group by 1) day) load`);
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
  const loadOf = new Map(loads.map((one) => [one.user_id, one]));
  const upcomingOf = new Map(others.map((one) => [one.user_id, one.upcoming]));
  const speedOf = new Map(speeds.map((one) => [one.user_id, one.speed]));
  const now = new Date();
  return {
    members: members.map((member) => {
      const { user_id, name, is_away, away_from, away_to } = member;
      const { items, words, overdue, next_due, ...forecast } = loadOf.get(user_id) as Load;
      const speed = speedOf.get(user_id) ?? null;
      return {
        ...{ user_id, name, is_away, away_from, away_to, items, words, overdue },
        at_risk: speed === null ? null : itemsAtRisk(forecast, speed, member, now),
        upcoming: upcomingOf.get(user_id) ?? 0,
        words_per_hour: speed === null ? null : Math.round(speed),
        next_due_at: next_due === null ? null : new Date(next_due).toISOString(),
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
 * Friday, except during an absence. Days are those of the member's time zone.
 * @param speed words per hour
 */
function itemsAtRisk(
  { days, offset_ms }: Pick<Load, 'days' | 'offset_ms'>,
  speed: number,
  { away_from, away_to }: Pick<Profile, 'away_from' | 'away_to'>,
  now: Date,
): number {
  const local = (now.getTime() + offset_ms) / dayMs;
  const today = Math.floor(local);
  const dayOf = (date: string | null) => (date === null ? Infinity : Date.parse(date) / dayMs);
  const [firstAway, lastAway] = [dayOf(away_from), dayOf(away_to)];
  let all = 0;
  let late = 0;
  let day = today;
  let hours = 0;
  for (const [due, items, words] of days) {
    all += words;
    for (const end = today + Math.min(due, forecastDays); day < end; day++) {
      const isAway = firstAway <= day && day <= lastAway;
      // 0 is Sunday. Day 0, 1970-01-01, was a Thursday.
      const weekday = (day + 4) % 7;
      // What is left of today counts, and the day of the due date counts as a whole.
      const share = Math.min(1, day + 1 - local);
      if (!isAway && weekday !== 0 && weekday !== 6) hours += hoursPerDay * share;
    }
    if (all / speed > hours) late += items;
  }
  return late;
}
