import { isCommonWord } from './common-words.ts';
import { type Compact, compactOf, keyOf } from './joined-text.ts';
import { isCommonName, isGivenName } from './names.ts';
import { type Entity, isInWord } from './numbers.ts';
import { placeholders, type Value } from './placeholders.ts';
import type { Range } from './readable-text.ts';

/** Letters and digits by which a value is found in a text. */
export interface Alias {
  key: string;
  value: Value;
  /** `part`: a word of a person's name. `form`: a whole word with the value in it, as a model has written it. */
  type: 'whole' | 'part' | 'form';
  /** The units of the key that are the value. Others stay: “nak” in “Okonkwonak”. */
  from: number;
  to: number;
}

/** A part of a value in a text. */
export interface Part extends Range {
  value: Value;
}

/** Minimum UTF-16 units of a part of a value. */
const minPart = 4;

/** The end of a text or of a quote in it, perhaps with an ellipsis. */
const cutEnd = /^(?: ?(?:…|\.\.\.))?[”"»“’')\]]?[.,]?\s*$|^ ?(?:…|\.\.\.|[”"»“])/;

/** Maximum UTF-16 units of an ending that a language adds to a name of one word: “Müllers”, “Annie”. */
const maxEnding = 2;

/** UTF-16 units of a surname that may begin a longer word: “Weizsäckerplan”. A given name may not: “Christianity”. */
const longName = 8;

/** Maximum UTF-16 units of the letters that a model adds to one side of a placeholder. */
export const maxAdded = 40;

/** Maximum UTF-16 units of the key of an alias, so that a search takes linear time. */
export const maxKey = 300;

/** Maximum UTF-16 units of a value that begins within a longer word. A term has 100 or fewer. */
const maxInWord = 100;

/** The aliases of the values of one text or document. Searches take linear time, whatever their number. */
export class Aliases {
  readonly #byKey = new Map<string, Alias>();
  /** A tree of the keys: for a node and the next unit (node * 65,536 + unit), the next node. The root is 0. */
  readonly #nodes = new Map<number, number>();
  /** For each node but the root, the first alias whose key passes it. */
  readonly #firsts: Alias[] = [];
  /** The aliases that end at a node. */
  readonly #ends = new Map<number, Alias>();

  get size(): number {
    return this.#byKey.size;
  }

  /** Returns the value of a key. */
  valueOf(key: string): Value | undefined {
    return this.#byKey.get(key)?.value;
  }

  /** Adds an alias, unless its key is known. By default, the value is the whole key. */
  add(key: string, value: Value, type: Alias['type'], from = 0, to = key.length): void {
    if (key === '' || key.length > maxKey || this.#byKey.has(key)) return;
    const alias = { key, value, type, from, to };
    let node = 0;
    for (let at = 0; at < key.length; at++) {
      const edge = node * 65_536 + key.charCodeAt(at);
      node = this.#nodes.get(edge) ?? this.#nodes.size + 1;
      this.#nodes.set(edge, node);
      this.#firsts[node] ??= alias;
    }
    this.#byKey.set(key, alias);
    this.#ends.set(node, alias);
  }

  /**
   * Yields the known values in a readable text.
   * @param inflected values that may have any ending, and parts of values
   */
  *knownIn(text: string, inflected: ReadonlySet<Value>): Generator<Entity> {
    if (this.size === 0) return;
    const compact = compactOf(text);
    for (const { isPart, written, kind } of inflected) {
      const key = keyOf(written);
      const at = isPart ? compact.units.indexOf(key) : -1;
      if (at >= 0)
        yield {
          kind,
          start: compact.places[at]!,
          end: compact.places[at + key.length - 1]! + 1,
          isPart: true,
        };
    }
    for (let at = 0; at < compact.units.length; at++) {
      const found = this.#aliasAt(text, compact, at, inflected);
      if (!found) continue;
      const start = compact.places[at + found.from]!;
      const end = compact.places[at + found.to - 1]! + 1;
      yield { kind: found.value.kind, start, end };
    }
  }

  /** Returns the longest alias at a place. */
  #aliasAt(
    text: string,
    { units, places }: Compact,
    at: number,
    inflected: ReadonlySet<Value>,
  ): Alias | undefined {
    let longest: Alias | undefined;
    let node: number | undefined = 0;
    // Within a word, the work is bounded: a text can repeat the beginning of a value.
    const last = isInWord(text, places[at]! - 1) ? Math.min(units.length, at + maxInWord) : units.length;
    for (let next = at; next < last; next++) {
      node = this.#nodes.get(node * 65_536 + units.charCodeAt(next));
      if (node === undefined) break;
      const alias = this.#ends.get(node);
      if (!alias) continue;
      const range = { start: places[at]!, end: places[next]! + 1 };
      if (isAlias(alias, text, range, inflected.has(alias.value))) longest = alias;
    }
    return longest;
  }

  /** Yields the beginnings of values at the ends of shortened texts: “Quarn…” of “Quarnby”. */
  *cutIn(text: string): Generator<Part> {
    const { units, places } = compactOf(text);
    const taken = text.matchAll(placeholders());
    let next = taken.next();
    for (let at = 0; at < units.length; at++) {
      const start = places[at]!;
      while (!next.done && next.value.index + next.value[0].length <= start) next = taken.next();
      const isTaken = !next.done && start >= next.value.index;
      if (!isTaken && !isInWord(text, start - 1)) yield* this.#cutAt(text, { units, places }, at);
    }
  }

