import type { LanguageCode } from '#server/languages.ts';
import { dropped, lettersOf, space } from './letters.ts';

/**
 * A text in the form that is compared with terms: in NFC, with one width of each letter, with one space for each run of
 * white space, without ligatures and invisible characters. The position of each unit in the given text is stored.
 */
export interface FoldedText {
  length: number;
  /** The UTF-16 units of the text with their letter case. */
  cased: Uint16Array;
  /** The same units without letter case. */
  folded: Uint16Array;
  /** For each unit, the offsets in the given text at which its characters start and (`ends`) end. */
  starts: Int32Array;
  ends: Int32Array;
}

/** Folds a text. Takes linear time for any text. */
export function foldText(text: string, language: LanguageCode): FoldedText {
  const composed = isComposed(text);
  // In UTF-16, the NFC of a text is at most three times as long as the text.
  const writer = new Writer(text, language, composed ? text.length : 3 * text.length);
  if (composed) writer.writeAsGiven(0, text.length);
  else
    for (const { 0: cluster, index } of text.matchAll(clusters)) {
      const normal = wide(cluster.replace(ligature, (letters) => letters.normalize('NFKC'))).normalize('NFC');
      const end = index + cluster.length;
      if (normal === cluster) writer.writeAsGiven(index, end);
      else writer.writeAs(normal, index, end);
    }
  return writer.folded();
}

/**
 * A term in the form that is compared with a text. White space around the term is removed, so a blank term is empty.
 */
export interface FoldedTerm {
  cased: Uint16Array;
  folded: Uint16Array;
}

/**
 * Folds all terms together, as lines of one text. Folding 2000 short texts one by one would take three times as long.
 */
export function foldTerms(terms: readonly string[], language: LanguageCode): FoldedTerm[] {
  const { cased, folded, starts, length } = foldText(terms.join('\n'), language);
  let [offset, at] = [0, 0];
  return terms.map((term) => {
    const end = offset + term.length;
    let from = at;
    while (at < length && starts[at]! <= end) at++;
    let to = at;
    // Removes the spaces at both ends of a term. A line end between terms was folded into one space together with the
    // white space around it.
    while (from < to && cased[from] === space) from++;
    while (to > from && cased[to - 1] === space) to--;
    offset = end + 1;
    return { cased: cased.subarray(from, to), folded: folded.subarray(from, to) };
  });
}

export function unitsToString(units: Uint16Array): string {
  // For few units this is faster than a buffer. A function call cannot have more than about 100,000 arguments.
  if (units.length < 200) return String.fromCharCode(...units);
  return Buffer.from(units.buffer, units.byteOffset, 2 * units.length).toString('utf16le');
}

export function stringToUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return units;
}

/**
 * Whether a text is in NFC, so that its characters can be used unchanged. A text with a long run of marks counts as not
 * composed, because NFC sorts the marks of a character in quadratic time: 50,000 marks take a second.
 */
function isComposed(text: string): boolean {
  if (halfwidthSoundMark.test(text) || ligature.test(text) || longRunOfMarks.test(text)) return false;
  return text.normalize('NFC') === text;
}

const longRunOfMarks = /\p{M}{32}/u;

/**
 * Matches a character that does not compose with the previous one, with the characters after it that may compose with
 * it: marks, and Hangul vowels and finals.
 */
const clusters = /.[\p{M}\u1160-\u11ff\uff9e\uff9f]{0,31}/gsu;

const halfwidthSoundMark = /[\uff9e\uff9f]/;

/** Latin ligatures such as ﬁ, which copies from PDFs have, and the ellipsis, which is one character or three. */
const ligature = /[\ufb00-\ufb06\u2026]/;

/** Replaces half-width katakana by full-width katakana. Only full-width katakana compose with their sound marks. */
function wide(cluster: string): string {
  if (!halfwidthSoundMark.test(cluster)) return cluster;
  return cluster.replace(/[\uff61-\uff9f]/g, (character) => character.normalize('NFKC'));
}

const isMark = /\p{M}/u;

const prolonged = 0x30fc;
const isKatakana = (unit: number): boolean => unit >= 0x30a1 && unit <= prolonged;
/** A character that continues a word in katakana, also in half width. */
const katakana = /[\u3099-\u309a\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f]/;
/** Minimum characters before a final ー that is ignored: in short words, it makes another word (カバ, カバー). */
const katakanaStem = 3;

class Writer {
  readonly #text: string;
  readonly #letters;
  readonly #isJapanese: boolean;
  readonly #cased: Uint16Array;
  readonly #folded: Uint16Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;

  constructor(text: string, language: LanguageCode, most: number) {
    this.#text = text;
    this.#letters = lettersOf(language);
    this.#isJapanese = language === 'ja';
    this.#cased = new Uint16Array(most);
    this.#folded = new Uint16Array(most);
    this.#starts = new Int32Array(most);
    this.#ends = new Int32Array(most);
  }

  writeAsGiven(from: number, to: number): void {
    for (let index = from; index < to; index++) {
      const unit = this.#text.charCodeAt(index);
      const isPair =
        (unit & 0xfc00) === 0xd800 &&
        (this.#text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 &&
        index + 1 < to;
      if (!isPair) this.#write(unit, index, index + 1);
      else {
        this.#write(unit, index, index + 2);
        this.#write(this.#text.charCodeAt(index + 1), index, index + 2);
        index++;
      }
    }
  }

  writeAs(normal: string, from: number, to: number): void {
    for (let index = 0; index < normal.length; index++) this.#write(normal.charCodeAt(index), from, to);
  }

  #write(given: number, start: number, end: number): void {
    const unit = this.#letters.cased(given);
    const at = this.#length;
    if (unit === dropped) {
      if (at > 0 && isMark.test(String.fromCharCode(given))) this.#ends[at - 1] = end;
    } else if (unit === space && at > 0 && this.#cased[at - 1] === space) {
      this.#ends[at - 1] = end;
    } else if (unit === prolonged && this.#isFinal(at, end)) {
      this.#ends[at - 1] = end;
    } else {
      this.#cased[at] = unit;
      this.#folded[at] = this.#letters.uncased(unit);
      this.#starts[at] = start;
      this.#ends[at] = end;
      this.#length = at + 1;
    }
  }

  /** Whether a ー ends a long word, which can also be written without it: ユーザー and ユーザ are one word. */
  #isFinal(at: number, end: number): boolean {
    return (
      this.#isJapanese &&
      at >= katakanaStem &&
      this.#cased.subarray(at - katakanaStem, at).every(isKatakana) &&
      !katakana.test(this.#text[end] ?? '')
    );
  }

  folded(): FoldedText {
    const length = this.#length;
    return {
      length,
      cased: this.#cased.subarray(0, length),
      folded: this.#folded.subarray(0, length),
      starts: this.#starts.subarray(0, length),
      ends: this.#ends.subarray(0, length),
    };
  }
}
