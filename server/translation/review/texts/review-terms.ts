import { extractHtml } from '#server/formats/html-segments.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { TermCheck } from '#server/matching/terms/glossary.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';

/** An element of `terminology_matches`, in the form that `writtenMetadata` stores. */
interface WrittenMatch {
  source_term: string;
  target_terms: [string, ...string[]];
  case_sensitive: boolean;
  count: number;
}

/**
 * Returns the terminology check of a text that a reviewer publishes, using the terms that the pipeline found in the
 * source. Null if the pipeline found none.
 */
export function finalTermCheck({ request }: TranslationJob, finalText: string): TermCheck | null {
  const written = request.metadata['terminology_matches'];
  if (!Array.isArray(written)) return null;
  return {
    expected: (written as WrittenMatch[]).map((match) => ({
      sourceTerm: match.source_term,
      targetTerms: match.target_terms,
      caseSensitive: match.case_sensitive,
      count: match.count,
    })),
    translation:
      request.text_type === 'Html'
        ? extractHtml(finalText)
            .map((segment) => segment.text)
            .join('\n')
        : finalText,
    language: request.target_lang as LanguageCode,
  };
}
