import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { Pair } from '../queries/capacity.ts';
import { findByMeaning } from './by-meaning.ts';
import { type CloseHits, findClose } from './close.ts';

/** C 6. */
const mostRelevant = 5;

/**
 * The pairs that guide a translation (B 8 "Fuzzy tier"): close ones by their characters; relevant ones by what they mean, and
 * where that does not come to five, by their characters again. The search by meaning may fail: the job goes on without it.
 */
export async function findExamples(
  services: Pick<Services, 'database' | 'embedder' | 'log'>,
  tenantId: string,
  pair: Pair,
  text: string,
): Promise<CloseHits> {
  const [{ close, relevant }, meant] = await Promise.all([
    findClose(services.database, tenantId, pair, text),
    findByMeaning(services, tenantId, pair, text).catch((error: unknown) => {
      services.log.warn({ error: describeForLog(error) }, 'the memory was not searched by meaning');
      return [];
    }),
  ]);
  const sources = new Set(close.map(({ sourceText }) => normalForm(sourceText)));
  const others = [...meant, ...relevant].filter(({ sourceText }) => {
    const source = normalForm(sourceText);
    return !sources.has(source) && sources.add(source);
  });
  return { close, relevant: others.slice(0, mostRelevant) };
}