  *#cutAt(text: string, { units, places }: Compact, at: number): Generator<Part> {
    let node: number | undefined = 0;
    for (let next = at; next < units.length && next < at + maxKey; next++) {
      node = this.#nodes.get(node * 65_536 + units.charCodeAt(next));
      if (node === undefined) return;
      const end = places[next]! + 1;
      if (next - at + 1 >= minPart && cutEnd.test(text.slice(end, end + 8)))
        yield { value: this.#firsts[node]!.value, start: places[at]!, end };
    }
  }
}

/** Whether an alias is meant by a part of a text whose letters and digits are its key. */
function isAlias(alias: Alias, text: string, range: Range, isInflected: boolean): boolean {
  const { key, value, type } = alias;
  const { start, end } = range;
  const written = text.slice(start, end);
  if (written.length > key.length * 2 + 12 || (value.kind === 'names' && /\n\s*\n/.test(written)))
    return false;
  // 陈 is a name in “陈 said”, but not in 陈列室.
  if (key.length === 1)
    return (
      text.startsWith(value.written, start) && !/\p{L}/u.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`)
    );
  const before = isInWord(text, start - 1);
  const after = isInWord(text, end);
  if (value.kind === 'terms') return isTerm(key, text, range, before, after);
  if (value.kind !== 'names') return before || after ? type === 'whole' && key.length >= longName : true;
  // “doe42” is an account of Doe.
  const isNumbered = /\d/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`);
  const isFree = !(before && !/\d/.test(text[start - 1]!)) && !(after && !/\d/.test(text[end]!));
  if (isFree && isNumbered) return key.length > 2;
  if (isFree) return type === 'form' || !isOtherWord(type, text, range);
  if (type === 'form') return false;
  return before ? isWithin(alias, text, range) : isWithEnding(alias, text, range, isInflected);
}

/** Whether a term is meant: from 4 letters on also within a word. */
function isTerm(key: string, text: string, { end }: Range, before: boolean, after: boolean): boolean {
  if (key.length > 3 || !(before || after)) return true;
  return !before && /^(?:s|\d+)$/i.test(endingAt(text, end));
}

/** Returns the letters and digits of a word from a place on. */
function endingAt(text: string, end: number): string {
  let last = end;
  while (last - end <= maxAdded && isInWord(text, last)) last++;
  return text.slice(end, last);
}

/** UTF-16 units of a name that may stand anywhere in a longer word, and of one behind an initial: “jmavlpoxev”, “jdoeson”. */
const innerName = { any: 6, afterInitial: 5 };

/** Whether a name is meant in a longer word that begins before it. A given or usual word may be in any. */
function isWithin({ key, value, type }: Alias, text: string, { start, end }: Range): boolean {
  const written = text.slice(start, end);
  if (type === 'whole' && /\s/.test(value.written)) return key.length >= innerName.any;
  let first = start;
  while (start - first <= maxAdded && isInWord(text, first - 1)) first--;
  const word = text.slice(first, end) + endingAt(text, end);
  if (isGivenName(capital(written)) || isCommonWord(written) || isCommonWord(word)) return false;
  return key.length >= (start - first <= 2 ? innerName.afterInitial : innerName.any);
}

/** Endings that make another word of a name that is also one: Fischerei. */
const derivations = /^(?:in|innen|ei|erei|isch\w{0,2}|schaft|lich\w{0,2}|ung|tum|er|ers|ing|ed|ly)$/iu;

/** Whether a name is meant in a longer word that begins with it. */
function isWithEnding(
  { key, value, type }: Alias,
  text: string,
  { start, end }: Range,
  isInflected: boolean,
): boolean {
  const written = text.slice(start, end);
  const ending = endingAt(text, end);
  if (isInflected) return true;
  // “Ford T” is not in “Ford to”.
  if (type === 'whole' && /\s/.test(value.written)) return /[^\s]{3}$/.test(written);
  const isGiven = isGivenName(capital(written));
  const isSmall = /^\p{Ll}/u.test(written);
  if (isSmall && (isGiven || isCommonWord(written) || isCommonWord(written + ending))) return false;
  // A longer ending makes another word of a short or usual name: Mark, Markt.
  const isLong =
    !isGiven &&
    (key.length >= longName ||
      (key.length >= innerName.any &&
        !isCommonWord(written) &&
        !isCommonWord(written + ending) &&
        !derivations.test(ending)));
  if (key.length <= 3 || (type === 'part' && !isLong && /^\p{Script=Latin}/u.test(ending)))
    return /^s$/i.test(ending);
  return isLong || ending.length <= maxEnding;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Whether a word is not the name it equals: after “Mr. Stones”, “the stones”, except in URLs and texts without capitals. Any
 * other word than a usual one is the name, from 4 letters on.
 */
function isOtherWord(type: Alias['type'], text: string, { start, end }: Range): boolean {
  const written = text.slice(start, end);
  if (!/^\p{Ll}/u.test(written) || /\s/.test(written)) return false;
  if (written.length > 3 && !isCommonWord(written) && !isCommonName(capital(written))) return false;
  if (type === 'part') return true;
  return (
    !/[/_@=.#-]/.test(text[start - 1] ?? '') &&
    !/[/_@=]/.test(text[end] ?? '') &&
    /\p{Lu}/u.test(text.slice(Math.max(0, start - 200), end + 200))
  );
}
