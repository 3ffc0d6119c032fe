import { findInlineImageEnd } from './inline-image.ts';
import { Name, type Operand } from './operand.ts';

/**
 * The operators of PDF 32000-1, annex A, and the numbers of operands that each needs. The scanner reads an inline image,
 * with its ID and EI, as the single operator BI.
 */
export const operators: ReadonlyMap<string, number> = new Map(
  [
    'q Q h S s f F f* B B* b b* n W W* BT ET T* SC SCN sc scn BI ID EI EMC BX EX',
    "w J j M ri i gs Tc Tw Tz TL Tr Ts Tj TJ ' CS cs G g sh Do MP BMC",
    'd m l Tf Td TD d0 DP BDC',
    'RG rg "',
    'v y re K k',
    '',
    'cm c Tm d1',
  ].flatMap((names, count) => names.split(' ').map((name) => [name, count] as const)),
);

/** Known words that are not operators, and beginnings of such words. */
const otherWords: ReadonlySet<string> = new Set('BM BD true fa fal fals false nu nul null'.split(' '));

/** The kind of each byte: 1 for white space, 2 for a delimiter, 3 for the start of a number, 0 for all others. */
const kinds = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) kinds[byte] = 1;
for (const character of '()<>[]{}/%') kinds[character.charCodeAt(0)] = 2;
for (const character of '0123456789+-.') kinds[character.charCodeAt(0)] = 3;

/**
 * Whether a byte can be part of a word: it is neither white space nor a delimiter, and the stream has not ended
 * (undefined).
 */
export function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && (kinds[byte] === 0 || kinds[byte] === 3);
}

/** The maximum depth of nested arrays and dictionaries. Deeper brackets are ignored. */
const maxDepth = 32;

/** A closing bracket, which ends the array or dictionary that contains it. */
type Bracket = ']' | '>>';

/**
 * Reads a content stream operator by operator. Like pdf.js, it accepts any bytes, including invalid numbers, operators
 * without a space between them, and strings without an end.
 */
