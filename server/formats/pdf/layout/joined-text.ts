import type { Glyph } from './pieces.ts';
import type { TextLine } from './text-lines.ts';

/** A character of a block, with its glyph and how far that is raised; a space between lines has no glyph. */
export interface JoinedCharacter {
  text: string;
  glyph: Glyph | null;
  rise: number;
}

const softHyphen = '\u00ad';
const hyphenAtEnd = /(?<head>[\p{L}\p{M}'’-]*\p{L})[-\u2010]$/u;
const wordAtStart = /^(?<tail>\p{Ll}[\p{L}\p{M}]*)/u;
/** Scripts without spaces between words. A line of one may end anywhere. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const addressStart = /(?:https?:\/\/|www\.)\S*$|\S+@$/u;
/** Prefixes that keep their hyphen. */
const hyphenatedPrefix = /^(?:self|well|quasi|half)$/iu;
/** A hyphen before these stands for a word that is left out: `Ein- und Ausgabe`. */
const conjunction = /^(?:und|oder|bzw|en|of|og|och|eller|et|ou)$/u;

/** The words of a page that are neither first nor last in their line. They tell how a word is written. */
export class Vocabulary {
  readonly #words = new Set<string>();

  constructor(lines: readonly TextLine[]) {
    for (const { text } of lines)
      for (const word of text.split(' ').slice(1, -1)) this.#words.add(bare(word));
  }

  has(word: string): boolean {
    return this.#words.has(bare(word));
  }

  /** Whether a word that a hyphen divides at the end of a line is written with that hyphen. */
  keepsHyphen(head: string, tail: string): boolean {
    const [first, second] = [bare(head), bare(tail)];
    if (hyphenatedPrefix.test(first)) return true;
    if (this.#words.has(first + second)) return false;
    if (this.#words.has(`${first}-${second}`)) return true;
    const parts = first.split('-');
    const last = parts.at(-1)!;
    const isLong = parts.length > 1 || (last.length >= 4 && second.length >= 4);
    return isLong && this.#words.has(last) && this.#words.has(second);
  }
}

function bare(word: string): string {
  return word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Joins the lines of a block to one text, with the words that are divided between lines whole again. */
export function joinLines(lines: readonly TextLine[], vocabulary: Vocabulary): JoinedCharacter[] {
  const joined: JoinedCharacter[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      const { drop, space } = seam(lines[index - 1]!.text, line.text, vocabulary);
      if (drop) dropLast(joined);
      if (space) joined.push({ text: ' ', glyph: null, rise: 0 });
    }
    for (const { text, glyph } of line.characters)
      joined.push({ text, glyph, rise: (glyph && line.rises.get(glyph.piece)) ?? 0 });
  }
  for (const character of joined) character.text = character.text.replaceAll(softHyphen, '');
  return joined;
}

/** What happens where two lines meet: whether the hyphen goes, and whether a space comes. */
function seam(above: string, below: string, vocabulary: Vocabulary): { drop: boolean; space: boolean } {
  if (above.endsWith(softHyphen)) return { drop: true, space: false };
  const head = hyphenAtEnd.exec(above)?.groups?.['head'];
  if (head !== undefined) {
    const tail = wordAtStart.exec(below)?.groups?.['tail'];
    if (tail === undefined)
      return { drop: vocabulary.has(head + (/^\p{L}+/u.exec(below)?.[0] ?? '-')), space: false };
    if (conjunction.test(tail)) return { drop: false, space: true };
    return { drop: !vocabulary.keepsHyphen(head, tail), space: false };
  }
  const last = [...above].at(-1) ?? '';
  const first = [...below][0] ?? '';
  if (ideograph.test(last) || ideograph.test(first)) return { drop: false, space: false };
  if (unspaced.test(last.normalize('NFD')) && unspaced.test(first)) return { drop: false, space: false };
  if (addressStart.test(above) && /^\S*[./@]/u.test(below)) return { drop: false, space: false };
  const isTight = /\S[—/–‑-]$/u.test(above) || below.startsWith('—');
  return { drop: false, space: !isTight };
}

function dropLast(joined: JoinedCharacter[]): void {
  for (let at = joined.length - 1; at >= 0; at--) {
    const character = joined[at]!;
    if (character.text === '') continue;
    character.text = '';
    return;
  }
}
