import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';
import { type ExpectedTerm, expectTerms, type TermMatch } from '#server/matching/terms/index.ts';
import { requireLength } from '#server/platform/input-limits.ts';
import type { Settings } from '#server/settings.ts';
import type { TermMatches, TermMatchesRequest } from './entry-schema.ts';
import { readGlossaryRevision } from './terms.ts';

/** The maximum ratio of a translation's length to the maximum length of a source. */
const maxExpansion = 4;

/**
 * Finds the terms of a tenant's glossaries in a text, in the same way as a job, and checks whether a translation has
 * the target terms.
 * @throws AppError 413, 422; rate_limit if too much work of this kind is queued
 */
export async function findTermMatches(
  { database, glossaries, settings }: Pick<Services, 'database' | 'glossaries' | 'settings'>,
  withTenant: WithTenant,
  request: TermMatchesRequest,
  signal: AbortSignal,
): Promise<TermMatches> {
  const { tenantId, revision, languages } = await withTenant(async (tx, { tenant }) => {
    const sourceLang = requireDeclaredLanguage('source_lang', request.source_lang).code;
    const targetLang = requireDeclaredLanguage('target_lang', request.target_lang).code;
    requireLengths(request, settings);
    return {
      tenantId: tenant.id,
      revision: await readGlossaryRevision(tx),
      languages: { sourceLang, targetLang },
    };
  });
  const isHtml = request.text_type === 'Html';
  const readable = (text: string) => (isHtml ? readBlocks(text).join('\n') : text);
  const translation = request.target_text === undefined ? undefined : readable(request.target_text);
  const glossary = revision === null ? null : glossaries.of(database, tenantId, revision, languages);
  const found = await glossary?.find(readable(request.source_text), null, signal);
  if (!glossary || !found) return { terms: [], passed: translation === undefined ? null : true };

  const expected = expectTerms(found.matches);
  const compliance =
    translation === undefined
      ? null
      : await glossary.check({ expected, translation, language: languages.targetLang }, signal);
  const missing = new Set(compliance?.missing_terms);
  const matchesOf = groupByTerm(found.matches);
  return {
    terms: expected.map((term) => {
      const occurrences = matchesOf.get(keyOf(term)) as [TermMatch<TermRow>, ...TermMatch<TermRow>[]];
      const [{ setId, setName }] = occurrences[0].entries;
      const [target] = term.targetTerms;
      return {
        source_term: term.sourceTerm,
        target_terms: [...term.targetTerms],
        case_sensitive: term.caseSensitive,
        set_id: setId,
        set_name: setName,
        count: term.count,
        spans: isHtml ? [] : occurrences.map(({ start, end }) => ({ start, end })),
        found: compliance && (compliance.observed_target_counts[target] ?? 0),
        missing: compliance && missing.has(target),
      };
    }),
    passed: compliance?.passed ?? null,
  };
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

function keyOf({ sourceTerm, targetTerms, caseSensitive }: ExpectedTerm): string {
  return JSON.stringify([sourceTerm, targetTerms, caseSensitive]);
}
