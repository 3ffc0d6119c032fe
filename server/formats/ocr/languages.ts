import { existsSync } from 'node:fs';
import type { LanguageCode } from '#server/languages.ts';

/**
 * The names of Tesseract's data by language. Languages without an entry cannot be recognized: the data for Russian are
 * not on npm, Marathi and Nepali words are split, and Thai, which has no spaces between words, was not tried.
 */
const dataNames: Partial<Record<LanguageCode, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  'fr-CA': 'fra',
  de: 'deu',
  it: 'ita',
  'pt-BR': 'por',
  'pt-PT': 'por',
  nl: 'nld',
  'zh-Hans': 'chi_sim',
  'zh-Hant': 'chi_tra',
  ja: 'jpn',
  ko: 'kor',
  ar: 'ara',
  hi: 'hin',
  tr: 'tur',
  vi: 'vie',
  uk: 'ukr',
  el: 'ell',
  id: 'ind',
  pl: 'pol',
  cs: 'ces',
  ro: 'ron',
  hu: 'hun',
  sv: 'swe',
  da: 'dan',
  nb: 'nor',
  fi: 'fin',
  ms: 'msa',
  fa: 'fas',
  ur: 'urd',
};

/** The directory of the optional packages, which `npm run ocr` installs. */
export const packages = new URL('./packages/node_modules/', import.meta.url);

/**
 * Returns the file with the data of a language, compressed by gzip. Undefined if the language has no data.
 *
 * @param directory the directory of the packages
 */
export function dataFile(language: string, directory = packages): { name: string; file: URL } | undefined {
  const name = dataNames[language as LanguageCode];
  if (name === undefined) return undefined;
  return {
    name,
    file: new URL(`@tesseract.js-data/${name}/4.0.0_best_int/${name}.traineddata.gz`, directory),
  };
}

/**
 * Returns why text in a language cannot be recognized, and what the operator can do about it. Undefined if it can be
 * recognized.
 *
 * @param directory the directory of the packages
 */
export function obstacleTo(language: string, directory = packages): string | undefined {
  const data = dataFile(language, directory);
  if (!data) return `text recognition (OCR) does not support the source language (${language})`;
  if (existsSync(data.file)) return undefined;
  return 'text recognition (OCR) is not installed; the operator of the service installs it with `npm run ocr`';
}
