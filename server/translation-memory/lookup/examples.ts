import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { Pair } from '../language-pair.ts';
import { type CloseHit, type CloseHits, findClose } from './close-match.ts';
import { findByMeaning } from './match-by-meaning.ts';

/** C 6. */
const most = { close: 5, relevant: 5 };
/** The texts of a page that are looked up, the longest: each takes as long as a text of its own. */
const mostParts = 5;

/** What a translation is guided for. */
export interface Guided {
  text: string;
  /** The texts that a page is made of, as its reader sees them; none where the text is its own. */
  parts: readonly string[];
}

/**
 * The pairs that guide a translation (B 8 "Fuzzy tier"): close ones by their characters; relevant ones by what they mean, and
 * where that does not come to five, by their characters again. A page has those of its texts beside its own, since what is like
 * its words is not like its markup. The search by meaning may fail: the job goes on without it.
 */
export async function findExamples(
  services: Pick<Services, 'database' | 'embedder' | 'log'>,
  tenantId: string,
  pair: Pair,
  { text, parts }: Guided,
): Promise<CloseHits> {
  const [alike, meant] = await Promise.all([
    findAlike(services, tenantId, pair, { text, parts }),
    findByMeaning(services, tenantId, pair, parts.length > 0 ? parts.join('\n') : text).catch(
      (error: unknown) => {
        services.log.warn({ error: describeForLog(error) }, 'the memory was not searched by meaning');
        return [];
      },
    ),
  ]);
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
  const closest = take(close, most.close);
  // Of several texts there may be close ones too many: they are still the most relevant by their characters.
  return { close: closest, relevant: take([...meant, ...close, ...relevant], most.relevant) };
}

/** Of the text itself and of each of its parts. One after the other: a page must not take the connections of five texts. */
async function findAlike(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  pair: Pair,
  { text, parts }: Guided,
): Promise<CloseHits[]> {
  const found = [await findClose(database, tenantId, pair, text)];
  for (const part of longest(parts))
    found.push(await findClose(database, tenantId, pair, part, { isPart: true }));
  return found;
}

function longest(parts: readonly string[]): string[] {
  return [...new Set(parts.map(normalForm))].sort((a, b) => b.length - a.length).slice(0, mostParts);
}
