import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import { pairName } from '#server/languages.ts';
import { requireLength } from '#server/platform/input-limits.ts';
import type { MemoryMatches, MemoryMatchesRequest } from '../unit-schema.ts';
import { lookUpExact, type MemoryHit } from './exact-match.ts';
import { findExamples } from './examples.ts';

type Match = MemoryMatches['matches'][number];

/**
 * Returns the TM matches of a text, as a job would find them: the exact match, and segments that are at least 70%
 * similar. Calls no model, so segments that are similar only in meaning are missing.
 * @throws AppError 413, 422
 */
export async function findMatches(
  services: Pick<Services, 'database' | 'log' | 'settings'>,
  withTenant: WithTenant,
  { source_text: text, source_lang, target_lang, text_type }: MemoryMatchesRequest,
): Promise<MemoryMatches> {
  const { tenantId, pair, exact, isHeld } = await withTenant(async (tx, { tenant }) => {
    const sourceLang = requireDeclaredLanguage('source_lang', source_lang).code;
    const targetLang = requireDeclaredLanguage('target_lang', target_lang).code;
    requireLength('source text exceeds MAX_SOURCE_CHARS', text, services.settings.MAX_SOURCE_CHARS);
    const pair = { pairSource: sourceLang, pairTarget: targetLang };
    const { hits, pairs } = await lookUpExact(tx, [{ sourceText: text, sourceLang, targetLang }]);
    return { tenantId: tenant.id, pair, exact: hits[0], isHeld: pairs.has(pairName(pair)) };
  });
  const parts = text_type === 'Html' ? readBlocks(text) : [];
  const { close } = isHeld
    ? await findExamples({ ...services, embedder: null }, tenantId, pair, { text, parts })
    : { close: [] };
  return {
    matches: [
      ...(exact ? [matchOf(exact, 'exact', 100)] : []),
      // A part of a page may be the whole source of a segment. It is not an exact match of the page, so it gets at most
      // 99%.
      ...close.map((hit) => matchOf(hit, 'close', Math.min(99, Math.floor(100 * hit.similarity)))),
    ],
  };
}

function matchOf(hit: MemoryHit, kind: Match['kind'], score: number): Match {
  return {
    kind,
    score,
    source_text: hit.sourceText,
    target_text: hit.targetText,
    set_id: hit.setId,
    set_name: hit.setName,
    origin: hit.origin,
    tuid: hit.tuid,
    changed_at: hit.changedAt,
  };
}
