import type { TranslatedSegments } from './answers.ts';

/** UTF-16 units of all texts of an answer: a question asks for 6000 of the source, whose translation is no book. */
const longestTexts = 200_000;

/**
 * The texts in the order of the ids 1 to `count`; undefined unless each of them, and no other, is answered once, and
 * together they are of a translation's length.
 */
export function readSegments({ translations }: TranslatedSegments, count: number): string[] | undefined {
  if (translations.length !== count) return undefined;
  if (translations.reduce((sum, { text }) => sum + text.length, 0) > longestTexts) return undefined;
  const byId = new Map(translations.map(({ id, text }) => [id, text]));
  const texts = Array.from({ length: count }, (_, index) => byId.get(index + 1));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
