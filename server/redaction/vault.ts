import { isCommonWord } from './common-words.ts';
import { joinLines } from './joined-text.ts';
import { isCommonName, isGivenName } from './names.ts';
import { type Entity, isInWord } from './numbers.ts';
import {
  inlineTag,
  originalRange,
  type Range,
  type ReadableText,
  readText,
  unbalancedTags,
  withMarks,
  withoutTags,
  withTags,
} from './readable-text.ts';
import { placeholderWords, type RedactedKind } from './rules.ts';

const words = Object.values(placeholderWords).join('|');

/** Returns a pattern of placeholders, also of those in capitals, or directly behind a letter of another script: “وPerson_1”. */
const placeholders = () => new RegExp(`(?<![A-Za-z0-9_])(${words})_(\\d{1,9})(?!\\d)`, 'giu');

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholders())].map(([written]) => written);
}

/** A value that a placeholder replaces. */
export interface Value {
  placeholder: string;
  kind: RedactedKind;
  gender: Entity['gender'];
  /** The value as it was written first, without tags. */
  written: string;
  /** Whether it is a part of a value, and no value in other texts. */
  isPart?: true;
}

/** A text as a model gets it. */
export interface RedactedText {
  text: string;
  /** The replaced values, in the order of the text. `remainder`: tags that stand behind the placeholder instead of inside the value. */
  replaced: { value: Value; written: string; remainder: string }[];
}

/** Letters and digits by which a value is found in a text. */
interface Alias {
  key: string;
  value: Value;
  /** `part`: a word of a person's name. `form`: a whole word with the value in it, as a model has written it. */
  type: 'whole' | 'part' | 'form';
  /** The units of the key that are the value. Others stay: “nak” in “Okonkwonak”. */
  from: number;
  to: number;
}

/** Maximum UTF-16 units of an ending that a language adds to a name of one word: “Müllers”, “Annie”. */
const maxEnding = 2;

/** UTF-16 units of a surname that may begin a longer word: “Weizsäckerplan”. A given name may not: “Christianity”. */
const longName = 8;

/** Maximum UTF-16 units of the letters that a model adds to one side of a placeholder. */
const maxAdded = 40;

/** Maximum UTF-16 units of the key of an alias, so that a search takes linear time. */
const maxKey = 300;

/** Maximum UTF-16 units of a value that begins within a longer word. A term has 100 or fewer. */
const maxInWord = 100;

/** Larger numbers of placeholders in texts of a user are not skipped. */
const maxReserved = 1_000_000;

/**
 * The values of one text or document with their placeholders. The same value has the same placeholder in all of its
 * requests, however it is written.
 */
