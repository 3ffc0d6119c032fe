import { areOnOneLine, around, type Box, gapBetween, heightOf } from './geometry.ts';
import type { Page, Word } from './poppler.ts';
import { ligatureForms } from './source-text.ts';
import { keyOf, letterRun, type WordMap } from './word-map.ts';

/** A run of letters on a page. */
export interface Token {
  /** As written, without differences between programs. In a translation: the word of the source. */
  key: string;
  /** Whether the word was translated: by the word map in a source, or as one of its words in a result. */
  isMapped: boolean;
  box: Box;
  /** The box of each part, for a word that is divided at the end of a line. */
  boxes: readonly Box[];
  /** The word of poppler that contains it, with its punctuation. */
  word: Word;
  /** Its place in the layout, and in the order of the content, from 0 on each page. */
  index: number;
  order: number;
}

/** @returns null if the run of letters is not known */
type Resolve = (run: string) => string | null;

/** The runs of letters in the source that were translated, and all others. */
export function sourceTokens(page: Page, map: WordMap): Token[] {
  return tokensOf(page, (run) => {
    if (map.has(run)) return keyOf(run);
    // Poppler may read a ligature as one letter although the product reads it right.
    const form = [...run].length < 3 ? undefined : ligatureForms(run).find((each) => map.has(each));
    return form === undefined ? null : keyOf(form);
  });
}

/** The runs of letters in a translation. Mapped words have the key of their source. */
export function resultTokens(page: Page, map: WordMap): Token[] {
  return tokensOf(page, (run) => map.sourceOf(run) ?? null, map.target.first);
}

/** A letter run before words that are written in several parts are joined. */
interface Run {
  text: string;
  box: Box;
  word: Word;
  /** Whether a hyphen follows, which ends its line. */
  isHyphenated: boolean;
}

/** The number of runs that can be one word. */
const longestJoin = 4;

function tokensOf(page: Page, resolve: Resolve, starts: readonly string[] = []): Token[] {
  const runs = page.words.flatMap((word) => runsOf(word, new Set(starts)));
  const tokens: Token[] = [];
  for (let index = 0; index < runs.length; ) {
    const length = joinLength(runs, index, resolve);
    const parts = runs.slice(index, index + Math.max(1, length));
    const text = parts.map((part) => part.text).join('');
    const key = length === 0 ? null : resolve(text);
    const boxes = parts.map(({ box }) => box);
    tokens.push({
      key: key ?? keyOf(text),
      isMapped: key !== null,
      // A divided word is where its larger part is.
      box: boxes.every((box) => areOnOneLine(box, boxes[0]!)) ? around(boxes) : widest(boxes),
      boxes,
      word: parts[0]!.word,
      index: tokens.length,
      order: parts[0]!.word.order,
    });
    index += parts.length;
  }
  return numberInOrder(tokens);
}

/** The number of runs from here that are one known word; 0 if none is. A word before a hyphen continues if it can. */
function joinLength(runs: readonly Run[], index: number, resolve: Resolve): number {
  const first = runs[index]!;
  let text = '';
  let found = 0;
  for (let length = 1; length <= longestJoin && index + length <= runs.length; length++) {
    const run = runs[index + length - 1]!;
    if (length > 1 && !mayContinue(runs[index + length - 2]!, run)) break;
    text += run.text;
    if (resolve(text) === null) continue;
    found = length;
    if (!first.isHyphenated || length > 1) break;
  }
  return found;
}

/** Only parts that are side by side, or at the end of a line and the start of the next one, can be one word. */
function mayContinue(one: Run, next: Run): boolean {
  if (one.isHyphenated) return true;
  if (one.word.block !== next.word.block && !areNear(one.box, next.box)) return false;
  if (one.word.line === next.word.line || areOnOneLine(one.box, next.box)) return areNear(one.box, next.box);
  return true;
}

function areNear(one: Box, next: Box): boolean {
  return gapBetween(one, next) < 0.6 * Math.max(heightOf(one), heightOf(next));
}

function runsOf(word: Word, starts: ReadonlySet<string>): Run[] {
  const matches = [...word.text.matchAll(letterRun)].map((match) => ({ text: match[0], index: match.index }));
  const found = starts.size > 1000 ? divideAtStarts(matches, starts) : matches;
  return found.map(({ text, index }) => ({
    text,
    box: partOf(word, index, index + text.length),
    word,
    isHyphenated: /^[-\u00ad\u2010]$/.test(word.text.slice(index + text.length)),
  }));
}

/** Joins the characters of a script without spaces: a word starts at each character that can be the first. */
function divideAtStarts(
  runs: readonly { text: string; index: number }[],
  starts: ReadonlySet<string>,
): { text: string; index: number }[] {
  const words: { text: string; index: number }[] = [];
  for (const { text, index } of runs) {
    const last = words.at(-1);
    if (last && !starts.has(text) && last.index + last.text.length === index) last.text += text;
    else words.push({ text, index });
  }
  return words;
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** The part of a word's box, as if all characters had the same width. */
function partOf({ text, box }: Word, from: number, to: number): Box {
  const [left, top, right, bottom] = box;
  // The direction of turned text is not known.
  if (to - from === text.length || heightOf(box) > 2 * (right - left)) return box;
  const [start, end] = [from / text.length, to / text.length];
  const width = right - left;
  return rightToLeft.test(text)
    ? [right - end * width, top, right - start * width, bottom]
    : [left + start * width, top, left + end * width, bottom];
}

function widest(boxes: readonly Box[]): Box {
  return boxes.reduce((best, box) => (box[2] - box[0] > best[2] - best[0] ? box : best));
}

/** Poppler lists the words of a line from left to right, so lines from right to left are turned. */
function numberInOrder(tokens: Token[]): Token[] {
  const sorted = tokens.toSorted((one, other) => one.order - other.order || one.index - other.index);
  const lines: Token[][] = [];
  for (const token of sorted) {
    const last = lines.at(-1)?.at(-1);
    if (last && areOnOneLine(last.box, token.box) && areNear(last.box, token.box)) lines.at(-1)!.push(token);
    else lines.push([token]);
  }
  let order = 0;
  for (const line of lines) {
    const isTurned = line.filter(({ word }) => rightToLeft.test(word.text)).length > line.length / 2;
    for (const token of isTurned ? line.toSorted((a, b) => b.box[2] - a.box[2]) : line) token.order = order++;
  }
  return tokens;
}
