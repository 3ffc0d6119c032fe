import type { TranslatedSegments } from './answers.ts';

/** The texts in the order of the ids 1 to `count`; undefined unless each of them, and no other, is answered once. */
export function readSegments({ translations }: TranslatedSegments, count: number): string[] | undefined {
  if (translations.length !== count) return undefined;
  const byId = new Map(translations.map(({ id, text }) => [id, text]));
  const texts = Array.from({ length: count }, (_, index) => byId.get(index + 1));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
