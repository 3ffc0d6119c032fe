import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { type ClaimedVia, claimedViaOf } from '#server/identity/access/claimed-via.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { type DocumentRow, isDocument, requireDocument } from '#server/translation/documents/jobs.ts';

/** Returns the reviewer: the session's member. `reviewer` in the body counts only for a caller without a session. */
function reviewerOf(principal: Principal, said: string | null | undefined): string | null {
  if (principal.kind === 'session') return principal.user.email || principal.user.id;
  return said?.trim() || null;
}

/** The caller who changes segments. */
export interface SegmentAuthor {
  /** Null if the caller uses an API key. */
  userId: string | null;
  /** Email address or user ID of the member, or the name in the request; null without a name. */
  name: string | null;
  /** The API key, if the caller uses one: the name is then a claim. */
  claimedVia: ClaimedVia | null;
}

export async function authorOf(
  tx: Tx,
  principal: Principal,
  said: string | null | undefined,
): Promise<SegmentAuthor> {
  const userId = principal.kind === 'session' ? principal.user.id : null;
  return { userId, name: reviewerOf(principal, said), claimedVia: await claimedViaOf(tx, principal) };
}

/**
 * Returns the name of the author of a confirmation or an approval.
 * @throws AppError 400 if the reviewer cannot be determined
 */
export function requireName({ name }: SegmentAuthor): string {
  if (name === null)
    throw new AppError('validation_error', 'reviewer could not be determined: sign in or supply a reviewer');
  return name;
}

/** @throws AppError 400 if the document is not translated */
export function requireTranslated({ documentId, status }: DocumentRow): void {
  if (status !== 'translated')
    throw new AppError(
      'validation_error',
      `document job ${documentId} is not in a completed state (status=${status})`,
    );
}

/**
 * Locks a translated document until the transaction ends. Everything that changes segments of a translated document
 * takes this lock first, so the changes of a document happen one after another.
 * @throws AppError 404; 400 if the document is not translated
 */
export async function lockTranslated(tx: Tx, tenantId: string, documentId: string): Promise<DocumentRow> {
  await tx
    .select({ documentId: documentJobs.documentId })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId))
    .for('no key update');
  const row = await requireDocument(tx, tenantId, documentId);
  requireTranslated(row);
  return row;
}
