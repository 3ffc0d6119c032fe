import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { withdrawReviewFeed } from '#server/documents/feed-withdrawal.ts';
import { AppError } from '#server/errors.ts';
import type { AsAdministratorSession } from '#server/identity/access/guards/session.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { atTheServer, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { covers } from '#server/member-languages.ts';
import { addJob, type TaskPayloads } from '#server/platform/job-queue.ts';
import type { Settings } from '#server/settings.ts';
import { textPolicy } from '#server/translation/pipeline/policy.ts';
import type { ReviewItem } from '../schema.ts';
import { type AssignedItem, lockItems, type NewAssignment, storeAssignments } from './assign.ts';
import { dayIn, lockProfiles, selectCandidates } from './profiles.ts';
import { reportRemovedReviews } from './removed-reviews.ts';
import type { AssignmentRule, AssignmentRules, Profile, SaveRulesInput } from './schema.ts';

/*
 * When an item begins to await review, a trigger adds a row with the time for the rules, in the same transaction, and queues
 * this task (the migration `assignment`). So neither a killed process nor a lost task leaves an item out. A workspace
 * without rules has no rows and no task.
 */

/** Items to which rules are applied in one transaction. */
const pageSize = 200;

/** Minutes after which an item is tried again for which no member was available. */
const retryMinutes = 10;

/** Milliseconds of a run. Then the task is queued again. */
const runMs = 10_000;

export async function readRules(tx: Tx, tenantId: string): Promise<AssignmentRules> {
  const [row] = await tx.execute<AssignmentRules & Record<string, unknown>>(sql`
    select coalesce(max(rules::text), '[]')::json as rules, md5(coalesce(max(rules::text), '[]')) as version
    from assignment_rules where tenant_id = ${tenantId}`);
  return row as AssignmentRules;
}

/**
 * Saves the rules, and makes them pending for all unassigned items that await review: whoever decides one after the response
 * decides it by the new rules. A queued task applies them.
 * @throws AppError 409 state_conflict if the rules do not have the version
 */
export async function saveRules(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  asAdministrator: AsAdministratorSession,
  origin: Origin,
  input: SaveRulesInput,
): Promise<AssignmentRules> {
  const { tenantId, rules } = await asAdministrator(async (tx, principal) => ({
    tenantId: principal.tenant.id,
    rules: await storeRules(tx, origin, settings, principal, input),
  }));
  // In its own transaction, because others lock an item before the workspace. If the process dies, the task does it.
  await database.inTenant(tenantId, (tx) => awaitRules(tx, tenantId));
  return rules;
}

async function storeRules(
  tx: Tx,
  origin: Origin,
  settings: Settings,
  { tenant, user }: SessionPrincipal,
  { rules, version }: SaveRulesInput,
): Promise<AssignmentRules> {
  // Without rules, the table has no row to lock.
  await lockTenant(tx, tenant.id);
  const present = await readRules(tx, tenant.id);
  const [next] = await tx.execute<{ version: string }>(
    sql`select md5(${JSON.stringify(rules)}::jsonb::text) as version`,
  );
  // A request that was sent again after a lost response changes nothing.
  if (version !== undefined && present.version !== version && present.version !== next?.version)
    throw new AppError('state_conflict', 'the rules have changed since they were read; read them again');
  if (rules.length === 0) {
    await tx.execute(sql`delete from assignment_rules where tenant_id = ${tenant.id}`);
    await tx.execute(sql`
      update review_assignments set rules_from = null where tenant_id = ${tenant.id} and rules_from is not null`);
  } else {
    await tx.execute(sql`
      insert into assignment_rules (tenant_id, rules) values (${tenant.id}, ${JSON.stringify(rules)}::jsonb)
      on conflict (tenant_id) do update set rules = excluded.rules`);
    await addJob(tx, 'apply_assignment_rules', { tenantId: tenant.id, all: true });
  }
  await recordEvent(tx, origin, {
    action: 'assignment_rules_changed',
    tenantId: tenant.id,
    actor: { kind: 'member', userId: user.id },
    details: { rules: rules.length },
  });
  await reportRemovedReviews(
    tx,
    origin,
    settings,
    { tenantId: tenant.id, userId: user.id },
    present.rules,
    rules,
  );
  return readRules(tx, tenant.id);
}