export class Vault {
  readonly #values = new Map<string, Value>();
  readonly #aliases = new Map<string, Alias>();
  /** A tree of the keys of aliases: for a node and the next unit (node * 65,536 + unit), the next node. The root is 0. */
  readonly #nodes = new Map<number, number>();
  /** The aliases that end at a node. */
  readonly #ends = new Map<number, Alias>();
  readonly #counts = new Map<string, number>();
  readonly #byPlaceholder = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  /** Skips the placeholders that a text of the user has already, so that they are not mistaken for those of the service. */
  reserve(text: string): void {
    for (const [, word, number] of text.matchAll(placeholders())) {
      const count = this.#counts.get(word!.toLowerCase()) ?? 0;
      if (Number(number) <= maxReserved && !this.#byPlaceholder.has(`${word}_${number}`.toLowerCase()))
        this.#counts.set(word!.toLowerCase(), Math.max(count, Number(number)));
    }
  }

  /** Adds a term of the workspace. */
  addTerm(term: string): void {
    const { text } = readText(term);
    this.#valueOf(text, { kind: 'terms', start: 0, end: text.length });
  }

  /** Adds what was found in a text, so that it is replaced in all texts. */
  learn({ text }: ReadableText, entities: readonly Entity[]): void {
    for (const entity of united(text, outsidePlaceholders(text, entities)))
      this.#valueOf(text.slice(entity.start, entity.end), entity);
  }

  #valueOf(written: string, { kind, gender, isPart }: Entity): Value | null {
    // A word of the user that is a placeholder of another value by now. Its key has a “_”, unlike all others.
    if (this.#byPlaceholder.has(written.toLowerCase()))
      return this.#values.get(written.toLowerCase()) ?? this.#add(written.toLowerCase(), { written, kind });
    const key = keyOf(written);
    if (key === '') return null;
    const known = this.#values.get(key) ?? this.#aliases.get(key)?.value;
    if (known) {
      known.gender ??= gender;
      return known;
    }
    const value = this.#add(key, { written, kind, gender });
    if (isPart) return Object.assign(value, { isPart });
    this.#addAlias(key, value, 'whole');
    if (kind === 'names') for (const part of partsOf(written)) this.#addAlias(keyOf(part), value, 'part');
    return value;
  }

  #add(key: string, { kind, written, gender }: Pick<Value, 'kind' | 'written'> & Partial<Value>): Value {
    const word = placeholderWords[kind];
    const count = (this.#counts.get(word.toLowerCase()) ?? 0) + 1;
    this.#counts.set(word.toLowerCase(), count);
    const value = { placeholder: `${word}_${count}`, kind, gender, written };
    this.#values.set(key, value);
    this.#byPlaceholder.set(value.placeholder.toLowerCase(), value);
    return value;
  }

  #addAlias(key: string, value: Value, type: Alias['type'], from = 0, to = key.length): void {
    if (key === '' || key.length > maxKey || this.#aliases.has(key)) return;
    let node = 0;
    for (let at = 0; at < key.length; at++) {
      const edge = node * 65_536 + key.charCodeAt(at);
      node = this.#nodes.get(edge) ?? this.#nodes.size + 1;
      this.#nodes.set(edge, node);
    }
    const alias = { key, value, type, from, to };
    this.#aliases.set(key, alias);
    this.#ends.set(node, alias);
  }

  /**
   * Replaces the values in a text: the given ones, and all that are known.
   * @param found what was found in this text
   * @param inflected values that may have any ending, and parts of values, because the source of this text has them
   */
  redact(
    original: string,
    found: readonly Entity[] = [],
    inflected: ReadonlySet<Value> = new Set(),
  ): RedactedText {
    const readable = readText(original);
    const ranges = united(readable.text, [
      ...outsidePlaceholders(readable.text, found),
      ...this.#placeholdersOf(readable),
      ...this.#knownIn(readable, inflected),
    ]);
    const replaced: RedactedText['replaced'] = [];
    let text = '';
    let from = 0;
    for (const entity of ranges) {
      const value = this.#valueOf(readable.text.slice(entity.start, entity.end), entity);
      if (!value) continue;
      const range = withMarks(original, withTags(original, originalRange(readable, entity)));
      if (range.start < from) continue;
      const written = original.slice(range.start, range.end);
      const remainder = unbalancedTags(written).join('');
      text += original.slice(from, range.start) + value.placeholder + remainder;
      from = range.end;
      replaced.push({ value, written, remainder });
    }
    return { text: text + original.slice(from), replaced };
  }

  /** Adds the parts of known values that begin in one text and end in the next, such as two subtitles, to what is found in each. */
  addOver(texts: readonly string[], found: Map<string, Entity[]>): void {
    const add = (text: string, entity: Entity) => found.set(text, [...(found.get(text) ?? []), entity]);
    for (let at = 1; at < texts.length && this.#aliases.size > 0; at++) {
      const [first, second] = [texts[at - 1]!, texts[at]!];
      const before = readText(first.slice(-maxKey)).text;
      const { text } = readText(first);
      const whole = `${before}\n${readText(second.slice(0, maxKey)).text}`;
      for (const { kind, start, end } of this.#knownIn(
        { text: whole, starts: null, ends: null },
        new Set(),
      )) {
        if (start >= before.length || end <= before.length + 1) continue;
        add(first, { kind, start: text.length - before.length + start, end: text.length, isPart: true });
        add(second, { kind, start: 0, end: end - before.length - 1, isPart: true });
      }
    }
  }