export class ContentScanner {
  readonly bytes: Uint8Array;
  /**
   * The operator that was read last, such as `Tj`. An inline image is one operator, BI, whose operand is the dictionary
   * of the image.
   */
  operator = '';
  operands: Operand[] = [];
  /** The start and end of the operator with its operands, as byte offsets. */
  start = 0;
  end = 0;
  /**
   * Whether a string or a bracket so far has no start or no end, or an operator too few operands. Readers disagree about
   * what follows, or stop.
   */
  isDamaged = false;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.#at = at;
  }

  /** Reads the next operator and its operands. Returns false at the end of the stream. */
  next(): boolean {
    this.operands = [];
    this.start = -1;
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.bytes.length) return false;
      if (this.start < 0) this.start = this.#at;
      const token = this.#token(0);
      if (typeof token !== 'string') {
        if (token !== null) this.operands.push(token);
        continue;
      }
      if (token === ']' || token === '>>' || token === '') {
        this.isDamaged = true;
        continue;
      }
      if (token === 'BI') this.operands = [this.#inlineImage()];
      this.operator = token;
      this.end = this.#at;
      if (this.operands.length < (operators.get(token) ?? 0)) this.isDamaged = true;
      return true;
    }
  }

  /**
   * Returns the last `count` operands of the current operator; undefined if there are fewer, or if they are not finite
   * numbers.
   */
  numbers(count: number): number[] | undefined {
    const { operands } = this;
    if (operands.length < count) return undefined;
    const last = operands.length === count ? operands : operands.slice(-count);
    return last.every((operand) => Number.isFinite(operand)) ? (last as number[]) : undefined;
  }

  /** Returns the last operand of the current operator if it is a name; undefined otherwise. */
  name(): string | undefined {
    const operand = this.operands.at(-1);
    return operand instanceof Name ? operand.value : undefined;
  }

  #skipSpace(): void {
    const { bytes } = this;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at]!;
      if (byte === 0x25) while (this.#at < bytes.length && !isLineEnd(bytes[this.#at]!)) this.#at++;
      else if (kinds[byte] !== 1) return;
    }
  }

  /**
   * Reads a token. Returns an operand, null, or (as a string) a keyword or a closing bracket; an empty string for a
   * byte without a meaning.
   */
  #token(depth: number): Operand | null | string | Bracket {
    const byte = this.bytes[this.#at]!;
    if (kinds[byte] === 3) return this.#number();
    if (kinds[byte] !== 2) return this.#keyword();
    const next = this.bytes[this.#at + 1];
    switch (byte) {
      case 0x28:
        return this.#literalString();
      case 0x2f:
        return this.#name();
      case 0x5b:
        this.#at++;
        return depth < maxDepth ? this.#until(']', depth) : '';
      case 0x5d:
        this.#at++;
        return ']';
      case 0x3c:
        if (next !== 0x3c) return this.#hexString();
        this.#at += 2;
        return depth < maxDepth ? toDictionary(this.#until('>>', depth)) : '';
      default:
        this.#at += byte === 0x3e && next === 0x3e ? 2 : 1;
        return byte === 0x3e && next === 0x3e ? '>>' : '';
    }
  }

  /** Reads operands up to a closing bracket. An operator also ends the list; it is then not consumed. */
  #until(bracket: Bracket, depth: number): Operand[] {
    const items: Operand[] = [];
    for (;;) {
      this.#skipSpace();
      const before = this.#at;
      if (before >= this.bytes.length) break;
      const item = this.#token(depth + 1);
      if (typeof item !== 'string') {
        if (item !== null) items.push(item);
      } else if (item === bracket) {
        return items;
      } else if (operators.has(item)) {
        this.#at = before;
        break;
      }
    }
    this.isDamaged = true;
    return items;
  }

  /** Reads a number. Like other readers, treats two minus signs as one, and ignores a minus sign between digits. */
  #number(): number {
    const { bytes } = this;
    let at = this.#at;
    let sign = 1;
    if (bytes[at] === 0x2d) {
      sign = -1;
      if (bytes[++at] === 0x2d) at++;
    } else if (bytes[at] === 0x2b) at++;
    let value = 0;
    let divisor = 0;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte >= 0x30 && byte <= 0x39) {
        // Digits after the 15th do not change the value noticeably.
        if (value < 1e15) {
          value = value * 10 + byte - 0x30;
          divisor *= 10;
        } else if (divisor === 0) value *= 10;
      } else if (byte === 0x2e && divisor === 0) divisor = 1;
      else if (byte !== 0x2d) break;
    }
    this.#at = Math.max(at, this.#at + 1);
    return (sign * value) / (divisor || 1);
  }

  #name(): Name {
    const { bytes } = this;
    let value = '';
    let at = this.#at + 1;
    for (; at < bytes.length && isRegular(bytes[at]); at++) {
      const byte = bytes[at]!;
      const high = byte === 0x23 ? hexDigit(bytes[at + 1]) : -1;
      const low = high < 0 ? -1 : hexDigit(bytes[at + 2]);
      if (low >= 0) at += 2;
      value += String.fromCharCode(low >= 0 ? high * 16 + low : byte);
    }
    this.#at = at;
    return new Name(value);
  }

  #literalString(): Uint8Array {
    const { bytes } = this;
    const value: number[] = [];
    let parentheses = 1;
    let at = this.#at + 1;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === 0x5c) {
        at++;
        const escaped = escapes.get(bytes[at]!);
        if (escaped !== undefined) value.push(escaped);
        else if (isOctal(bytes[at])) {
          let code = 0;
          const stop = at + 3;
          for (; at < stop && isOctal(bytes[at]); at++) code = code * 8 + bytes[at]! - 0x30;
          at--;
          value.push(code & 0xff);
        } else if (bytes[at] === 0x0d) {
          if (bytes[at + 1] === 0x0a) at++;
        } else if (bytes[at] !== 0x0a && at < bytes.length) value.push(bytes[at]!);
        continue;
      }
      if (byte === 0x28) parentheses++;
      if (byte === 0x29 && --parentheses === 0) break;
      value.push(byte);
    }
    if (at >= bytes.length) this.isDamaged = true;
    this.#at = Math.min(at + 1, bytes.length);
    return Uint8Array.from(value);
  }

  #hexString(): Uint8Array {
    const { bytes } = this;
    const value: number[] = [];
    let high = -1;
    let at = this.#at + 1;
    for (; at < bytes.length && bytes[at] !== 0x3e; at++) {
      const digit = hexDigit(bytes[at]);
      if (digit < 0) continue;
      if (high >= 0) value.push(high * 16 + digit);
      high = high >= 0 ? -1 : digit;
    }
    if (high >= 0) value.push(high * 16);
    this.#at = Math.min(at + 1, bytes.length);
    return Uint8Array.from(value);
  }

  /**
   * Reads a word. If the word is not known but starts with a known one, returns only the known part: there is no space
   * between two words.
   */
  #keyword(): string | boolean | null {
    const { bytes } = this;
    const from = this.#at;
    let word = '';
    let isKnown = false;
    let at = from;
    for (; at < bytes.length && isRegular(bytes[at]); at++) {
      const longer = word + String.fromCharCode(bytes[at]!);
      const isLongerKnown = operators.has(longer) || otherWords.has(longer);
      if (isKnown && !isLongerKnown) break;
      word = longer;
      isKnown = isLongerKnown;
      if (word.length > 128) break;
    }
    this.#at = Math.max(at, from + 1);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : word;
  }

  #inlineImage(): Map<string, Operand> {
    const items: Operand[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.bytes.length) break;
      const item = this.#token(1);
      if (item === 'ID') break;
      if (typeof item !== 'string' && item !== null) items.push(item);
    }
    const dictionary = toDictionary(items);
    this.#at = findInlineImageEnd(this.bytes, this.#at, dictionary, looksLikeOperators);
    return dictionary;
  }
}

/** Whether the bytes at an offset look like operators, not like the data of an image. */
function looksLikeOperators(bytes: Uint8Array, at: number): boolean {
  const near = bytes.subarray(at, at + 15);
  if (near.some((byte) => (kinds[byte] !== 1 && byte < 0x20) || byte > 0x7f)) return false;
  const scanner = new ContentScanner(bytes.subarray(at, at + 75));
  if (scanner.next()) return operators.has(scanner.operator);
  return at + 75 >= bytes.length;
}

function toDictionary(items: readonly Operand[]): Map<string, Operand> {
  const dictionary = new Map<string, Operand>();
  for (let index = 0; index + 1 < items.length; index += 2) {
    const key = items[index]!;
    if (key instanceof Name) dictionary.set(key.value, items[index + 1]!);
  }
  return dictionary;
}

const escapes = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12 }).map(([letter, code]) => [letter.charCodeAt(0), code]),
);

const isLineEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d;
const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x37;

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
