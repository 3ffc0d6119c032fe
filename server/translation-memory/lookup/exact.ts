import type { Tx } from '#db/client.ts';
import { normalForm, sourceHash } from '#server/matching/normal-form.ts';
import { type MemoryHit, selectWinners } from '../queries/exact.ts';

/** A text that is looked up, with codes of B 2.4. */
export interface ExactLookup {
  sourceText: string;
  sourceLang: string;
  targetLang: string;
}

/**
 * What the exact tier holds of some texts (B 8 rule 1), all of them in one query; undefined where it holds nothing. Without a
 * tenant's id, in a transaction that a credential opened, and that nobody has to believe yet.
 */
export async function lookUpExact(
  tx: Tx,
  tenantId: string | null,
  texts: readonly ExactLookup[],
): Promise<(MemoryHit | undefined)[]> {
  const normals = texts.map(({ sourceText }) => normalForm(sourceText));
  const hits = await selectWinners(
    tx,
    tenantId,
    texts.map(({ sourceLang, targetLang }, index) => ({
      hash: sourceHash(normals[index]!).toString('hex'),
      pairSource: sourceLang,
      pairTarget: targetLang,
    })),
  );
  return hits.map((hit, index) => (hit && normalForm(hit.sourceText) === normals[index] ? hit : undefined));
}
