import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import { isDocument, unknownDocument } from '#server/translation/documents/jobs.ts';
import { ofDocument } from '#server/translation/documents/segments.ts';
import { isJob } from '#server/translation/texts/jobs.ts';
import type { ReviewItem } from './schema.ts';

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
  const found =
    kind === 'job'
      ? tx.select({ id: translationJobs.jobId }).from(translationJobs).where(isJob(tenantId, id))
      : tx.select({ id: documentJobs.documentId }).from(documentJobs).where(isDocument(tenantId, id));
  const rows = await (lock ? found.for('no key update') : found);
  if (rows.length > 0) return;
  throw kind === 'job' ? new AppError('not_found', 'job not found') : unknownDocument();
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
  const found =
    kind === 'document'
      ? await tx
          .select({ position: documentSegments.position })
          .from(documentSegments)
          .where(and(ofDocument(tenantId, id), eq(documentSegments.position, position)))
      : [];
  if (found.length > 0) return;
  throw new AppError('invalid_fields', [
    { loc: ['body', 'position'], msg: 'segment not found', type: 'unknown_segment' },
  ]);
}