/** Applies rules. Without a tenant, queues the task for each one with pending items. May run twice. */
export async function applyRules(
  { database }: Pick<Services, 'database'>,
  { tenantId, all = false }: TaskPayloads['apply_assignment_rules'],
): Promise<void> {
  if (tenantId === undefined) return queueTenants(database);
  if (all) await database.inTenant(tenantId, (tx) => awaitRules(tx, tenantId));
  const end = Date.now() + runMs;
  for (let applied = 0; ; ) {
    const count = await database.inTenant(tenantId, (tx) => applyToPage(tx, tenantId));
    applied += count;
    if (count === pageSize && Date.now() < end) continue;
    // An item whose transaction was open until now did not queue the task.
    if (applied > 0)
      await database.inTenant(tenantId, (tx) =>
        addJob(
          tx,
          'apply_assignment_rules',
          { tenantId },
          {
            key: `apply_assignment_rules:${tenantId}`,
            afterSeconds: count === pageSize ? 0 : 3,
          },
        ),
      );
    return;
  }
}

async function queueTenants(database: Database): Promise<void> {
  const tenants = await database.inPlatform((tx) =>
    tx.execute<{ tenantId: string }>(sql`
      select distinct tenant_id as "tenantId" from review_assignments where rules_from <= now() limit 1000`),
  );
  for (const { tenantId } of tenants)
    await database.inTenant(tenantId, (tx) =>
      addJob(tx, 'apply_assignment_rules', { tenantId }, { key: `apply_assignment_rules:${tenantId}` }),
    );
}

/** Makes the rules pending for all items that await review without an assignee or a second reviewer. */
async function awaitRules(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`
    update review_assignments a set rules_from = now()
    where exists(select from assignment_rules where tenant_id = ${tenantId})
      and a.tenant_id = ${tenantId} and a.closed_at is null
      and (a.assignee is null or (a.four_eyes and a.second is null))`);
}

/** @returns the number of pending items */
async function applyToPage(tx: Tx, tenantId: string): Promise<number> {
  // One run at a time for each workspace: the members with the fewest words depend on what others have assigned.
  const [stored] = await tx.execute<{ rules: AssignmentRule[] }>(
    sql`select rules from assignment_rules where tenant_id = ${tenantId} for no key update`,
  );
  const waiting = await tx.execute<{ kind: 'job' | 'document'; id: string }>(sql`
    select item_kind as kind, item_id as id from review_assignments
    where tenant_id = ${tenantId} and rules_from <= now() order by rules_from limit ${pageSize}::int`);
  if (waiting.length > 0) await applyToItems(tx, tenantId, waiting, stored?.rules ?? []);
  return waiting.length;
}

/**
 * Applies the rules to an item for which they are pending, because it is about to be decided: a rule may demand a second
 * review. The row of the item must be locked.
 */
export async function applyPendingRules(tx: Tx, tenantId: string, item: ReviewItem): Promise<void> {
  const { rules } = await readRules(tx, tenantId);
  await applyToItems(tx, tenantId, [item], rules);
}

/**
 * Applies the rules to those of the items for which they are pending, because a member is about to assign them: an
 * assignment keeps the queued rules from running, and a rule may demand a second review. Locks all items, in the order of their IDs.
 */
export async function applyAllPendingRules(
  tx: Tx,
  tenantId: string,
  items: readonly ReviewItem[],
): Promise<void> {
  await lockItems(tx, tenantId, items);
  const pending = await tx.execute<{ kind: 'job' | 'document'; id: string }>(sql`
    select item_kind as kind, item_id as id from review_assignments
    where tenant_id = ${tenantId} and rules_from <= now() and item_id = any(array(
      select json_array_elements_text(${JSON.stringify(items.map(({ id }) => id))}::json)))`);
  if (pending.length === 0) return;
  const { rules } = await readRules(tx, tenantId);
  await applyToItems(tx, tenantId, pending, rules);
}

