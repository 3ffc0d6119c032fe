import { findPlaceholders } from '#server/translation/core/integrity/placeholders.ts';
import type { Languages } from './marks.ts';

/** The placeholders that the source has more often than the translation, each once, in the order of the source. */
export function missingSpans(source: string, target: string, languages: Languages): string[] {
  const { certain, conversions } = findPlaceholders(source, languages.source);
  const spans = [...certain, ...conversions].toSorted((one, other) => one.start - other.start);
  return [...new Set(spans.map(({ span }) => span))].filter(
    (span) => countOf(source, span) > countOf(target, span),
  );
}

function countOf(text: string, span: string): number {
  return text.split(span).length - 1;
}
