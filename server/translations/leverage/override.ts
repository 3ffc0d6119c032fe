import { extractHtml } from '#server/formats/html/index.ts';
import type { LanguageCode } from '#server/languages.ts';
import { checkTerms, type ExpectedTerm } from '#server/matching/terms/index.ts';
import type { TranslationJob } from '../schema.ts';

/** One of `terminology_matches`, as `writtenMetadata` wrote it. */
interface WrittenMatch {
  source_term: string;
  target_terms: [string, ...string[]];
  case_sensitive: boolean;
  count: number;
}

/**
 * The glossary terms that a text misses which a reviewer publishes all the same, by what the pipeline found in the source;
 * none where it keeps them all.
 */
export function overriddenTerms({ request }: TranslationJob, finalText: string): string[] {
  const written = request.metadata['terminology_matches'];
  if (!Array.isArray(written)) return [];
  const expected = (written as WrittenMatch[]).map(
    (match): ExpectedTerm => ({
      sourceTerm: match.source_term,
      targetTerms: match.target_terms,
      caseSensitive: match.case_sensitive,
      count: match.count,
    }),
  );
  const text =
    request.text_type === 'Html'
      ? extractHtml(finalText)
          .map((segment) => segment.text)
          .join('\n')
      : finalText;
  return checkTerms(expected, text, request.target_lang as LanguageCode).missing_terms;
}
