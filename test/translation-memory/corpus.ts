import { corpusFile } from '#test/corpus/files.ts';
import { collapsed, pairsOf, readTmx, type Unit } from './tmx.ts';

/**
 * For each language, the tags in the corpus that are read as this language, in lower case (B 4.4 "Language code
 * reading").
 */
export const tags: Record<string, string[]> = {
  en: ['en', 'en-us', 'en-gb'],
  fr: ['fr', 'fr-fr'],
  'fr-CA': ['fr-ca'],
  es: ['es', 'es-es', 'es-mx'],
  ja: ['ja', 'ja-jp'],
  'pt-BR': ['pt-br'],
  'zh-Hans': ['zh-cn'],
  de: ['de'],
};

/**
 * A file in tmx/, a pair of its languages, and the expected counts of its import: units, stored, skipped, duplicates.
 */
export type Expected = [
  file: string,
  source: string,
  target: string,
  counts: [number, number, number, number],
];

export const memories: Expected[] = [
  ['utf16-doctype', 'en', 'fr-CA', [2, 2, 0, 0]],
  ['many-variants', 'es', 'ja', [3, 3, 0, 0]],
  ['inline-tags-utf16', 'en', 'fr-CA', [7, 7, 0, 0]],
  ['inline-sub-props-notes', 'en', 'fr', [1, 1, 0, 0]],
  ['trados-html-utf16', 'en', 'fr', [11, 11, 0, 0]],
  ['omegat', 'en', 'fr', [25, 22, 0, 3]],
  ['olifant-changedate', 'en', 'fr', [9, 9, 0, 0]],
  ['pt-br-paragraphs', 'en', 'pt-BR', [2, 2, 0, 0]],
  ['six-languages-200', 'en', 'de', [200, 200, 0, 0]],
  ['made-language-codes', 'en', 'zh-Hans', [10, 1, 9, 0]],
  ['made-duplicates-changedate', 'en', 'fr', [7, 3, 2, 2]],
];

export const tmxFile = (name: string): Uint8Array => corpusFile(`tmx/${name}.tmx`);

/** The units that an import of a file should keep, according to an independent reader. */
export function unitsOf(file: Uint8Array, source: string, target: string): Unit[] {
  return collapsed(pairsOf(readTmx(file), tags[source]!, tags[target]!));
}
