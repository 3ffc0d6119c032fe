import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { isAtOneOf, ofDocument } from '#server/translation/documents/segments.ts';

/** SQL: whether a segment is confirmed and has findings of a model about an earlier text. */
export const isPending = sql`(${documentSegments.confirmedAt} is not null and jsonb_path_exists(${documentSegments.issues},
  '$[*] ? (@.status == "not_rechecked" && !exists(@.found_by))'))`;

/** Queues the check of those of these segments that need it, after they were changed. */
export async function queueRecheck(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  positions: readonly number[],
): Promise<void> {
  const [pending] = await tx
    .select({ position: documentSegments.position })
    .from(documentSegments)
    .where(sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)} and ${isPending}`)
    .limit(1);
  if (!pending) return;
  const key = `recheck_findings:${documentId}`;
  await addJob(tx, 'recheck_findings', { tenantId, documentId, after: -1 }, { key, afterSeconds: 5 });
}
