import type { Tx } from '#db/client.ts';
import type { DocumentRow } from '#server/documents/jobs.ts';
import { requireTurn, type Writing } from '../assignments/turn.ts';
import type { Author } from '../author.ts';
import { lockTranslated } from './document.ts';

/**
 * Locks a translated document for changes by an author.
 * @throws AppError like `lockTranslated` and `requireTurn`
 */
export async function lockWritable(
  tx: Tx,
  tenantId: string,
  documentId: string,
  author: Pick<Author, 'userId'>,
  writing: Writing = {},
): Promise<DocumentRow> {
  const row = await lockTranslated(tx, tenantId, documentId);
  await requireTurn(tx, { ...author, tenantId }, { kind: 'document', id: documentId }, writing);
  return row;
}
