import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewAssignments } from '#db/schema/reviews.ts';
import { withdrawReviewFeed } from '#server/documents/feed-withdrawal.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { type Actor, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { covers } from '#server/member-languages.ts';
import type { Settings } from '#server/settings.ts';
import { kinds } from '../kinds.ts';
import type { ReviewItem } from '../schema.ts';
import { lockProfiles } from './profiles.ts';
import { recordRemoved } from './removed-reviews.ts';
import type { AssignInput, AssignOutcomes, Profile } from './schema.ts';

/** An item with its present assignment. */
export interface AssignedItem extends Record<string, unknown> {
  kind: ReviewItem['kind'];
  id: string;
  source_lang: string;
  target_lang: string;
  domain: string | null;
  metadata: Record<string, unknown> | null;
  /** IDs of the glossaries that a text used. */
  glossaries: unknown[];
  words: number;
  is_held: boolean;
  assignee: string | null;
  second: string | null;
  four_eyes: boolean;
  passed_by: string | null;
  is_passed: boolean;
  due_at: string | null;
  version: number;
}

/** Locks items in the order of their IDs, and returns those that exist with their assignments and words. */
export async function lockItems(
  tx: Tx,
  tenantId: string,
  items: readonly ReviewItem[],
): Promise<AssignedItem[]> {
  const ids = (kind: ReviewItem['kind']) =>
    sql`any(array(select json_array_elements_text(${JSON.stringify(
      items.filter((item) => item.kind === kind).map(({ id }) => id),
    )}::json)))`;
  // The locks come first, so that the assignments are read after them.
  for (const [kind, table, column] of [
    ['job', 'translation_jobs', 'job_id'],
    ['document', 'document_jobs', 'document_id'],
  ] as const) {
    const id = sql.identifier(column);
    await tx.execute(sql`select from ${sql.identifier(table)}
      where tenant_id = ${tenantId} and ${id} = ${ids(kind)} order by ${id} for no key update`);
  }
  const rows = await tx.execute<AssignedItem>(sql`
    select i.kind, i.id, coalesce(i.request ->> 'source_lang', '') as source_lang,
      coalesce(i.request ->> 'target_lang', '') as target_lang, i.request ->> 'domain' as domain,
      i.request -> 'metadata' as metadata, i.glossaries, i.is_held, coalesce(a.words, 0) as words,
      a.assignee, a.second, coalesce(a.four_eyes, false) as four_eyes, a.passed_by,
      a.passed_at is not null as is_passed, a.due_at, coalesce(a.version, 0) as version
    from (
      select 'job' as kind, job_id as id, request, status in ('awaiting_review', 'refined') as is_held,
        jsonb_path_query_array(pipeline_metadata, '$.terminology_entries[*].set_id') as glossaries
      from translation_jobs where tenant_id = ${tenantId} and job_id = ${ids('job')}
      union all
      select 'document', document_id, request, status = 'translated' and approved_at is null, '[]'
      from document_jobs where tenant_id = ${tenantId} and document_id = ${ids('document')}) i
    left join review_assignments a on a.tenant_id = ${tenantId} and a.item_kind = i.kind and a.item_id = i.id`);
  return [...rows];
}

/** A new state of an assignment. */
export interface NewAssignment {
  item: AssignedItem;
  assignee: string | null;
  second: string | null;
  four_eyes: boolean;
  due_at: string | null;
}

/**
 * Stores assignments of items that `lockItems` has locked, and records each change. The TM stops serving the unapproved
 * corrections of their documents.
 * @param by the member; null for a rule
 */
export async function storeAssignments(
  tx: Tx,
  origin: Origin,
  { tenantId, by, comment }: { tenantId: string; by: string | null; comment: string | null },
  changes: readonly NewAssignment[],
): Promise<void> {
  const rows = changes.map(({ item: { kind, id, source_lang, target_lang }, ...change }) => ({
    ...change,
    ...{ kind, id, source_lang, target_lang },
  }));
  await tx.execute(sql`
    insert into review_assignments as a (tenant_id, item_kind, item_id, source_lang, target_lang, assignee,
      four_eyes, second, due_at, comment, assigned_by)
    select ${tenantId}, kind, id, source_lang, target_lang, assignee, four_eyes, second, due_at,
      ${comment}::text, ${by}::text
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(kind text, id text, source_lang text, target_lang text,
      assignee text, four_eyes boolean, second text, due_at timestamptz)
    on conflict (tenant_id, item_kind, item_id) do update set source_lang = excluded.source_lang,
      target_lang = excluded.target_lang, assignee = excluded.assignee,
      four_eyes = excluded.four_eyes, second = excluded.second, due_at = excluded.due_at,
      passed_at = case when excluded.four_eyes then a.passed_at end,
      passed_by = case when excluded.four_eyes then a.passed_by end,
      -- The comment for a reviewer stays until the reviewers change or another comment replaces it.
      (comment, assigned_by) = (select c.comment, c.assigned_by from (values (a.comment, a.assigned_by,
          excluded.comment is null and a.assignee is not distinct from excluded.assignee
            and a.second is not distinct from excluded.second and a.comment is not null),
        (excluded.comment, excluded.assigned_by, true)) c(comment, assigned_by, applies) where c.applies limit 1),
      assigned_at = now(), version = a.version + 1,
      rules_from = null`);
  await withdrawReviewFeed(
    tx,
    tenantId,
    changes.flatMap(({ item }) => (item.kind === 'document' ? item.id : [])),
  );
  const actor: Actor = by === null ? { kind: 'server' } : { kind: 'member', userId: by };
  await Promise.all(
    changes.map(({ item: { kind, id, assignee: former, second: former_second }, assignee, second, due_at }) =>
      recordEvent(tx, origin, {
        action: assignee === null && former !== null ? 'review_unassigned' : 'review_assigned',
        tenantId,
        actor,
        target: id,
        details: { kind, assignee, second, due_at, former, former_second, by_rule: by === null },
      }),
    ),
  );
}