  /**
   * Replaces parts of values that a text quotes: one whose end was cut off, at the end of the text or of a quote, and groups of digits.
   * @param quoted the values whose groups of digits count
   */
  redactParts(original: string, quoted: ReadonlySet<Value>): string {
    const readable = readText(original);
    const { text, replaced } = this.#replace(original, readable, [
      ...this.#cutIn(readable.text),
      ...groupsIn(readable.text, quoted),
    ]);
    return replaced ? text : original;
  }

  /** Yields the beginnings of values at the ends of shortened texts. */
  *#cutIn(text: string): Generator<Part> {
    const compact = compactOf(text);
    const { units, places } = compact;
    const taken = [...text.matchAll(placeholders())].map(({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
    }));
    for (let at = 0; at < units.length; at++) {
      const start = places[at]!;
      if (isInWord(text, start - 1) || taken.some((one) => start >= one.start && start < one.end)) continue;
      let node: number | undefined = 0;
      for (let next = at; next < units.length && next < at + maxKey; next++) {
        node = this.#nodes.get(node * 65_536 + units.charCodeAt(next));
        if (node === undefined) break;
        const end = places[next]! + 1;
        if (next - at + 1 < minPart || !cutEnd.test(text.slice(end, end + 8))) continue;
        const key = units.slice(at, next + 1);
        const alias = this.#aliases.values().find((one) => one.key.startsWith(key));
        if (alias) yield { value: alias.value, start, end };
      }
    }
  }

  #replace(original: string, readable: ReadableText, parts: Part[]): { text: string; replaced: boolean } {
    let text = '';
    let from = 0;
    for (const part of parts.sort((a, b) => a.start - b.start || b.end - a.end)) {
      const { start, end } = originalRange(readable, part);
      if (start < from) continue;
      text += original.slice(from, start) + part.value.placeholder;
      from = end;
    }
    return { text: text + original.slice(from), replaced: from > 0 };
  }

  /** Yields the words of the user that are placeholders of other values by now. */
  *#placeholdersOf({ text }: ReadableText): Generator<Entity> {
    for (const { index: start, 0: written } of text.matchAll(placeholders())) {
      const value = this.#byPlaceholder.get(written.toLowerCase());
      if (value) yield { kind: value.kind, start, end: start + written.length };
    }
  }

  *#knownIn({ text }: ReadableText, inflected: ReadonlySet<Value>): Generator<Entity> {
    if (this.#aliases.size === 0) return;
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

  /**
   * Puts the values back into a text of a model. The words in which they stand are replaced again in later texts.
   * @param replaced the values of the source, whose spelling and tags are used; without it, each as it was first written
   * @param allowed the values that the text may have: placeholders of others stay. Default: all
   */
  restore(
    text: string,
    replaced: RedactedText['replaced'] = [],
    allowed: ReadonlySet<Value> | null = null,
  ): string {
    const places = Map.groupBy(replaced, ({ value }) => value);
    const used = new Map<Value, number>();
    const spans: (Range & { value: Value })[] = [];
    let restored = '';
    let from = 0;
    for (const match of text.matchAll(placeholders())) {
      const value = this.#byPlaceholder.get(match[0].toLowerCase());
      if (!value || allowed?.has(value) === false) continue;
      const own = places.get(value) ?? [];
      const nth = used.get(value) ?? 0;
      used.set(value, nth + 1);
      const place = own[nth];
      let end = match.index + match[0].length;
      let written = place?.written ?? own.at(-1)?.written.replace(inlineTag, '') ?? value.written;
      if (place?.remainder) {
        if (text.startsWith(place.remainder, end)) end += place.remainder.length;
        else written = withoutTags(written, unbalancedTags(written));
      }
      restored += text.slice(from, match.index);
      spans.push({ value, start: restored.length, end: restored.length + written.length });
      restored += written;
      from = end;
    }
    restored += text.slice(from);
    for (const span of spans) this.#learnForm(restored, span);
    return restored;
  }

  /** Learns the word of which a value is a part: “Okonkwonak”. */
  #learnForm(text: string, { start, end, value }: Range & { value: Value }): void {
    const before = readText(text.slice(Math.max(0, start - 2 * maxAdded), start)).text;
    const after = readText(text.slice(end, end + 2 * maxAdded)).text;
    let first = before.length;
    while (before.length - first < maxAdded && isInWord(before, first - 1)) first--;
    let last = 0;
    while (last < maxAdded && isInWord(after, last)) last++;
    const own = keyOf(readText(text.slice(start, end)).text);
    // A name of one unit is found in such a word only.
    if (own.length === 1 && last === 0 && /^\p{L}/u.test(after)) last = 1;
    const head = keyOf(before.slice(first));
    const tail = keyOf(after.slice(0, last));
    if (own !== '' && head + tail !== '')
      this.#addAlias(head + own + tail, value, 'form', head.length, head.length + own.length);
  }
}

