import type { Services } from '#server/context.ts';
import { isOffered } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { cosine, nearestCodes } from '#server/matching/vectors/index.ts';
import type { Pair } from '../queries/capacity.ts';
import { selectWinners } from '../queries/exact.ts';
import { hasVectors, selectCodes, selectVectorsAt } from '../queries/vectors.ts';
import { embedTexts } from '../vectors/block.ts';
import type { CloseHit } from './close.ts';

/** What the signs of the components find, and what the components themselves choose from it. */
const most = { candidates: 100, hits: 10 };
/** The cosine of two texts that have little to do with each other, or less, with the usual models. */
const relevantFrom = 0.3;
/** Milliseconds. The job can do without. */
const longestWait = 5000;

/**
 * The stored pairs whose sources mean what is nearest to a text, the nearest first, each with the cosine of the angle to it. Of
 * equal sources the pair that the exact tier would serve; without the text's own. None without a model or vectors of it.
 * @throws where the model does not answer in time
 */
export async function findByMeaning(
  { database, embedder }: Pick<Services, 'database' | 'embedder'>,
  tenantId: string,
  pair: Pair,
  text: string,
): Promise<CloseHit[]> {
  const normal = normalForm(text);
  if (!embedder || normal === '' || !isOffered(text)) return [];
  const { model } = embedder;
  if (!(await database.inTenant(tenantId, (tx) => hasVectors(tx, tenantId, pair, model)))) return [];
  const signal = AbortSignal.timeout(longestWait);
  const [asked] = await embedTexts(embedder, [normal], { tenantId, signal });
  if (!asked) return [];

  const blocks = await database.inTenant(tenantId, (tx) => selectCodes(tx, tenantId, pair, model));
  const codes = blocks.map((block) => block.codes);
  const places = nearestCodes(asked.code, codes, most.candidates).map(({ block, index }) => {
    const { contentId, blockNo } = blocks[block]!;
    return { contentId, blockNo, index };
  });
  const found = await database.inTenant(tenantId, (tx) => selectVectorsAt(tx, tenantId, places));
  const cosines = new Map<string, number>();
  for (const { sourceText, vector } of found)
    cosines.set(normalForm(sourceText), cosine(asked.vector, vector));
  cosines.delete(normal);
  const ranked = [...cosines]
    .filter(([, likeness]) => likeness >= relevantFrom)
    .sort(([, a], [, b]) => b - a)
    .slice(0, most.hits);
  if (ranked.length === 0) return [];

  const keys = ranked.map(([source]) => ({ hash: sourceHashHex(source), ...pair }));
  const winners = await database.inTenant(tenantId, (tx) => selectWinners(tx, tenantId, keys));
  return ranked.flatMap(([, likeness], index): CloseHit[] => {
    const winner = winners[index];
    return winner && isOffered(winner.targetText)
      ? [{ ...winner, similarity: Math.min(1, likeness), likeness: 'meaning' }]
      : [];
  });
}
