import type { TextOperator } from './interpretation.ts';
import type { PdfjsGlyph, PdfjsText } from './pdfjs-texts.ts';

/** A text operator, and the text that pdf.js decoded for this operator. */
export interface PairedText {
  operator: TextOperator;
  /** Undefined if pdf.js read the stream differently at this position. */
  decoded: DecodedText | undefined;
}

export interface DecodedText {
  text: PdfjsText;
  /** The number of bytes of each glyph's character code. */
  codeLengths: Uint8Array;
}

/**
 * The maximum number of operators that may be skipped in either reading to find a position where the readings agree
 * again.
 */
const window = 50;

/**
 * Pairs the text operators of two readings of a page, in their order: those that this service has read, and those that
 * pdf.js has read. The two operators of a pair have the same character codes and the same adjustments between them. If
 * the readings differ at a position, the next operators of both are searched for the nearest pair that agrees.
 */
export function pairTexts(operators: readonly TextOperator[], decoded: readonly PdfjsText[]): PairedText[] {
  const pairs: PairedText[] = [];
  let at = 0;
  /** The operators up to this index agree with none of the following operators of the other reading. */
  let searched = -1;
  for (let index = 0; index < operators.length; index++) {
    const operator = operators[index]!;
    let text = decoded[at];
    let codeLengths = text && matchCodes(operator.pieces, text.glyphs);
    if (codeLengths === undefined) {
      const [skipped, passed] = nearestAgreement(operators, index, decoded, at, searched) ?? [];
      searched = passed === undefined ? index + window : -1;
      for (; skipped !== undefined && index < skipped; index++)
        pairs.push({ operator: operators[index]!, decoded: undefined });
      at = passed ?? at;
      text = passed === undefined ? undefined : decoded[at];
      codeLengths = text && matchCodes(operators[index]!.pieces, text.glyphs);
    }
    if (text && codeLengths) {
      pairs.push({ operator: operators[index]!, decoded: { text, codeLengths } });
      at++;
    } else pairs.push({ operator: operators[index]!, decoded: undefined });
  }
  return pairs;
}

/**
 * Returns the indexes of the nearest operators that agree. These are the two with the fewest skipped operators.
 *
 * @param searched the last index of the operators that have already been searched without a result
 */
function nearestAgreement(
  operators: readonly TextOperator[],
  index: number,
  decoded: readonly PdfjsText[],
  at: number,
  searched: number,
): [index: number, at: number] | undefined {
  for (let distance = 1; distance <= 2 * window; distance++) {
    for (let skip = Math.max(0, distance - window); skip <= Math.min(distance, window); skip++) {
      if (index + skip <= searched) continue;
      const operator = operators[index + skip];
      const text = decoded[at + distance - skip];
      if (operator === undefined || text === undefined || text.glyphs.length === 0) continue;
      if (matchCodes(operator.pieces, text.glyphs)) return [index + skip, at + distance - skip];
    }
  }
  return undefined;
}

/**
 * Returns the number of bytes of each glyph's code. Returns undefined if the glyphs do not have exactly the codes in
 * `pieces`.
 *
 * @param pieces strings of character codes, and adjustments
 */
export function matchCodes(
  pieces: readonly (Uint8Array | number)[],
  glyphs: readonly (PdfjsGlyph | number)[],
): Uint8Array | undefined {
  const lengths: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      const adjustment = glyphs[at++];
      if (typeof adjustment !== 'number') return undefined;
      // pdf.js rounds a number with many digits differently.
      if (!(Math.abs(adjustment - piece) <= 1e-9 * Math.abs(piece))) return undefined;
      continue;
    }
    const found = matchString(piece, glyphs, at);
    if (found === undefined) return undefined;
    for (const length of found) lengths.push(length);
    at += found.length;
  }
  return at === glyphs.length ? Uint8Array.from(lengths) : undefined;
}

/**
 * Matches a string whose codes all have the same length: one byte in simple fonts, two bytes in most other fonts. Other
 * strings are matched by `matchMixed`.
 */
function matchString(
  bytes: Uint8Array,
  glyphs: readonly (PdfjsGlyph | number)[],
  at: number,
): readonly number[] | Uint8Array | undefined {
  for (const length of [1, 2]) {
    if (bytes.length % length !== 0) continue;
    const count = bytes.length / length;
    let index = 0;
    while (index < count && codeAt(glyphs, at + index) === readCode(bytes, index * length, length)) index++;
    // It is enough that the first `count` glyphs match. Glyphs of a later string may follow.
    if (index === count) return new Uint8Array(count).fill(length);
  }
  return matchMixed(bytes, glyphs, at);
}

/**
 * Divides a string into codes of one to four bytes that match the glyphs. Each combination of a position in the string
 * and a glyph is tried only once.
 */
function matchMixed(
  bytes: Uint8Array,
  glyphs: readonly (PdfjsGlyph | number)[],
  at: number,
): number[] | undefined {
  const failed = new Set<number>();
  const lengths: number[] = [];
  const starts: number[] = [0];
  let next = 1;
  for (;;) {
    const start = starts.at(-1)!;
    if (start === bytes.length) return lengths;
    const code = codeAt(glyphs, at + lengths.length);
    const key = lengths.length * (bytes.length + 1) + start;
    let length = next;
    if (code === undefined || failed.has(key)) length = 5;
    while (length <= 4 && !isCode(bytes, start, length, code!)) length++;
    if (length <= 4) {
      lengths.push(length);
      starts.push(start + length);
      next = 1;
      continue;
    }
    failed.add(key);
    if (lengths.length === 0) return undefined;
    next = lengths.pop()! + 1;
    starts.pop();
  }
}

function isCode(bytes: Uint8Array, start: number, length: number, code: number): boolean {
  if (start + length > bytes.length) return false;
  if (readCode(bytes, start, length) === code) return true;
  // If a byte does not start any code of the font, pdf.js reads it as code 0.
  return length === 1 && code === 0;
}

function readCode(bytes: Uint8Array, start: number, length: number): number {
  let code = 0;
  for (let index = start; index < start + length; index++) code = code * 256 + bytes[index]!;
  return code;
}

function codeAt(glyphs: readonly (PdfjsGlyph | number)[], at: number): number | undefined {
  const glyph = glyphs[at];
  return typeof glyph === 'object' ? glyph.originalCharCode : undefined;
}