type Outcome = AssignOutcomes['results'][number];

/**
 * Changes the assignments of items. Administrators change all; other members take unassigned items, and hand over or
 * unassign their own. A rejected item does not stop the others.
 * @throws AppError 403 `proof_required` if an item would no longer need a second review, and the session has no recent proof of
 *   identity; then nothing changes
 */
export async function assignItems(
  tx: Tx,
  origin: Origin,
  settings: Settings,
  { tenant, user, family }: SessionPrincipal,
  { items, assignee, second, due_at, comment }: AssignInput,
): Promise<AssignOutcomes> {
  const found = await lockItems(tx, tenant.id, items);
  const byKey = new Map(found.map((item) => [`${item.kind} ${item.id}`, item]));
  const people = await lockProfiles(tx, tenant.id, [
    ...[assignee, second, user.id],
    ...found.flatMap((item) => [item.assignee, item.second]),
  ]);
  const isAdministrator = user.role === 'global_administrator';
  const changes: NewAssignment[] = [];

  const change = (item: AssignedItem, seen: number | undefined): NewAssignment => {
    const conflict = (why: string) => new AppError('state_conflict', `${item.kind} ${item.id} ${why}`);
    if (!item.is_held) throw conflict('does not await review');
    const holder = item.assignee === null ? null : (people.get(item.assignee)?.name ?? item.assignee);
    if (seen !== undefined && seen !== item.version)
      throw conflict(`was assigned to ${holder ?? 'no one'} since it was read`);
    if (!isAdministrator) {
      if (second !== undefined || due_at !== undefined)
        throw new AppError('forbidden', 'only administrators can change due dates and second reviewers');
      if (item.assignee === null ? assignee !== user.id : item.assignee !== user.id)
        throw new AppError(
          'forbidden',
          item.assignee === null
            ? 'only administrators can assign items to others'
            : `${item.kind} ${item.id} is assigned to ${holder}; only administrators can change that`,
        );
    }
    const next = {
      item,
      assignee: assignee === undefined ? item.assignee : assignee,
      second: second === undefined ? item.second : second,
      four_eyes: second === undefined ? item.four_eyes : second !== null,
      due_at: due_at === undefined ? item.due_at : due_at,
    };
    if (next.assignee !== null && next.assignee === next.second)
      throw conflict('needs two different reviewers');
    if (next.four_eyes && next.second !== null && next.second === item.passed_by)
      throw conflict('needs a second reviewer who did not make the first review');
    requireReviewer(people, item, assignee, 'review');
    requireReviewer(people, item, second, 'second');
    return next;
  };

  const results = items.map(({ kind, id, version }): Outcome => {
    const item = byKey.get(`${kind} ${id}`);
    try {
      if (!item) throw kinds[kind].unknown();
      changes.push(change(item, version));
      return { outcome: 'done', kind, id, version: item.version + 1 };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const present = item?.assignee ?? null;
      return {
        ...{ outcome: 'refused', kind, id, http_status: error.status, detail: error.message },
        ...{ error_code: error.code, retry_after: null, version: item?.version ?? 0 },
        assignee: present === null ? null : { user_id: present, name: people.get(present)?.name ?? present },
      };
    }
  });
  const removed = changes.filter(({ item, four_eyes }) => item.four_eyes && !four_eyes);
  if (removed.length > 0) requireProof(family);
  if (changes.length > 0)
    await storeAssignments(
      tx,
      origin,
      { tenantId: tenant.id, by: user.id, comment: comment || null },
      changes,
    );
  await recordRemoved(
    tx,
    origin,
    settings,
    { tenantId: tenant.id, userId: user.id },
    removed.map(({ item: { kind, id, second: former } }) => ({ target: id, details: { kind, former } })),
  );
  return { results };
}

/** @throws AppError 404; 409 if the member does not review the languages of the item */
function requireReviewer(
  people: ReadonlyMap<string, Profile>,
  item: AssignedItem,
  userId: string | null | undefined,
  role: 'review' | 'second',
): void {
  if (userId === null || userId === undefined) return;
  const member = people.get(userId);
  if (!member) throw new AppError('not_found', 'member not found');
  if (!covers(member.languages, role, item))
    throw new AppError(
      'state_conflict',
      `${member.name} makes no ${role === 'second' ? 'second ' : ''}reviews of ${item.source_lang} → ${item.target_lang}`,
    );
}

/**
 * Days after which the assignments of decided items are deleted. A report reaches back 366 days. Those with a second review
 * stay as long as the item, because it stays demanded.
 */
const keptDays = 400;

/**
 * Deletes the assignments of items that were decided. Platform scope.
 * @param heldTenants tenants with a legal hold, whose assignments stay
 * @returns the number of deleted assignments
 */
export async function pruneAssignments(tx: Tx, heldTenants: readonly string[]): Promise<number> {
  const { count } = await tx
    .delete(reviewAssignments)
    .where(
      and(
        eq(reviewAssignments.fourEyes, false),
        lt(reviewAssignments.closedAt, sql`now() - make_interval(days => ${keptDays})`),
        sql`tenant_id not in (select jsonb_array_elements_text(${JSON.stringify(heldTenants)}::jsonb))`,
      ),
    );
  return count;
}