async function applyToItems(
  tx: Tx,
  tenantId: string,
  waiting: readonly ReviewItem[],
  rules: readonly AssignmentRule[],
): Promise<void> {
  const items = await lockItems(tx, tenantId, waiting);
  const who = rules.flatMap(({ assignee, second }) => [assignee, second]);
  const named = who.flatMap((one) => (typeof one === 'object' ? (one?.member ?? []) : []));
  const candidates = await selectCandidates(tx, tenantId, named);
  const loads = await tx.execute<{ id: string; words: number }>(sql`
    select holder as id, coalesce(sum(words), 0)::float8 as words from review_assignments
    where tenant_id = ${tenantId} and closed_at is null and holder is not null group by holder`);
  const words = new Map(loads.map(({ id, words }) => [id, words]));
  const choice = {
    candidates,
    words,
    covering: new Map<string, Profile[]>(),
    dates: new Map<string, string | null>(),
    now: new Date(),
  };
  const open = items.filter(
    ({ is_held, assignee, four_eyes, second }) =>
      is_held && (assignee === null || (four_eyes && second === null)),
  );
  const wanted = open.flatMap((item) => applyRulesTo(item, rules, choice) ?? []);
  const active = await lockProfiles(
    tx,
    tenantId,
    wanted.flatMap(({ assignee, second }) => [assignee, second]),
  );
  // A member who was removed just now is not chosen, but the review that the rule demands is.
  const ifActive = (id: string | null) => (id !== null && active.has(id) ? id : null);
  const chosen = wanted.map((change) => {
    const [assignee, second] = [ifActive(change.assignee), ifActive(change.second)];
    const isShort = change.isShort || assignee !== change.assignee || second !== change.second;
    return { ...change, assignee, second, isShort };
  });
  const isNew = ({ item, assignee, second, four_eyes, due_at }: NewAssignment) =>
    assignee !== item.assignee ||
    second !== item.second ||
    four_eyes !== item.four_eyes ||
    due_at !== item.due_at;
  const changes = chosen.filter(isNew);
  await storeAssignments(tx, atTheServer, { tenantId, by: null, comment: null }, changes);
  // If a rule names members but none is available, try again later.
  const later = chosen.flatMap(({ isShort, item }) => (isShort ? item.id : []));
  await withdrawReviewFeed(tx, tenantId, later);
  await tx.execute(sql`
    update review_assignments set rules_from = case
      when item_id = any(array(select json_array_elements_text(${JSON.stringify(later)}::json)))
      then now() + make_interval(mins => ${retryMinutes}) end
    where tenant_id = ${tenantId} and item_id = any(array(
      select json_array_elements_text(${JSON.stringify(waiting.map(({ id }) => id))}::json)))`);
}

interface Choice {
  candidates: readonly Profile[];
  /** The open words of each member; the words of chosen items are added. */
  words: Map<string, number>;
  /** The present candidates who have a role for two languages, as far as they are known. */
  covering: Map<string, Profile[]>;
  /** Due dates by rule and time zone: the formatters that they need are slow to create. */
  dates: Map<string, string | null>;
  now: Date;
}

/**
 * Returns what the first matching rule makes of an item without an assignee or a second reviewer. If the members of the
 * rule are not available (`isShort`), the item gets the due date and the second review that the rule demands.
 * @returns undefined if no rule matches
 */