/** Yields the words of a name, and the parts of a double-barrelled one except usual words: “Vexolim-Brudok”, “Vexolim”, “Brudok”. */
function* partsOf(name: string): Generator<string> {
  for (const [word] of (joinLines(name)?.text ?? name).matchAll(/[\p{L}\p{M}'-]{3,}/gu))
    for (const part of new Set([word, ...word.split('-')]))
      if (
        part.length > 2 &&
        part.length < name.length &&
        /^\p{Lu}|^[^\p{Ll}]/u.test(part) &&
        (part === word || !isCommonWord(part))
      )
        yield part;
}

/** A part of a value in a text. */
interface Part extends Range {
  value: Value;
}

/** Minimum UTF-16 units of a part of a value. */
const minPart = 4;

/** The end of a text or of a quote in it, perhaps with an ellipsis. */
const cutEnd = /^(?: ?(?:…|\.\.\.))?[”"»“’')\]]?[.,]?\s*$|^ ?(?:…|\.\.\.|[”"»“])/;

/** Yields groups of three or more digits that are part of a number among the values. */
function* groupsIn(text: string, values: ReadonlySet<Value>): Generator<Part> {
  const numbers = [...values].flatMap((value) =>
    value.kind === 'names' || value.kind === 'terms' || value.kind === 'emails'
      ? []
      : [{ value, digits: value.written.replace(/\D/g, '') }],
  );
  if (numbers.length === 0) return;
  for (const { index: start, 0: group } of text.matchAll(/(?<![\p{L}\p{N}_])\d{3,}(?!\p{L})/gu)) {
    const number = numbers.find(({ digits }) => digits.length > group.length && digits.includes(group));
    if (number) yield { value: number.value, start, end: start + group.length };
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

/** Leaves out what begins within a placeholder: in “Dear Person_1”, “Person” is no name. */
function outsidePlaceholders(text: string, entities: readonly Entity[]): Entity[] {
  const starts = new Set([...text.matchAll(placeholders())].map(({ index }) => index));
  return entities.filter(({ start }) => !starts.has(start));
}

/** Returns what identifies a value: its letters and digits, without case and accents. */
function keyOf(written: string): string {
  return compactOf(written).units;
}

interface Compact {
  units: string;
  /** The place of each unit in the text. */
  places: number[];
}

const folded = new Map<string, string>();

/** Scripts in which a letter without its marks is the same letter. */
const foldable = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Letters whose capitals are also those of others: STRASSE, IŞIL, ΠΑΠΑΣ. */
const equalLetters: Record<string, string> = { ß: 'ss', ı: 'i', ς: 'σ' };

/**
 * Returns a unit without case and accents, a ligature as its letters, and a syllable or a vowel sign of other scripts as it
 * is; empty for other signs.
 */
function fold(unit: string): string {
  let known = folded.get(unit);
  if (known === undefined) {
    const kept =
      /^\p{M}$/u.test(unit) && !/^\p{Script=Inherited}|^\p{Script=Hebrew}|^\p{Script=Arabic}/u.test(unit);
    known = kept
      ? unit
      : (foldable.test(unit) ? unit.normalize('NFKD') : unit)
          .toLowerCase()
          .replace(/[ßıς]/g, (letter) => equalLetters[letter]!)
          .replace(/[^\p{L}\p{N}]/gu, '');
    if (folded.size < 5000) folded.set(unit, known);
  }
  return known;
}

function compactOf(text: string): Compact {
  let units = '';
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    const one = /[\ud800-\udfff]/.test(unit) ? unit : fold(unit);
    if (one === '') continue;
    units += one;
    for (let unit = 0; unit < one.length; unit++) places.push(at);
  }
  return { units, places };
}

/**
 * Joins places that overlap. The longest determines the kind. Digits behind a place, and Latin letters before it, belong to it:
 * a placeholder ends with a digit, and is not found behind a letter.
 */
function united(text: string, entities: readonly Entity[]): Entity[] {
  const whole = entities.map((entity) => {
    let { start } = entity;
    while (start > 0 && entity.start - start < maxAdded && /[A-Za-z0-9_]/.test(text[start - 1]!)) start--;
    const [digits] = /^\d*/.exec(text.slice(entity.end, entity.end + maxAdded))!;
    return { ...entity, start, end: entity.end + digits.length };
  });
  const sorted = whole.sort((a, b) => a.start - b.start || b.end - a.end);
  const joined: Entity[] = [];
  let longest = 0;
  for (const entity of sorted) {
    const last = joined.at(-1);
    const length = entity.end - entity.start;
    if (!last || entity.start >= last.end) {
      joined.push({ ...entity });
      longest = length;
      continue;
    }
    last.end = Math.max(last.end, entity.end);
    if (length > longest) {
      last.kind = entity.kind;
      longest = length;
    }
    if (entity.gender && last.kind === 'names') last.gender ??= entity.gender;
  }
  return joined;
}
