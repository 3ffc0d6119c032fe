import type { XliffContent } from '#server/formats/xliff/content.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import { findMarkup } from '#server/translation/integrity/markup.ts';
import { findPlaceholders } from '#server/translation/integrity/placeholders.ts';

interface Range {
  start: number;
  end: number;
}

/**
 * Returns a job's texts with placeholders and tags as codes, which a CAT tool does not change. If a code of the
 * translation repeats a code of the source, it has the same ID. The strings together with the data of the codes are the
 * complete texts, even if a placeholder or tag is not recognized as a code.
 */
export function codedTexts({ request, final_translation: translation }: TranslationJob): {
  source: XliffContent;
  target: XliffContent | null;
} {
  const { source_text: text, source_lang, target_lang } = request;
  const markup = findMarkup(text);
  const placeholders = findPlaceholders(text, source_lang);
  const source = splitBy(text, [...markup.ranges, ...placeholders.certain, ...placeholders.conversions]);
  const numbered = source.map((piece, index): XliffContent[number] =>
    index % 2 === 0 ? piece : { type: 'void', id: String((index + 1) / 2), data: piece },
  );
  if (translation === null) return { source: withoutEmpty(numbered), target: null };
  const inTarget = findPlaceholders(translation, target_lang, placeholders);
  const pieces = splitBy(translation, [
    ...findMarkup(translation, markup).ranges,
    ...inTarget.certain,
    ...inTarget.conversions,
  ]);
  /**
   * By the data of a code, the IDs of the source's codes that the translation has not repeated yet; the last ID of a
   * list is used next.
   */
  const free = Map.groupBy(
    numbered.filter((item) => typeof item !== 'string').toReversed(),
    ({ data }) => data,
  );
  let added = (source.length - 1) / 2;
  const target = pieces.map((piece, index): XliffContent[number] => {
    if (index % 2 === 0) return piece;
    return { type: 'void', id: free.get(piece)?.pop()?.id ?? String(++added), data: piece };
  });
  return { source: withoutEmpty(numbered), target: withoutEmpty(target) };
}

/**
 * Splits a text into pieces that are alternately outside and inside of ranges; the first piece is outside. If ranges
 * overlap, the first one counts.
 */
function splitBy(text: string, ranges: readonly Range[]): string[] {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < done || end === start) continue;
    pieces.push(text.slice(done, start), text.slice(start, end));
    done = end;
  }
  return [...pieces, text.slice(done)];
}

function withoutEmpty(content: XliffContent): XliffContent {
  return content.filter((item) => item !== '');
}
