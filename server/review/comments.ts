import { randomUUID } from 'node:crypto';
import { and, asc, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { reviewComments } from '#db/schema/reviews.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { emailsOf, selectActiveMembers } from '#server/identity/members/members.ts';
import type {
  Comment,
  CommentInput,
  CommentPage,
  CommentsInput,
  MentionList,
  MentionsInput,
} from './comment-schema.ts';
import { claimantOf } from './item.ts';
import { requireItem, requireSegment } from './kinds.ts';
import type { ReviewItem } from './schema.ts';

/*
 * Members comment on texts, documents and segments. A comment is never changed. It is deleted by its author, by an
 * administrator, or together with its item. The ID of a deleted comment is kept for a day, so that a late copy of the
 * request that added the comment does not add it again.
 */

/** Maximum number of comments on one item. */
const maxOfItem = 1000;

const pageSize = 100;

/** Hours for which the IDs of deleted comments are kept. */
const keptHours = 24;

/** Maximum number of mentions on a page, and of comments that one request examines for mentions. */
const most = { mentions: 50, examined: 5000 };

/** Characters of a text that a list of mentions shows. */
const nameLength = 100;

type Row = typeof reviewComments.$inferSelect;

/**
 * Returns a page of the comments on an item, oldest first.
 * @throws AppError 404; 422 for an invalid cursor
 */
export async function listComments(
  tx: Tx,
  tenantId: string,
  { position, cursor, ...item }: CommentsInput,
): Promise<CommentPage> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  await requireItem(tx, tenantId, item);
  const { createdAt, commentId } = reviewComments;
  const rows = await tx
    .select()
    .from(reviewComments)
    .where(
      and(
        isOn(tenantId, item),
        position === undefined ? undefined : eq(reviewComments.position, position),
        after &&
          sql`(${createdAt}, ${commentId}) > (${after.updatedAt.toISOString()}::timestamptz, ${uuidOf(after.id)})`,
      ),
    )
    .orderBy(asc(createdAt), asc(commentId))
    .limit(pageSize + 1);
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  const more = rows.length > pageSize && last;
  return { comments: await viewsOf(tx, tenantId, page), next_cursor: more ? cursorOf(last) : null };
}

/**
 * Adds a comment. If the member has already added the same comment with the same ID, returns the first one.
 * @throws AppError 404; 422 for an unknown segment, or a mention of someone who is not an active member; 409 if the
 *   item has `maxOfItem` comments, or if the ID belongs to another comment or to a deleted one
 */
export async function addComment(
  tx: Tx,
  principal: SessionPrincipal,
  { comment_id: commentId = randomUUID(), position: given, body, mentions: named, ...item }: CommentInput,
): Promise<Comment> {
  const { tenantId, userId, name } = claimantOf(principal);
  const position = given ?? null;
  // The lock lets comments on the item be counted, and stops a deletion of the item from leaving this comment.
  await requireItem(tx, tenantId, item, { lock: true });
  const mentions = [...new Set(named)];
  const added = { tenantId, userId, itemKind: item.kind, itemId: item.id, position, body };
  const [known] = await tx.select().from(reviewComments).where(isComment(tenantId, commentId));
  if (known) {
    const isSame = Object.entries(added).every(([column, value]) => known[column as keyof Row] === value);
    if (!isSame || known.mentions.toSorted().join() !== mentions.toSorted().join()) throw taken();
    return viewOf(tx, tenantId, known);
  }
  if (position !== null) await requireSegment(tx, tenantId, item, position);
  await requireMembers(tx, tenantId, mentions);
  await requireRoom(tx, tenantId, item);
  const [row] = await tx
    .insert(reviewComments)
    // The time after the lock was acquired: otherwise a comment could get an earlier place than one already listed.
    .values({ ...added, commentId, author: name, mentions, createdAt: sql`clock_timestamp()` })
    .onConflictDoNothing()
    .returning();
  if (!row) throw taken();
  return viewOf(tx, tenantId, row);
}

/** @throws AppError 422 if one of the users is not an active member */
async function requireMembers(tx: Tx, tenantId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const members = await selectActiveMembers(tx, tenantId, userIds);
  const unknown = userIds.findIndex((userId) => !members.has(userId));
  if (unknown >= 0)
    throw new AppError('invalid_fields', [
      { loc: ['body', 'mentions', unknown], msg: 'not an active member', type: 'unknown_member' },
    ]);
}

/** @throws AppError 409 if the item has `maxOfItem` comments; the caller has locked the item */
async function requireRoom(tx: Tx, tenantId: string, item: ReviewItem): Promise<void> {
  const [row] = await tx
    .select({ comments: sql<number>`count(*)::int` })
    .from(reviewComments)
    .where(isOn(tenantId, item));
  const actual = row?.comments ?? 0;
  if (actual >= maxOfItem)
    throw new AppError('state_conflict', `an item can have at most ${maxOfItem} comments`, {
      excess: { limit: maxOfItem, actual, unit: 'items' },
    });
}

function taken(): AppError {
  return new AppError(
    'conflict',
    'the comment ID belongs to another comment, or to a deleted one; send a new one',
  );
}

/**
 * Deletes a comment of the member, or, as an administrator, of anyone.
 * @throws AppError 404; 403
 */
export async function deleteComment(
  tx: Tx,
  { tenant, user }: SessionPrincipal,
  commentId: string,
): Promise<void> {
  const isAllowed = user.role === 'global_administrator' ? undefined : eq(reviewComments.userId, user.id);
  const isKnown = and(isComment(tenant.id, commentId), isNull(reviewComments.deletedAt));
  const { count } = await tx
    .update(reviewComments)
    .set({ body: '', mentions: [], deletedAt: sql`now()` })
    .where(and(isKnown, isAllowed));
  if (count > 0) return;
  const known = await tx.select({ commentId: reviewComments.commentId }).from(reviewComments).where(isKnown);
  throw known.length > 0
    ? new AppError('forbidden', 'only the author or an administrator can delete a comment')
    : new AppError('not_found', 'comment not found');
}

