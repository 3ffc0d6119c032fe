import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { LanguagePair } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { CallScope } from '#server/platform/engines/engine.ts';
import { type CloseHit, type CloseHits, findCloseEach, maxHits } from './close-match.ts';
import { findByMeaning } from './match-by-meaning.ts';

/**
 * Maximum number of texts of a page that are looked up, longest first. A lookup takes as long for one of them as for a
 * whole text.
 */
const maxParts = 5;

/** The text for which examples are to be found. */
export interface Guided {
  text: string;
  /** The texts of a page, without markup; empty if the text is not a page. */
  parts: readonly string[];
}

/**
 * Returns the segments that guide a translation. Close segments are found by their characters. Relevant segments are
 * found by their meaning; if these are fewer than five, others are found by their characters. For a page, the page's
 * texts are looked up too: segments that resemble its words do not resemble its markup. If the search by meaning fails,
 * the job continues without it.
 */
export async function findExamples(
  services: Pick<Services, 'database' | 'embedder' | 'log'>,
  tenantId: string,
  pair: LanguagePair,
  { text, parts }: Guided,
  run?: CallScope['run'],
): Promise<CloseHits> {
  const [alike, meant] = await Promise.all([
    findCloseEach(services.database, tenantId, pair, [
      { text },
      ...longest(parts).map((part) => ({ text: part, isPart: true })),
    ]),
    findByMeaning(services, tenantId, pair, parts.length > 0 ? parts.join('\n') : text, run).catch(
      (error: unknown) => {
        services.log.warn(
          { error: describeForLog(error) },
          'could not search the translation memory for segments with a similar meaning',
        );
        return [];
      },
    ),
  ]);
  return mergeClose(alike, meant);
}

/**
 * Returns the best matches of a text and its parts together, each segment once.
 * @param meant segments that were found by their meaning; they come first among the relevant ones
 */
export function mergeClose(alike: readonly CloseHits[], meant: readonly CloseHit[] = []): CloseHits {
  const close = alike.flatMap((hits) => hits.close).sort((a, b) => b.similarity - a.similarity);
  const relevant = alike.flatMap((hits) => hits.relevant).sort((a, b) => b.similarity - a.similarity);
  const taken = new Set<string>();
  const take = (hits: readonly CloseHit[], count: number) => {
    const chosen: CloseHit[] = [];
    for (const hit of hits) {
      const source = normalForm(hit.sourceText);
      if (chosen.length === count) break;
      if (taken.has(source)) continue;
      taken.add(source);
      chosen.push(hit);
    }
    return chosen;
  };
  const closest = take(close, maxHits.close);
  // The texts together may have more close segments than the limit. The others are still the most relevant ones by
  // their characters.
  return { close: closest, relevant: take([...meant, ...close, ...relevant], maxHits.relevant) };
}

/** Returns the texts for which `findExamples` looks up close segments. */
export function textsLookedUp({ text, parts }: Guided): string[] {
  return [text, ...longest(parts)];
}

export function longest(parts: readonly string[]): string[] {
  return [...new Set(parts.map(normalForm))].sort((a, b) => b.length - a.length).slice(0, maxParts);
}
