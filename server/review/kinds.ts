import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documents } from './documents/document.ts';
import { type Inbox, severities } from './inbox.ts';
import { type Claimant, type ReviewKind, unknownSegment } from './item.ts';
import type { ReviewItem } from './schema.ts';
import { texts } from './texts/text.ts';

export const kinds: Readonly<Record<ReviewItem['kind'], ReviewKind>> = { job: texts, document: documents };

/**
 * Requires that the tenant has an item.
 * @param lock whether to lock the item until the transaction ends, so that it cannot be deleted, and that other calls with
 *   `lock` come one after the other
 * @throws AppError 404, the same for an unknown or deleted ID and one of another tenant
 */
export async function requireItem(
  tx: Tx,
  tenantId: string,
  { kind, id }: ReviewItem,
  { lock = false }: { lock?: boolean } = {},
): Promise<void> {
  const { table, is, unknown } = kinds[kind];
  const found = tx.select({ found: sql`true` }).from(table).where(is(tenantId, id));
  const rows = await (lock ? found.for('no key update') : found);
  if (rows.length === 0) throw unknown();
}

/**
 * Requires that a position is a segment of the item.
 * @throws AppError 422 if the item is a text, or if the document has no such segment
 */
export async function requireSegment(
  tx: Tx,
  tenantId: string,
  { kind, id }: ReviewItem,
  position: number,
): Promise<void> {
  if (!(await kinds[kind].hasSegment(tx, tenantId, id, position))) throw unknownSegment('position');
}

/** Returns what awaits review in the member's workspace: documents, and texts in groups. */
export async function listInbox(tx: Tx, member: Claimant): Promise<Inbox> {
  const [documents, texts] = await Promise.all([
    kinds.document.listWaiting(tx, member),
    kinds.job.listWaiting(tx, member),
  ]);
  return {
    tasks: [...documents.tasks, ...texts.tasks].sort(
      (one, other) =>
        severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
        Date.parse(one.waiting_since) - Date.parse(other.waiting_since),
    ),
    more: { documents: documents.more, texts: texts.more },
  };
}