/**
 * Deletes the rows of deleted comments after `keptHours`. Platform scope.
 * @returns their number
 */
export async function pruneComments(tx: Tx): Promise<number> {
  const { count } = await tx
    .delete(reviewComments)
    .where(lt(reviewComments.deletedAt, sql`now() - make_interval(hours => ${keptHours})`));
  return count;
}

/** Deletes all comments on an item, in the transaction that deletes the item. */
export async function deleteCommentsOn(tx: Tx, tenantId: string, item: ReviewItem): Promise<void> {
  await tx.delete(reviewComments).where(ofItem(tenantId, item));
}

/**
 * Returns a page of the comments that mention the member, latest first. One request examines at most `most.examined`
 * comments, because no index supports the condition under row-level security. So a page may be short although more
 * follow.
 * @throws AppError 422 for an invalid cursor
 */
export async function listMentions(
  tx: Tx,
  { tenant, user }: SessionPrincipal,
  { since, cursor }: MentionsInput,
): Promise<MentionList> {
  const { tenantId, itemKind, itemId, createdAt, commentId, mentions } = reviewComments;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const isExamined = and(
    eq(tenantId, tenant.id),
    since === undefined ? undefined : gt(createdAt, new Date(since)),
    after &&
      sql`(${createdAt}, ${commentId}) < (${after.updatedAt.toISOString()}::timestamptz, ${uuidOf(after.id)})`,
  );
  const named = await tx.execute<NamedPlace>(sql`
    select comment_id as "commentId", to_json(created_at) #>> '{}' as "createdAt", named, n = ${most.examined} as "isEnd"
    from (
      select ${commentId}, ${createdAt}, ${mentions} @> ${JSON.stringify([user.id])}::jsonb as named,
        row_number() over (order by ${createdAt} desc, ${commentId} desc) as n
      from ${reviewComments} where ${isExamined}
      order by ${createdAt} desc, ${commentId} desc limit ${most.examined}) examined
    where named or n = ${most.examined} order by n limit ${most.mentions + 1}`);
  const found = named.filter((place) => place.named);
  const end = found.length > most.mentions ? found[most.mentions - 1] : named.find(({ isEnd }) => isEnd);
  const ids = found.slice(0, most.mentions).map((place) => place.commentId);
  const rows = await tx
    .select({
      row: reviewComments,
      name: sql<string>`coalesce(${documentJobs.sourceFileName},
        left(${translationJobs.request} ->> 'source_text', ${nameLength}), '')`,
    })
    .from(reviewComments)
    .leftJoin(
      documentJobs,
      and(eq(itemKind, 'document'), eq(documentJobs.tenantId, tenantId), eq(documentJobs.documentId, itemId)),
    )
    .leftJoin(
      translationJobs,
      and(eq(itemKind, 'job'), eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, itemId)),
    )
    .where(and(eq(tenantId, tenant.id), inArray(commentId, ids)))
    .orderBy(desc(createdAt), desc(commentId));
  const views = await viewsOf(
    tx,
    tenant.id,
    rows.map(({ row }) => row),
  );
  return {
    mentions: rows.map(({ name }, index) => ({ ...(views[index] as Comment), item_name: name })),
    next_cursor: end ? cursorOf({ ...end, createdAt: new Date(end.createdAt) }) : null,
  };
}

/** A comment that mentions the member, or the last examined one. */
interface NamedPlace extends Record<string, unknown> {
  commentId: string;
  /** ISO 8601. */
  createdAt: string;
  named: boolean;
  isEnd: boolean;
}

async function viewOf(tx: Tx, tenantId: string, row: Row): Promise<Comment> {
  const [view] = await viewsOf(tx, tenantId, [row]);
  return view as Comment;
}

async function viewsOf(tx: Tx, tenantId: string, rows: readonly Row[]): Promise<Comment[]> {
  const mentioned = [...new Set(rows.flatMap(({ mentions }) => mentions))];
  const emails = mentioned.length > 0 ? await emailsOf(tx, tenantId, mentioned) : new Map<string, string>();
  return rows.map((row) => ({
    kind: row.itemKind,
    id: row.itemId,
    comment_id: row.commentId,
    position: row.position,
    user_id: row.userId,
    author: row.author,
    body: row.body,
    mentions: row.mentions.map((userId) => ({ user_id: userId, email: emails.get(userId) ?? null })),
    created_at: row.createdAt.toISOString(),
  }));
}

/** Matches the comments on an item that are not deleted. */
function isOn(tenantId: string, item: ReviewItem): SQL | undefined {
  return and(ofItem(tenantId, item), isNull(reviewComments.deletedAt));
}

function ofItem(tenantId: string, { kind, id }: ReviewItem): SQL | undefined {
  return and(
    eq(reviewComments.tenantId, tenantId),
    eq(reviewComments.itemKind, kind),
    eq(reviewComments.itemId, id),
  );
}

function isComment(tenantId: string, commentId: string): SQL | undefined {
  return and(eq(reviewComments.tenantId, tenantId), eq(reviewComments.commentId, commentId));
}

/** A cursor has IDs of 32 hexadecimal characters: those of a UUID without its hyphens. */
function cursorOf({ createdAt, commentId }: Pick<Row, 'createdAt' | 'commentId'>): string {
  return writeCursor({ updated_at: createdAt.toISOString(), id: commentId.replaceAll('-', '') });
}

function uuidOf(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
