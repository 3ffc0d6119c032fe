import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { LanguageCode } from '#server/languages.ts';
import { type DocumentPair, feedDocument } from '#server/translation-memory/document-feed.ts';
import { type DocumentRow, isDocument, manifestOf, requestOf, requireDocument } from './jobs.ts';
import type { DocumentFeedManifest } from './schema.ts';

/** The most pairs that a manifest lists; the memory may hold more of them. */
const mostListed = 5000;

/** The result of one feed. */
interface Fed {
  /** Pairs that entered the manifest with this call. */
  pairs: number;
  duplicates: number;
  error: string | null;
}

/**
 * Feeds pairs of a document to the memory and records them in its manifest. Best effort: a memory that cannot be written never
 * fails a review or an approval.
 * @param skipped what the caller left out, by reason; null keeps the last tally
 */
export async function feedMemory(
  services: Pick<Services, 'database' | 'embedder' | 'log' | 'settings'>,
  row: DocumentRow,
  pairs: readonly DocumentPair[],
  { stage, skipped }: { stage: 'review' | 'approve'; skipped: Record<string, number> | null },
): Promise<Fed> {
  const { tenantId, documentId } = row;
  const { source_lang, target_lang } = requestOf(row);
  const languages = {
    pairSource: source_lang as LanguageCode,
    pairTarget: target_lang as LanguageCode,
  };
  try {
    const { fed, duplicates } = await feedDocument(
      services,
      { tenantId, documentId, languages },
      pairs,
      async (tx, feed) => {
        const now = new Date().toISOString();
        const current = manifestOf(await requireDocument(tx, tenantId, documentId));
        const added = feed.fed.map(({ sourceText, targetText, sourceHash, corrected }) => ({
          source_text: sourceText,
          target_text: targetText,
          source_hash: sourceHash,
          corrected,
          stage,
          created_at: now,
        }));
        await storeManifest(tx, row, {
          fed_pairs: [...current.fed_pairs, ...added].slice(0, mostListed),
          skipped: skipped ? { ...skipped, duplicates: feed.duplicates } : current.skipped,
          golden_skipped_at_cap: current.golden_skipped_at_cap + feed.atCap,
          last_feed_error: null,
        });
      },
    );
    return { pairs: fed.length, duplicates, error: null };
  } catch (error) {
    services.log.warn(
      { document_id: documentId, error: describeForLog(error) },
      'a document did not feed the memory',
    );
    const message = 'the memory could not be written';
    await services.database
      .inTenant(tenantId, async (tx) => {
        const current = manifestOf(await requireDocument(tx, tenantId, documentId));
        await storeManifest(tx, row, { ...current, last_feed_error: message });
      })
      .catch(() => {});
    return { pairs: 0, duplicates: 0, error: message };
  }
}

async function storeManifest(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  feedManifest: DocumentFeedManifest,
): Promise<void> {
  await tx.update(documentJobs).set({ feedManifest }).where(isDocument(tenantId, documentId));
}
