import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InlineContent } from '#server/formats/inline-content.ts';

export type Format = 'pdf' | 'docx' | 'xlsx';
type FormatModule = typeof import('#server/formats/pdf.ts');

/** Translates a file with the formats of LinguaLoop, which are judged. */
export type Product = (
  file: Uint8Array,
  format: Format,
  targetLanguage: string,
  translator: (content: InlineContent) => InlineContent,
) => Promise<Uint8Array>;

/** @param checkout a directory with the sources of LinguaLoop, which may be another version */
export function productOf(checkout: string): Product {
  return async (file, format, targetLanguage, translator) => {
    const path = join(checkout, `server/formats/${format}.ts`);
    const { extract, rebuild } = (await import(pathToFileURL(path).href)) as FormatModule;
    const { segments } = await extract(file);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: translator(source),
    }));
    return (await rebuild(file, translations, { sourceLanguage: 'en', targetLanguage })).bytes;
  };
}
