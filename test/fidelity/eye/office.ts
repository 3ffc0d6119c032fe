import { readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { convertByLibreOffice } from '#test/formats/libreoffice.ts';
import { openFile } from '../opened-file.ts';
import { isCrossed } from './cells.ts';
import { readGraphics } from './graphics.ts';
import { lettersOf } from './judge-file.ts';
import { mayStay } from './kept.ts';
import { type Links, linkTokens } from './link.ts';
import { type Page, readPages, runPoppler } from './poppler.ts';
import { resultTokens, sourceTokens, type Token } from './tokens.ts';
import { type Target, WordMap } from './word-map.ts';

/** What LibreOffice shows of a document. */
export interface ShownDocument {
  pages: Page[];
  /** The number of pictures that are drawn on its pages. */
  pictures: number;
  blankPages: number;
  /** The number of words through which a ruled line goes, such as the border of a table's cell. */
  crossed: number;
}

/** The figures of a translated document, by LibreOffice. */
export interface OfficeFigures {
  path: string;
  target: string;
  pages: [before: number, after: number];
  pictures: [before: number, after: number];
  blankPages: [before: number, after: number];
  crossed: [before: number, after: number];
  words: number;
  letters: number;
  untranslatedLetters: number;
  lost: number;
  /** The numbers of words whose weight or slant, whose size by more than 5%, and whose typeface changed. */
  style: number;
  size: number;
  face: number;
  problem?: string;
}

/** Reads a PDF that LibreOffice has written. @param last the number of the last page that is read */
export function readShown(path: string, last: number): ShownDocument {
  const pages = readPages(path, last);
  const images = runPoppler('pdfimages', ['-l', `${last}`, '-list', path])
    .toString('utf8')
    .trim()
    .split('\n');
  let [blankPages, crossed] = [0, 0];
  for (const [index, { words }] of pages.entries()) {
    const { rules, fills, pictures } = readGraphics(path, index + 1);
    const isBlank = words.length + fills.length + pictures.length + rules.horizontal.length === 0;
    if (isBlank) blankPages++;
    // Underlines and strike-outs are horizontal.
    crossed += words.filter(({ box }) => isCrossed({ vertical: rules.vertical, horizontal: [] }, box)).length;
  }
  return { pages, pictures: Math.max(0, images.length - 2), blankPages, crossed };
}

/** Compares the words of a document with those of its translation, wherever they are. */
export function judgeDocument(
  before: ShownDocument,
  after: ShownDocument,
  map: WordMap,
): Omit<OfficeFigures, 'path' | 'target'> {
  const source = before.pages.flatMap((page, index) => below(sourceTokens(page, map), index, page));
  const result = after.pages.flatMap((page, index) => below(resultTokens(page, map), index, page));
  const isMapped = (token: Token): boolean => token.isMapped;
  const links = linkTokens(source.filter(isMapped), result.filter(isMapped));
  const unchanged = linkTokens(
    source.filter((token) => !links.has(token)).map((token) => ({ ...token, isMapped: false })),
    result.filter((token) => !token.isMapped),
  );
  const kept = [...unchanged.keys()];
  const stays = kept.filter((token) => !mayStay(token));
  const linked = [...links.keys()];
  const letters = (tokens: readonly Token[]) => tokens.reduce((sum, { key }) => sum + [...key].length, 0);
  return {
    pages: [before.pages.length, after.pages.length],
    pictures: [before.pictures, after.pictures],
    blankPages: [before.blankPages, after.blankPages],
    crossed: [before.crossed, after.crossed],
    words: linked.length,
    letters: letters(linked) + letters(stays),
    untranslatedLetters: letters(stays),
    lost: source.length - linked.length - kept.length,
    ...changedFonts(links),
  };
}

/** Numbers the tokens of a page after those of the pages before it, and moves them below these pages. */
function below(tokens: readonly Token[], page: number, { height }: Page): Token[] {
  return tokens.map((token) => {
    const [left, top, right, bottom] = token.box;
    const down = page * height;
    const first = page * 100_000;
    return {
      ...token,
      box: [left, top + down, right, bottom + down],
      index: first + token.index,
      order: first + token.order,
    };
  });
}

const bold = /bold|black|heavy|demi/i;
const italic = /italic|oblique/i;

function changedFonts(links: Links): Pick<OfficeFigures, 'style' | 'size' | 'face'> {
  const changed = { style: 0, size: 0, face: 0 };
  for (const [{ word: one }, { word: other }] of links) {
    if (!one.font || !other.font) continue;
    const differs = (pattern: RegExp) => pattern.test(one.font!.name) !== pattern.test(other.font!.name);
    if (differs(bold) || differs(italic)) changed.style++;
    if (Math.abs(other.font.size / one.font.size - 1) > 0.05) changed.size++;
    if (faceOf(one.font.name) !== faceOf(other.font.name)) changed.face++;
  }
  return changed;
}

function faceOf(font: string): string {
  return font.replace(/[-,].*$/, '').replace(/(?:bold|italic|oblique|regular|mt|ps)+$/i, '');
}

/**
 * Translates documents with a word map, opens both in LibreOffice, and compares what it shows.
 *
 * @param output the directory of the translations, as documents and as PDF
 * @returns null if LibreOffice is not installed
 */
export async function judgeOffice(
  paths: readonly string[],
  target: Target,
  output: string,
  last: number,
): Promise<OfficeFigures[] | null> {
  const sources = Object.fromEntries(paths.map((path) => [basename(path), readFileSync(path)]));
  const shown = convertByLibreOffice(sources, 'pdf');
  if (!shown) return null;
  const before = new Map<string, ShownDocument>();
  const maps = new Map<string, WordMap>();
  const results: Record<string, Uint8Array> = {};
  const problems = new Map<string, string>();
  for (const path of paths) {
    const name = basename(path);
    try {
      if (!shown[name]) throw new Error('LibreOffice did not open the source');
      before.set(name, writeAndRead(join(output, `${name}-source.pdf`), shown[name], last));
      const map = new WordMap(target, lettersOf(before.get(name)!.pages));
      maps.set(name, map);
      const kind = extname(path).slice(1).toLowerCase() as LayoutKind;
      const opened = await openFile(kind, sources[name]!);
      const to = { targetLanguage: target.language };
      results[name] = (await opened.write(({ source }) => map.translate(source), to)).bytes;
      writeFileSync(join(output, `${target.name}-${name}`), results[name]);
    } catch (error) {
      problems.set(name, error instanceof Error ? error.message.slice(0, 200) : `${error}`);
    }
  }
  const after = convertByLibreOffice(results, 'pdf')!;
  return paths.map((path): OfficeFigures => {
    const name = basename(path);
    const file = { path, target: target.name };
    if (problems.has(name)) return { ...file, ...nothing, problem: problems.get(name)! };
    if (!after[name]) return { ...file, ...nothing, problem: 'LibreOffice did not open the translation' };
    const document = writeAndRead(join(output, `${name}-${target.name}.pdf`), after[name], last);
    return { ...file, ...judgeDocument(before.get(name)!, document, maps.get(name)!) };
  });
}

function writeAndRead(path: string, pdf: Uint8Array, last: number): ShownDocument {
  writeFileSync(path, pdf);
  return readShown(path, last);
}

const nothing: Omit<OfficeFigures, 'path' | 'target'> = {
  pages: [0, 0],
  pictures: [0, 0],
  blankPages: [0, 0],
  crossed: [0, 0],
  words: 0,
  letters: 0,
  untranslatedLetters: 0,
  lost: 0,
  style: 0,
  size: 0,
  face: 0,
};
