import { type Entity, isInWord } from './numbers.ts';
import { originalRange, type Range, type ReadableText, readText } from './readable-text.ts';
import { placeholderWords, type RedactedKind } from './rules.ts';

const words = Object.values(placeholderWords).join('|');

/** Returns a pattern of placeholders, also of those in capitals. */
const placeholders = () => new RegExp(`(?<![\\p{L}\\p{N}_])(${words})_(\\d{1,9})(?!\\d)`, 'giu');

/** Returns the placeholders in a text. */
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
}

/** A text as a model gets it. */
export interface RedactedText {
  text: string;
  /** The replaced values, in the order of the text. `remainder`: tags that stand behind the placeholder instead of inside the value. */
  replaced: { value: Value; written: string; remainder: string }[];
}

/** A name for which a value is looked up: a part of a person's name must begin with a capital. */
interface Alias {
  key: string;
  value: Value;
  isPart: boolean;
}

/** Units of the beginning of an alias by which it is looked up. */
const prefixUnits = 3;

/** Maximum UTF-16 units of an ending that a language adds to a name: “Müllers”, “Annie”. */
const maxEnding = 2;

/**
 * The values of one text or document with their placeholders. The same value has the same placeholder in all of its
 * requests, however it is written.
 */
export class Vault {
  readonly #values = new Map<string, Value>();
  readonly #aliases = new Map<string, Alias[]>();
  readonly #counts = new Map<string, number>();
  readonly #byPlaceholder = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  /** Skips the placeholders that a text of the user has already, so that they are not mistaken for those of the service. */
  reserve(text: string): void {
    for (const [, word, number] of text.matchAll(placeholders())) {
      const count = this.#counts.get(word!.toLowerCase()) ?? 0;
      if (!this.#byPlaceholder.has(`${word}_${number}`.toLowerCase()))
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
    for (const entity of united(entities)) this.#valueOf(text.slice(entity.start, entity.end), entity);
  }

  #valueOf(written: string, { kind, gender }: Entity): Value | null {
    const key = keyOf(written);
    if (key === '') return null;
    const known = this.#values.get(key) ?? this.#personOf(key);
    if (known) {
      known.gender ??= gender;
      return known;
    }
    const word = placeholderWords[kind];
    const count = (this.#counts.get(word.toLowerCase()) ?? 0) + 1;
    this.#counts.set(word.toLowerCase(), count);
    const value = { placeholder: `${word}_${count}`, kind, gender, written };
    this.#values.set(key, value);
    this.#byPlaceholder.set(value.placeholder.toLowerCase(), value);
    this.#addAlias({ key, value, isPart: false });
    if (kind === 'names')
      for (const [part] of written.matchAll(/[\p{L}'-]{3,}/gu))
        if (part.length < written.length && /^\p{Lu}|^[^\p{Ll}]/u.test(part))
          this.#addAlias({ key: keyOf(part), value, isPart: true });
    return value;
  }

  /** Returns the person of whose name this is a part. */
  #personOf(key: string): Value | undefined {
    return this.#aliases.get(key.slice(0, prefixUnits))?.find((alias) => alias.key === key)?.value;
  }

  #addAlias(alias: Alias): void {
    const prefix = alias.key.slice(0, prefixUnits);
    const same = this.#aliases.get(prefix);
    if (!same) this.#aliases.set(prefix, [alias]);
    else if (!same.some(({ key }) => key === alias.key)) {
      same.push(alias);
      same.sort((a, b) => b.key.length - a.key.length);
    }
  }

  /**
   * Replaces the values in a text: the given ones, and all that are known.
   * @param found what was found in this text
   */
  redact(original: string, found: readonly Entity[] = []): RedactedText {
    const readable = readText(original);
    const ranges = united([...found, ...this.#knownIn(readable)]);
    const replaced: RedactedText['replaced'] = [];
    let text = '';
    let from = 0;
    for (const entity of ranges) {
      const value = this.#valueOf(readable.text.slice(entity.start, entity.end), entity);
      if (!value) continue;
      const range = withTags(original, originalRange(readable, entity));
      if (range.start < from) continue;
      const written = original.slice(range.start, range.end);
      const remainder = unbalancedTags(written).join('');
      text += original.slice(from, range.start) + value.placeholder + remainder;
      from = range.end;
      replaced.push({ value, written, remainder });
    }
    return { text: text + original.slice(from), replaced };
  }

  *#knownIn({ text }: ReadableText): Generator<Entity> {
    if (this.#aliases.size === 0) return;
    const compact = compactOf(text);
    for (let at = 0; at < compact.units.length; at++) {
      const start = compact.places[at]!;
      if (isInWord(text, start - 1)) continue;
      for (let length = prefixUnits; length > 0; length--) {
        const aliases = this.#aliases.get(compact.units.slice(at, at + length));
        const found = aliases && this.#aliasAt(text, compact, at, aliases);
        if (!found) continue;
        const end = compact.places[at + found.key.length - 1]! + 1;
        yield { kind: found.value.kind, start, end };
        at += found.key.length - 1;
        break;
      }
    }
  }

  #aliasAt(
    text: string,
    { units, places }: Compact,
    at: number,
    aliases: readonly Alias[],
  ): Alias | undefined {
    return aliases.find(({ key, isPart, value }) => {
      if (!units.startsWith(key, at)) return false;
      const start = places[at]!;
      const end = places[at + key.length - 1]! + 1;
      if (isPart && !/\p{Lu}|\p{Lo}/u.test(text[start]!)) return false;
      const written = text.slice(start, end);
      if (written.length > key.length * 2 + 4 || (value.kind === 'names' && written.includes('\n')))
        return false;
      if (!isInWord(text, end)) return true;
      if (value.kind !== 'names' && value.kind !== 'terms') return false;
      let ending = end;
      while (ending - end <= maxEnding && isInWord(text, ending)) ending++;
      return key.length > 3 && ending - end <= maxEnding && !/\d/.test(text.slice(end, ending));
    });
  }

  /**
   * Puts the values back into a text of a model.
   * @param replaced the values of the source, whose spelling and tags are used; without it, each as it was first written
   */
  restore(text: string, replaced: RedactedText['replaced'] = []): string {
    const places = Map.groupBy(replaced, ({ value }) => value);
    const used = new Map<Value, number>();
    let restored = '';
    let from = 0;
    for (const match of text.matchAll(placeholders())) {
      const value = this.#byPlaceholder.get(match[0].toLowerCase());
      if (!value) continue;
      const own = places.get(value) ?? [];
      const nth = used.get(value) ?? 0;
      used.set(value, nth + 1);
      const place = own[nth];
      let end = match.index + match[0].length;
      let written = place?.written ?? own.at(-1)?.written.replace(tag, '') ?? value.written;
      if (place?.remainder) {
        if (text.startsWith(place.remainder, end)) end += place.remainder.length;
        else written = withoutTags(written, unbalancedTags(written));
      }
      restored += text.slice(from, match.index) + written;
      from = end;
    }
    return restored + text.slice(from);
  }
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

function fold(unit: string): string {
  let known = folded.get(unit);
  if (known === undefined) {
    known = unit
      .normalize('NFD')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, '')
      .slice(0, 1);
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
    places.push(at);
  }
  return { units, places };
}

/** Joins places that overlap. The longest determines the kind. */
function united(entities: readonly Entity[]): Entity[] {
  const sorted = entities.toSorted((a, b) => a.start - b.start || b.end - a.end);
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

const tag = /<(\/?)([A-Za-z0-9]{1,16}) ?(\/?)>/g;

/** Returns the tags of a value whose other half is outside of it. */
function unbalancedTags(written: string): string[] {
  if (!written.includes('<')) return [];
  const open: { name: string; written: string }[] = [];
  const alone: string[] = [];
  for (const [whole, closing, name, single] of written.matchAll(tag)) {
    if (single) continue;
    if (!closing) open.push({ name: name!, written: whole });
    else if (open.at(-1)?.name === name) open.pop();
    else alone.push(whole);
  }
  return [...alone, ...open.map((one) => one.written)];
}

function withoutTags(written: string, tags: readonly string[]): string {
  return tags.reduce((text, one) => text.replace(one, ''), written);
}

/** Extends a range by the other halves of its tags if they stand directly at its ends. */
function withTags(original: string, { start, end }: Range): Range {
  let range = { start, end };
  for (const one of unbalancedTags(original.slice(start, end))) {
    const other = one.startsWith('</') ? one.replace('/', '') : one.replace('<', '</');
    if (one.startsWith('</') && original.endsWith(other, range.start))
      range = { ...range, start: range.start - other.length };
    else if (!one.startsWith('</') && original.startsWith(other, range.end))
      range = { ...range, end: range.end + other.length };
  }
  return range;
}
