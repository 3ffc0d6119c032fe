import { Aliases, maxAdded, maxKey, type Part } from './aliases.ts';
import { isCommonWord } from './common-words.ts';
import { joinLines, keyOf } from './joined-text.ts';
import { type Entity, isInWord } from './numbers.ts';
import { placeholders, type Value } from './placeholders.ts';
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
import { placeholderWords } from './rules.ts';

/** A text as a model gets it. */
export interface RedactedText {
  text: string;
  /** The replaced values, in the order of the text. `remainder`: tags that stand behind the placeholder instead of inside the value. */
  replaced: { value: Value; written: string; remainder: string }[];
}

/** Larger numbers of placeholders in texts of a user are not skipped. */
const maxReserved = 1_000_000;

/**
 * The values of one text or document with their placeholders. The same value has the same placeholder in all of its
 * requests, however it is written.
 */
export class Vault {
  readonly #values = new Map<string, Value>();
  readonly #aliases = new Aliases();
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
    const known = this.#values.get(key) ?? this.#aliases.valueOf(key);
    if (known) {
      known.gender ??= gender;
      return known;
    }
    const value = this.#add(key, { written, kind, gender });
    if (isPart) return Object.assign(value, { isPart });
    this.#aliases.add(key, value, 'whole');
    // A street with its number, without the place behind it.
    if (kind === 'addresses' && /\d.*,/.test(written))
      this.#aliases.add(keyOf(written.replace(/(?<=\d.*),.*/s, '')), value, 'part');
    if (kind === 'names')
      for (const part of [...partsOf(written), ...stemsOf(written)])
        this.#aliases.add(keyOf(part), value, 'part');
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
      ...this.#aliases.knownIn(readable.text, inflected),
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
      for (const { kind, start, end } of this.#aliases.knownIn(whole, new Set())) {
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
      ...this.#aliases.cutIn(readable.text),
      ...groupsIn(readable.text, quoted),
    ]);
    return replaced ? text : original;
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
      this.#aliases.add(head + own + tail, value, 'form', head.length, head.length + own.length);
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

/** Endings of cases: Quarnbys, Işıldartan'ın, Wiśniogórskiego, Крутобокову. The stem has 5 letters or more. */
const caseEndings = [
  /(?<=\p{L}{5})s$/u,
  /(?<=\p{L}{4})'\p{Ll}{1,6}$/u,
  /(?<=\p{L}{3}(?:sk|ck|dzk))(?:i|a|ie|iego|iemu|im|iej|ą|ich|imi|ého|ému|ým|ou|é|ý|y)$/u,
  /(?<=\p{Script=Cyrillic}{5})(?:ого|ому|ой|ою|ей|ою|ым|ых|ую|ом|ем|ём|ам|ами|[аяуюеыи])$/u,
];

/** Yields the words of a name without the ending of a case, so that the name is also found in another one. */
function* stemsOf(name: string): Generator<string> {
  for (const [word] of name.matchAll(/\p{Lu}[\p{L}\p{M}'-]{4,}/gu))
    for (const ending of caseEndings) {
      const stem = word.replace(ending, '');
      if (stem !== word && !isCommonWord(stem)) yield stem;
    }
}

/** UTF-16 units of the shortest group of digits that is part of a number. */
const minGroup = 3;

/** Yields groups of three or more digits that are part of a number among the values. */
function* groupsIn(text: string, values: ReadonlySet<Value>): Generator<Part> {
  /** The numbers by each three digits that they have. */
  const numbers = new Map<string, { value: Value; digits: string }[]>();
  for (const value of values) {
    if (value.kind === 'names' || value.kind === 'terms' || value.kind === 'emails') continue;
    const digits = value.written.replace(/\D/g, '');
    const keys = Array.from(digits, (_, at) => digits.slice(at, at + minGroup));
    for (const key of new Set(keys))
      numbers
        .set(key, numbers.get(key) ?? [])
        .get(key)!
        .push({ value, digits });
  }
  if (numbers.size === 0) return;
  const known = new Map<string, Value | undefined>();
  for (const { index: start, 0: group } of text.matchAll(/(?<![\p{L}\p{N}_])\d{3,}(?!\p{L})/gu)) {
    if (!known.has(group)) {
      const like = numbers.get(group.slice(0, minGroup)) ?? [];
      const number = like.find(({ digits }) => digits.length > group.length && digits.includes(group));
      known.set(group, number?.value);
    }
    const value = known.get(group);
    if (value) yield { value, start, end: start + group.length };
  }
}

/** Leaves out what begins within a placeholder: in “Dear Person_1”, “Person” is no name. */
function outsidePlaceholders(text: string, entities: readonly Entity[]): Entity[] {
  const starts = new Set([...text.matchAll(placeholders())].map(({ index }) => index));
  return entities.filter(({ start }) => !starts.has(start));
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
