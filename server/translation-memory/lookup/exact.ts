import type { Tx } from '#db/client.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import type { Pair } from '../queries/capacity.ts';
import { type MemoryHit, selectHeld } from '../queries/exact.ts';

/** A text that is looked up, with codes of B 2.4. */
export interface ExactLookup {
  sourceText: string;
  sourceLang: string;
  targetLang: string;
}

/** What a memory has for some texts. */
export interface ExactHits {
  /** One for each text; undefined where nothing is held. */
  hits: (MemoryHit | undefined)[];
  /** Those of the texts' language pairs that the tenant has any memory of. */
  pairs: ReadonlySet<string>;
}

/** A pair as `ExactHits` names it. */
export function pairName({ pairSource, pairTarget }: Pair): string {
  return `${pairSource} ${pairTarget}`;
}

/**
 * What the exact tier holds of some texts (B 8 rule 1) in the transaction's own tenant, all of them in one query: also
 * where a credential has just opened it, and nobody has to believe it yet.
 */
export async function lookUpExact(tx: Tx, texts: readonly ExactLookup[]): Promise<ExactHits> {
  const normals = texts.map(({ sourceText }) => normalForm(sourceText));
  const held = await selectHeld(
    tx,
    texts.map(({ sourceLang, targetLang }, index) => ({
      hash: sourceHashHex(normals[index]!),
      pairSource: sourceLang,
      pairTarget: targetLang,
    })),
  );
  return {
    hits: held.hits.map((hit, index) =>
      hit && normalForm(hit.sourceText) === normals[index] ? hit : undefined,
    ),
    pairs: new Set(held.pairs.map(pairName)),
  };
}
