import type { Tx } from '#db/client.ts';
import type { Claimant } from '../claims.ts';
import { type Inbox, severities } from './inbox-schema.ts';
import { listWaitingDocuments } from './waiting-documents.ts';
import { listWaitingTexts } from './waiting-texts.ts';

/** Returns what awaits review in the member's workspace: documents, and texts in groups. */
export async function listInbox(tx: Tx, member: Claimant): Promise<Inbox> {
  const [documents, texts] = await Promise.all([
    listWaitingDocuments(tx, member),
    listWaitingTexts(tx, member),
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
