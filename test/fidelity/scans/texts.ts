import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'texts');

/**
 * The known texts of the scans, by language: the beginning of the Universal Declaration of Human Rights, as a page of
 * paragraphs.
 */
export const knownTexts: Readonly<Record<string, string>> = Object.fromEntries(
  ['en', 'de', 'ar', 'ja', 'ko', 'hi'].map((language) => [
    language,
    readFileSync(join(folder, `${language}.txt`), 'utf8').trimEnd(),
  ]),
);