function applyRulesTo(
  item: AssignedItem,
  rules: readonly AssignmentRule[],
  { candidates, words, covering, dates, now }: Choice,
): (NewAssignment & { isShort: boolean }) | undefined {
  const isRegulated = textPolicy({ domain: item.domain, metadata: item.metadata ?? {} }).rules.length > 0;
  const rule = rules.find((one) => matches(one, item, isRegulated));
  if (!rule) return undefined;
  const choose = (who: AssignmentRule['assignee'], role: 'review' | 'second', except: (string | null)[]) => {
    const key = `${role} ${item.source_lang} ${item.target_lang}`;
    const covered =
      covering.get(key) ?? candidates.filter((one) => !one.is_away && covers(one.languages, role, item));
    covering.set(key, covered);
    const able = covered.filter(
      (one) =>
        !except.includes(one.user_id) &&
        // A member without languages reviews all of them, but is not chosen for it.
        (who === 'fewest_words' ? one.languages.length > 0 : who?.member === one.user_id),
    );
    const load = (one: Profile) => words.get(one.user_id) ?? 0;
    return able.reduce<Profile | null>((best, one) => (best && load(best) <= load(one) ? best : one), null);
  };
  const former = item.second;
  const isMade = item.is_passed;
  const isWanted = rule.assignee !== null && !isMade && item.assignee === null;
  const first = isWanted ? choose(rule.assignee, 'review', [former]) : null;
  const assignee = item.assignee ?? first?.user_id ?? null;
  const chosen =
    former === null && (rule.second !== null || item.four_eyes)
      ? choose(rule.second ?? 'fewest_words', 'second', [assignee, item.passed_by])
      : null;
  const second = former ?? chosen?.user_id ?? null;
  const holder = isMade ? chosen?.user_id : first?.user_id;
  if (holder !== undefined) words.set(holder, (words.get(holder) ?? 0) + item.words);
  const zone = first?.time_zone ?? 'UTC';
  const dateKey = `${rules.indexOf(rule)} ${zone}`;
  const date = dates.get(dateKey) ?? dueAt(rule.due, zone, now);
  dates.set(dateKey, date);
  const four_eyes = item.four_eyes || rule.second !== null;
  const isShort = (isWanted && first === null) || (four_eyes && second === null);
  return { item, assignee, second, four_eyes, due_at: item.due_at ?? date, isShort };
}

/**
 * Returns what review is demanded of an item that does not exist yet. A rule about glossaries does not match, because the
 * glossaries of an item are known when its terms have been found.
 */
export function demandedReview(
  rules: readonly AssignmentRule[],
  item: Pick<AssignedItem, 'source_lang' | 'target_lang' | 'domain' | 'words'>,
): 'second' | 'policy' | 'usual' {
  const isRegulated = textPolicy({ domain: item.domain, metadata: {} }).rules.length > 0;
  if (rules.find((one) => matches(one, item, isRegulated))?.second) return 'second';
  return isRegulated ? 'policy' : 'usual';
}

/** @param isRegulated whether the request itself demands a review: its domain is regulated, or it is marked as sensitive */
function matches(
  rule: AssignmentRule,
  item: Parameters<typeof demandedReview>[1] & Partial<Pick<AssignedItem, 'glossaries'>>,
  isRegulated: boolean,
): boolean {
  const { source_lang = '*', target_lang = '*', domain, glossary, min_words, max_words, regulated } = rule;
  const pair = [{ source_lang, target_lang, review: true, second: true }];
  return (
    (domain === undefined || domain.trim().toLowerCase() === (item.domain ?? '').trim().toLowerCase()) &&
    (glossary === undefined || (item.glossaries?.includes(glossary) ?? false)) &&
    item.words >= (min_words ?? 0) &&
    item.words <= (max_words ?? Infinity) &&
    (regulated === undefined || regulated === isRegulated) &&
    covers(pair, 'review', item)
  );
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the due date of a rule: some hours from now, or the end of a working day in a time zone. */
export function dueAt(due: AssignmentRule['due'], timeZone: string, now: Date): string | null {
  if (due === null) return null;
  if ('hours' in due) return new Date(now.getTime() + due.hours * hourMs).toISOString();
  const isWorkingDay = (day: Date) => day.getUTCDay() !== 0 && day.getUTCDay() !== 6;
  let day = new Date(`${dayIn(timeZone, now)}T18:00:00Z`);
  for (let left = due.working_days; left > 0 || !isWorkingDay(day); ) {
    day = new Date(day.getTime() + dayMs);
    if (isWorkingDay(day)) left--;
  }
  return inZone(day, timeZone).toISOString();
}

/** Returns the moment at which the clock of a time zone shows a time that is given as if it were in UTC. */
function inZone(shown: Date, timeZone: string): Date {
  const offsetAt = (at: Date) =>
    Date.parse(
      `${new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at).replace(' ', 'T')}Z`,
    ) - at.getTime();
  const first = new Date(shown.getTime() - offsetAt(shown));
  return new Date(shown.getTime() - offsetAt(first));
}
