import { setImmediate } from 'node:timers/promises';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { Glossary, GlossaryMatches, TermRow } from '#server/matching/terms/glossary.ts';
import {
  type ExpectedTerm,
  expectTerms,
  type TermCompliance,
  type TermMatch,
} from '#server/matching/terms/index.ts';
import { requireLength } from '#server/platform/input-limits.ts';
import type { Settings } from '#server/settings.ts';
import {
  mostTexts,
  type TermMatches,
  type TermMatchesRequest,
  type TermsOfTexts,
  type TermsOfTextsRequest,
} from './entry-schema.ts';
import { readGlossaryRevision } from './terms.ts';

/** The maximum ratio of a translation's length to the maximum length of a source. */
const maxExpansion = 4;

type Dependencies = Pick<Services, 'database' | 'glossaries' | 'settings'>;

/**
 * Finds the terms of a tenant's glossaries in a text, in the same way as a job, and checks whether a translation has
 * the target terms.
 * @throws AppError 413, 422; rate_limit if too much work of this kind is queued
 */
export async function findTermMatches(
  services: Dependencies,
  withTenant: WithTenant,
  request: TermMatchesRequest,
  signal: AbortSignal,
): Promise<TermMatches> {
  const { glossary, targetLang } = await openGlossary(services, withTenant, request, () =>
    requireLengths(request, services.settings),
  );
  const isHtml = request.text_type === 'Html';
  const translation = request.target_text === undefined ? undefined : readable(request.target_text, isHtml);
  const found = await glossary?.find(readable(request.source_text, isHtml), null, signal);
  if (!glossary || !found) return { terms: [], passed: translation === undefined ? null : true };

  const expected = expectTerms(found.matches);
  const compliance =
    translation === undefined
      ? null
      : await glossary.check({ expected, translation, language: targetLang }, signal);
  return { terms: matchedTerms(found, { expected, compliance, isHtml }), passed: compliance?.passed ?? null };
}

/**
 * Finds the terms in several texts, as `findTermMatches` does for one text.
 * @throws AppError as `findTermMatches` does
 */
export async function findTermsOfTexts(
  services: Dependencies,
  withTenant: WithTenant,
  request: TermsOfTextsRequest,
  signal: AbortSignal,
): Promise<TermsOfTexts> {
  const { source_texts: texts, text_type: textType } = request;
  const isHtml = textType === 'Html';
  const { glossary } = await openGlossary(services, withTenant, request, () => {
    for (const text of texts)
      requireLength('source text exceeds MAX_SOURCE_CHARS', text, services.settings.MAX_SOURCE_CHARS);
    if (texts.length > 1)
      requireLength('the source texts are too long together', texts.join(''), mostTexts.characters);
  });
  const results: TermsOfTexts['results'] = [];
  for (const text of texts) {
    const found = await glossary?.find(readable(text, isHtml), null, signal);
    results.push(
      found ? matchedTerms(found, { expected: expectTerms(found.matches), compliance: null, isHtml }) : [],
    );
    // Short texts are searched on the main thread. The event loop runs between them.
    await setImmediate();
    signal.throwIfAborted();
  }
  return { results };
}

/**
 * Opens the tenant's glossary for a language pair; null if the tenant has none.
 * @param requireLimits called after the languages are checked
 * @throws AppError 422, and the errors of `requireLimits`
 */
async function openGlossary(
  { database, glossaries }: Dependencies,
  withTenant: WithTenant,
  request: Pick<TermMatchesRequest, 'source_lang' | 'target_lang'>,
  requireLimits: () => void,
): Promise<{ glossary: Glossary | null; targetLang: LanguageCode }> {
  const { tenantId, revision, languages } = await withTenant(async (tx, { tenant }) => {
    const sourceLang = requireDeclaredLanguage('source_lang', request.source_lang).code;
    const targetLang = requireDeclaredLanguage('target_lang', request.target_lang).code;
    requireLimits();
    return {
      tenantId: tenant.id,
      revision: await readGlossaryRevision(tx),
      languages: { sourceLang, targetLang },
    };
  });
  const glossary = revision === null ? null : glossaries.of(database, tenantId, revision, languages);
  return { glossary, targetLang: languages.targetLang };
}

function readable(text: string, isHtml: boolean): string {
  return isHtml ? readBlocks(text).join('\n') : text;
}

/** The matches as a response has them: an entry for each expected term. */
function matchedTerms(
  { matches }: GlossaryMatches,
  {
    expected,
    compliance,
    isHtml,
  }: { expected: readonly ExpectedTerm[]; compliance: TermCompliance | null; isHtml: boolean },
): TermMatches['terms'] {
  const missing = new Set(compliance?.missing_terms);
  const forbidden = new Set(compliance?.forbidden_terms?.map(({ term }) => term));
  const matchesOf = groupByTerm(matches);
  return expected.map((term) => {
    const occurrences = matchesOf.get(keyOf(term)) as [TermMatch<TermRow>, ...TermMatch<TermRow>[]];
    const [{ setId, setName }] = occurrences[0].entries;
    const [target] = term.targetTerms;
    return {
      source_term: term.sourceTerm,
      target_terms: [...term.targetTerms],
      ...(term.forbiddenTerms && {
        forbidden_terms: term.forbiddenTerms.map((word) => ({
          term: word,
          found: compliance && forbidden.has(word),
        })),
      }),
      case_sensitive: term.caseSensitive,
      set_id: setId,
      set_name: setName,
      count: term.count,
      spans: isHtml ? [] : occurrences.map(({ start, end }) => ({ start, end })),
      found: compliance && ((target !== undefined && compliance.observed_target_counts[target]) || 0),
      missing: compliance && target !== undefined && missing.has(target),
    };
  });
}

function requireLengths(
  { source_text, target_text = '' }: TermMatchesRequest,
  { MAX_SOURCE_CHARS }: Settings,
): void {
  requireLength('source text exceeds MAX_SOURCE_CHARS', source_text, MAX_SOURCE_CHARS);
  const max = maxExpansion * MAX_SOURCE_CHARS;
  requireLength(`target text exceeds ${maxExpansion} times MAX_SOURCE_CHARS`, target_text, max);
}

/** Groups the matches by expected term. */
function groupByTerm(matches: readonly TermMatch<TermRow>[]): Map<string, TermMatch<TermRow>[]> {
  // A term may have thousands of alternatives: build the key once for each term, not for each match.
  const keys = new Map<TermMatch<TermRow>['entries'], string>();
  const groups = new Map<string, TermMatch<TermRow>[]>();
  for (const match of matches) {
    const key = keys.get(match.entries) ?? keyOf(expectTerms([match])[0] as ExpectedTerm);
    keys.set(match.entries, key);
    const group = groups.get(key);
    if (group) group.push(match);
    else groups.set(key, [match]);
  }
  return groups;
}

function keyOf({ sourceTerm, targetTerms, forbiddenTerms, caseSensitive }: ExpectedTerm): string {
  return JSON.stringify([sourceTerm, targetTerms, forbiddenTerms, caseSensitive]);
}
