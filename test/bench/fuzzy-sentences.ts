import { globSync, readFileSync } from 'node:fs';
import { countCodePoints } from '#server/formats/text.ts';
import { maxFuzzyLength } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { declaration } from '#test/formats/golden-declaration.ts';
import { pick, type Random } from './seeded-random.ts';

/** The English sentences are the originals in the German catalogs. */
const editions = {
  en: { catalogues: 'de', manual: 'en-US', script: /\p{Script=Latin}{3}/u },
  de: { catalogues: 'de', manual: 'de', script: /\p{Script=Latin}{3}/u },
  ar: { catalogues: 'ar', manual: 'ar', script: /\p{Script=Arabic}/u },
  'zh-Hans': { catalogues: 'zh_CN', manual: 'zh-CN', script: /\p{Script=Han}/u },
  ja: { catalogues: 'ja', manual: 'ja', script: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u },
};

export type CorpusLanguage = keyof typeof editions;
export const corpusLanguages = Object.keys(editions) as CorpusLanguage[];

/**
 * Returns the sentences of the programs and manuals that are installed on a Debian machine, in normal form. The
 * sources are:
 *
 * - The message catalogs (`*.mo`) of all programs. These packages of Debian 12 contain enough: krita-l10n,
 *   libreoffice-l10n-{ar,de,ja,zh-cn}, vlc-l10n, lyx-common, evolution-common, digikam-data, gimp-data, gnucash-common,
 *   cinnamon-l10n, plasma-workspace-data, plasma-desktop-data, kdenlive-data, kate5-data, kmail, kmymoney-common,
 *   okular, inkscape, pidgin-data, anjuta-common, gnome-control-center-data and libkf5kdelibs4support-data.
 * - LibreOffice's manuals, from libreoffice-help-{en-us,de,ja,zh-cn}.
 *
 * If the packages are unpacked in a directory (`apt-get download`, `dpkg -x`) and not installed, BENCH_DEBIAN_ROOT must
 * contain this directory.
 */
export function installedSentences(language: CorpusLanguage): Set<string> {
  const root = process.env['BENCH_DEBIAN_ROOT'] ?? '';
  const { catalogues, manual, script } = editions[language];
  const sentences = new Set<string>();
  const add = (text: string) => {
    const normal = normalForm(text);
    const length = countCodePoints(normal);
    if (length >= 3 && length <= maxFuzzyLength && script.test(normal)) sentences.add(normal);
  };
  const folders = ['usr/share/locale', 'usr/share/locale-langpack', 'usr/lib/libreoffice/program/resource'];
  for (const file of filesOf(folders.map((folder) => `${root}/${folder}/${catalogues}/LC_MESSAGES/*.mo`)))
    for (const [original, translation] of messagesOf(readFileSync(file)))
      for (const form of (language === 'en' ? original : translation).split('\0')) add(form);
  for (const file of filesOf([`${root}/usr/share/libreoffice/help/${manual}/text/**/*.html`]))
    for (const [, , html = ''] of readFileSync(file, 'utf8').matchAll(/<(p|h\d)\b[^>]*>(.*?)<\/\1>/gs))
      add(
        html
          .replace(/<[^>]*>/g, '')
          .replace(/&(nbsp|lt|gt|amp);/g, (_, name: keyof typeof entities) => entities[name]),
      );
  return sentences;
}

const entities = { nbsp: ' ', lt: '<', gt: '>', amp: '&' };

const filesOf = (patterns: string[]) => globSync(patterns).sort();

/**
 * The messages of a catalog: the originals, without their contexts, and the translations (gettext's manual, "The Format
 * of GNU MO Files").
 */
function* messagesOf(file: Buffer): Generator<[original: string, translation: string]> {
  if (file.length < 20 || file.readUInt32LE(0) !== 0x950412de) return;
  const stringAt = (entry: number) => {
    const [length, offset] = [file.readUInt32LE(entry), file.readUInt32LE(entry + 4)];
    return file.toString('utf8', offset, offset + length);
  };
  const [count, originals, translations] = [
    file.readUInt32LE(8),
    file.readUInt32LE(12),
    file.readUInt32LE(16),
  ];
  for (let index = 0; index < count; index++) {
    const original = stringAt(originals + 8 * index);
    // The translation of an empty original is the header of the catalog.
    if (original) yield [original.slice(original.indexOf('\x04') + 1), stringAt(translations + 8 * index)];
  }
}

/**
 * Sentences that consist of clauses of the Universal Declaration of Human Rights in which half of the words are
 * replaced. Replacements are words of the Declaration, selected by Zipf's law with the most common words first, and
 * 20,000 words that each consist of halves of two of its words.
 */
export function inventedSentences(language: CorpusLanguage, count: number, random: Random): string[] {
  const clauses = declaration(language)
    .split(/(?<=[.,،؛;。、，])\s*|\n/u)
    .map((clause) => wordsOf(clause, language))
    .filter(({ length }) => length > 2);
  const occurrences = new Map<string, number>();
  for (const word of clauses.flat())
    if (isWord(word)) occurrences.set(word, (occurrences.get(word) ?? 0) + 1);
  const known = [...occurrences].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  const halves = () => {
    const [first, second] = [[...pick(known, random)], [...pick(known, random)]];
    return [...first.slice(0, Math.ceil(first.length / 2)), ...second.slice(second.length >> 1)].join('');
  };
  const words = [...known, ...Array.from({ length: 20_000 }, halves)];
  const byZipf = () => words[Math.floor(words.length ** random()) - 1]!;

  const sentences = new Set<string>();
  while (sentences.size < count) {
    const clause =
      random() < 0.5 ? pick(clauses, random) : [...pick(clauses, random), ...pick(clauses, random)];
    const exchanged = clause.map((word) => (isWord(word) && random() < 0.5 ? byZipf() : word));
    const sentence = normalForm(exchanged.join(''));
    if (countCodePoints(sentence) >= 3) sentences.add(sentence);
  }
  return [...sentences];
}

const segmenters = new Map<string, Intl.Segmenter>();

/** Splits a text into words and the parts between them. */
export function wordsOf(text: string, language: CorpusLanguage): string[] {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'word' });
  segmenters.set(language, segmenter);
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export const isWord = (text: string) => /[\p{L}\p{N}]/u.test(text);
