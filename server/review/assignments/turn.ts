import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { covers } from '#server/member-languages.ts';
import type { Author } from '../author.ts';
import { requireItem } from '../kinds.ts';
import type { ReviewItem } from '../schema.ts';
import { shownName, usersOf } from './profiles.ts';
import { applyPendingRules } from './rules.ts';
import type { Passed, PassInput, Profile } from './schema.ts';

/*
 * Whose turn it is. An item has a first reviewer, the assignee, and may need a second review by another member. The
 * first reviewer passes it on; only the second one publishes it. Everyone who writes an item locks its row first, as
 * everyone does who changes its assignment, and then asks `requireTurn`.
 */

interface Turn extends Record<string, unknown> {
  version: number | null;
  assignee: string | null;
  second: string | null;
  four_eyes: boolean | null;
  is_passed: boolean | null;
  passed_by: string | null;
  /** Whether the item is decided. */
  is_closed: boolean | null;
  /** Whether the rules are to be applied to the item, now or when a member is available. */
  is_pending: boolean | null;
  assignee_name: string | null;
  second_name: string | null;
  role: string | null;
  languages: Profile['languages'] | null;
}

async function selectTurn(tx: Tx, tenantId: string, item: ReviewItem, userId: string | null): Promise<Turn> {
  const nameOf = (id: SQL) => sql`(select ${shownName} from ${usersOf(tenantId)} and u.user_id = ${id})`;
  const [turn] = await tx.execute<Turn>(sql`
    select a.version, a.assignee, a.second, a.four_eyes, a.passed_at is not null as is_passed, a.passed_by,
      a.closed_at is not null as is_closed, a.rules_from is not null as is_pending,
      ${nameOf(sql`a.assignee`)} as assignee_name, ${nameOf(sql`a.second`)} as second_name,
      (select role from users where tenant_id = ${tenantId} and user_id = ${userId}) as role,
      (select languages from reviewer_profiles where tenant_id = ${tenantId} and user_id = ${userId}) as languages
    from (select 1) one left join review_assignments a on a.tenant_id = ${tenantId} and a.item_kind = ${item.kind}
      and a.item_id = ${item.id}`);
  return turn as Turn;
}

/** A change to an item that a member or a client with an API key is about to make. */
export interface Writing {
  /** Set if it closes the review: whether it publishes the item, and its languages. */
  decision?: { publishes: boolean; languages: { source_lang: string; target_lang: string } };
  /** Whether it changes segments that the request does not name. */
  changesAll?: boolean;
  /** Whether the request names the version that the caller saw, which the caller of this function compares. */
  namesVersion?: boolean;
}

/**
 * Requires that the caller may write an item now: its texts, findings, confirmations and decision. All ways of writing
 * call this. The row of the item must be locked.
 * - An item with a second review that is passed on is written and published only by the second reviewer, who names the
 *   version that it publishes. A change of all its segments names the version, too. After the approval, it is not changed
 *   before it is reopened.
 * - Another assigned item is written only by its assignee. Administrators assign it to themselves first.
 * - Other items are written by everyone who may review, and decided by those who have the languages. An API key writes only
 *   such items.
 * @throws AppError 409 state_conflict; 403
 */
export async function requireTurn(
  tx: Tx,
  { tenantId, userId }: Pick<Author, 'userId'> & { tenantId: string },
  item: ReviewItem,
  { decision, changesAll = false, namesVersion = false }: Writing = {},
): Promise<void> {
  let turn = await selectTurn(tx, tenantId, item, userId);
  if (turn.is_pending) {
    await applyPendingRules(tx, tenantId, item);
    turn = await selectTurn(tx, tenantId, item, userId);
  }
  const refused = (why: string) => new AppError('state_conflict', `${item.kind} ${item.id} ${why}`);
  if (turn.is_closed && turn.four_eyes) throw refused('was approved after a second review; reopen it first');
  const isSecond = turn.four_eyes && turn.is_passed;
  const isAdministrator = turn.role === 'global_administrator';
  if (turn.four_eyes && !isSecond && decision?.publishes && (isAdministrator || userId === turn.assignee))
    throw refused(
      `needs a second review${turn.second === null ? '' : ` by ${turn.second_name}`}; pass it on with assignments.pass`,
    );
  if (isSecond) {
    if (turn.second === null) throw refused('needs a second reviewer; an administrator can set one');
    if (userId !== turn.second || userId === turn.passed_by)
      throw refused(`awaits the second review by ${turn.second_name}`);
  } else if (turn.assignee !== null) {
    if (userId !== turn.assignee) throw refused(`is assigned to ${turn.assignee_name}`);
  } else if (turn.four_eyes || turn.is_pending) {
    throw refused('needs a reviewer; assign it first');
  }
  if (((isSecond && decision?.publishes) || (turn.four_eyes && changesAll)) && !namesVersion)
    throw refused('has a second review; send the updated_at of the version that you saw');
  if (!decision) return;
  const { languages } = decision;
  if (userId === null || isSecond || turn.assignee !== null || isAdministrator) return;
  if (!covers(turn.languages ?? [], 'review', languages))
    throw new AppError('forbidden', `you do not review ${languages.source_lang} → ${languages.target_lang}`);
}

/**
 * Passes an item on to its second review, or back to the first one.
 * @throws AppError 404; 409 state_conflict if it is not the turn of the caller; 403
 */
export async function passItem(
  tx: Tx,
  origin: Origin,
  { tenant, user }: SessionPrincipal,
  { back, comment, version, ...item }: PassInput,
): Promise<Passed> {
  await requireItem(tx, tenant.id, item, { lock: true });
  const turn = await selectTurn(tx, tenant.id, item, user.id);
  const isAdministrator = user.role === 'global_administrator';
  const refused = (why: string) => new AppError('state_conflict', `${item.kind} ${item.id} ${why}`);
  if (version !== undefined && version !== turn.version) throw refused('has changed since it was read');
  if (!turn.four_eyes) throw new AppError('state_conflict', 'the item has no second review');
  if (turn.is_passed !== back) throw refused(back ? 'is not passed on yet' : 'is already passed on');
  if (back) {
    if (user.id !== turn.second && !isAdministrator)
      throw refused(`awaits the second review${turn.second === null ? '' : ` by ${turn.second_name}`}`);
  } else if (user.id === turn.second) {
    throw refused('needs a first review by another member');
  } else if (user.id !== turn.assignee && !isAdministrator) {
    throw refused(turn.assignee === null ? 'is assigned to no one' : `is assigned to ${turn.assignee_name}`);
  }
  const change = back
    ? sql`passed_at = null, passed_by = null, assignee = (
        select user_id from users where tenant_id = ${tenant.id} and user_id = assignee and active)`
    : sql`passed_at = now(), passed_by = ${user.id}, first_passed_at = coalesce(first_passed_at, now())`;
  const [row] = await tx.execute<{ version: number }>(sql`
    update review_assignments set ${change}, version = version + 1, comment = ${comment || null},
      assigned_by = ${user.id}, assigned_at = now()
    where tenant_id = ${tenant.id} and item_kind = ${item.kind} and item_id = ${item.id} returning version`);
  await recordEvent(tx, origin, {
    action: 'review_passed',
    tenantId: tenant.id,
    actor: { kind: 'member', userId: user.id },
    target: item.id,
    details: { kind: item.kind, to: back ? 'first' : 'second', member: back ? turn.assignee : turn.second },
  });
  return { ...item, step: back ? 'first' : 'second', version: row?.version ?? 0 };
}
