import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { plainText } from '#server/formats/inline-content.ts';
import { placeTags } from '#server/formats/tag-placing.ts';
import { columnsOf } from '../pdf/target-texts.ts';
import type { Table } from '../report.ts';
import { bordersOnly, isCrossed } from './cells.ts';
import { percent } from './figures.ts';
import { readSource, type SourceFile } from './judge-file.ts';
import { findInMemory, type Memory, readMemory } from './memory.ts';
import { median } from './order.ts';
import { wordsOnWords } from './overlaps.ts';
import { type Page, readPages } from './poppler.ts';
import type { Product } from './product.ts';
import { sourceTokens } from './tokens.ts';
import { targets, WordMap } from './word-map.ts';

/** The figures of a PDF that is translated with human translations. */
export interface RealTextFigures {
  file: string;
  language: string;
  pages: number;
  segments: number;
  /** The number of segments whose translation is in the memory. */
  known: number;
  words: number;
  /** Words on top of other words, and words through which a ruled line goes, in the source and in the result. */
  onWords: [before: number, after: number];
  crossed: [before: number, after: number];
  /** The median size of words on each page divided by that of the source, on average. */
  size: number;
  /** The share of the translations' words that are in the result; 1 is all. */
  found: number;
}

/** The names of languages in directories that differ from language codes. */
const codes: Record<string, string> = { 'zh-cn': 'zh-Hans', 'zh-tw': 'zh-Hant' };

/** Translates each PDF with the memories of all languages in a directory, and judges the results. */
export async function judgeRealText(
  paths: readonly string[],
  directory: string,
  product: Product,
  output: string,
  last: number,
): Promise<RealTextFigures[]> {
  const languages = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'en')
    .map(({ name }) => name);
  const results: RealTextFigures[] = [];
  for (const path of paths) {
    const source = await readSource(path, last);
    for (const language of languages) {
      const memory = readMemory(directory, 'en', language);
      results.push(await judgeLanguage(source, language, memory, product, output));
    }
  }
  return results;
}

async function judgeLanguage(
  source: SourceFile,
  language: string,
  memory: Memory,
  product: Product,
  output: string,
): Promise<RealTextFigures> {
  const filler = new Filler(memory);
  const written: string[] = [];
  let [segments, known] = [0, 0];
  const translator: Parameters<Product>[3] = (content) => {
    const text = plainText(content);
    const found = findInMemory(memory, text);
    segments++;
    if (found) known++;
    const target = found ?? (/\p{L}{2}/u.test(text) ? filler.take(text) : text);
    written.push(target);
    return placeTags(target, content).content;
  };
  const code = codes[language] ?? language;
  const bytes = await product(readFileSync(source.path), 'pdf', code, translator);
  const path = join(output, `${basename(source.path, '.pdf')}-${language}.pdf`);
  writeFileSync(path, bytes);
  const after = readPages(path, source.pages.length);
  const isWhole = after.length === readPages(path, source.pages.length + 1).length;
  return {
    file: basename(source.path),
    language,
    segments,
    known,
    pages: after.length,
    words: after.reduce((sum, { words }) => sum + words.length, 0),
    onWords: [countOverlaps(source.pages), countOverlaps(after)],
    crossed: [countCrossed(source, source.pages), countCrossed(source, after)],
    size: average(after.map((page, index) => sizeOf(page) / sizeOf(source.pages[index]!))),
    found: isWhole ? shareFound(written, after) : Number.NaN,
  };
}

/** Text of the memory for segments that are not in it, as long as their translations would be. */
class Filler {
  readonly #words: string[];
  readonly #ratio: number;
  #next = 0;

  constructor(memory: Memory) {
    this.#words = [...memory.values()].flatMap((text) => text.split(/(?<=\s|\p{Script=Han}{8})/u));
    const columns = (texts: Iterable<string>) => [...texts].reduce((sum, text) => sum + columnsOf(text), 0);
    this.#ratio = columns(memory.values()) / Math.max(1, columns(memory.keys()));
  }

  take(source: string): string {
    let text = '';
    while (columnsOf(text) < this.#ratio * columnsOf(source) && this.#words.length > 0) {
      text += this.#words[this.#next]!;
      this.#next = (this.#next + 1) % this.#words.length;
    }
    return text.trim() || source;
  }
}

function countOverlaps(pages: readonly Page[]): number {
  return pages.reduce((sum, { words }) => sum + wordsOnWords(words).size, 0);
}

function countCrossed({ pages: sources, graphics }: SourceFile, pages: readonly Page[]): number {
  const none = new WordMap(targets[0]!, []);
  return pages.reduce((sum, { words }, index) => {
    const rules = bordersOnly(graphics[index]!.rules, sourceTokens(sources[index]!, none));
    return sum + words.filter(({ box }) => isCrossed(rules, box)).length;
  }, 0);
}

function sizeOf({ words }: Page): number {
  return median(words.flatMap(({ font }) => (font ? [font.size] : [])));
}

function average(values: readonly number[]): number {
  const known = values.filter((value) => Number.isFinite(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Compares letters and not words, because programs divide words differently. */
function shareFound(written: readonly string[], pages: readonly Page[]): number {
  const lettersIn = (texts: Iterable<string>): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const text of texts)
      for (const letter of text.normalize('NFKD').toLowerCase().match(/\p{L}/gu) ?? [])
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    return counts;
  };
  const wanted = lettersIn(written);
  const shown = lettersIn(pages.flatMap(({ words }) => words.map(({ text }) => text)));
  let [all, found] = [0, 0];
  for (const [letter, count] of wanted) {
    all += count;
    found += Math.min(count, shown.get(letter) ?? 0);
  }
  return all === 0 ? 1 : found / all;
}

export function realTextTable(results: readonly RealTextFigures[]): Table {
  const both = ([before, after]: readonly [number, number]): string => `${before} → ${after}`;
  return {
    title: 'Human translations',
    notes: `Paragraphs are set with their translations by people. *Known* are segments whose translation was found; all others are set with other
text of the language, of the usual length. *On words* and *on lines* count words on other words and on ruled lines, in the source and in the
translation. *Size* is the median size of words on a page, relative to the source. *Shown* is the share of the translations' letters.`,
    head: [
      'file',
      'language',
      'pages',
      'segments',
      'known',
      'words',
      'on words',
      'on lines',
      'size',
      'shown',
    ],
    rows: results.map((each) => [
      each.file,
      each.language,
      `${each.pages}`,
      `${each.segments}`,
      `${each.known}`,
      `${each.words}`,
      both(each.onWords),
      both(each.crossed),
      percent(each.size),
      Number.isNaN(each.found) ? '' : percent(each.found),
    ]),
  };
}
