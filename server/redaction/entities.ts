import { RE2JS } from 're2js';
import { findAddresses, findBirthDates } from './addresses.ts';
import { findNames } from './names.ts';
import { findNationalNumbers } from './national-numbers.ts';
import { type Entity, findCards, findEmails, findIbans, findPhones } from './numbers.ts';
import { type ReadableText, readText } from './readable-text.ts';
import type { RedactedKind, RedactionRules } from './rules.ts';

/** Texts that follow each other: lines, of which one can explain the next, or parts of one line, such as the text nodes of a page. */
export interface Passage {
  texts: readonly string[];
  isLine?: true;
}

/** Texts in which personal data is searched. Plain data, which can be passed to a thread. */
export interface SearchedTexts {
  passages: readonly Passage[];
  rules: RedactionRules;
}

/** The personal data of a passage, by text. */
export type FoundTexts = Map<string, Entity[]>;

/** Of two kinds that are found at one place, the first counts. */
const finders: [RedactedKind, (text: string) => Generator<Entity>][] = [
  ['emails', findEmails],
  ['national_numbers', findNationalNumbers],
  ['accounts', findIbans],
  ['accounts', findCards],
  ['birth_dates', findBirthDates],
  ['phones', findPhones],
  ['addresses', findAddresses],
  ['names', findNames],
];

/** Finds the personal data of each passage. Takes time in proportion to their length. */
export function findPersonalData({ passages, rules }: SearchedTexts): FoundTexts[] {
  const own =
    rules.patterns.length > 0
      ? RE2JS.compile(rules.patterns.map((pattern) => `(?:${pattern})`).join('|'))
      : null;
  return passages.map(({ texts, isLine }) => {
    const readable = texts.map((text) => readText(text));
    const whole = readable.map(({ text }) => text).join(isLine ? ' ' : '\n');
    const entities = [...findAll(whole, rules), ...(own ? findOwn(whole, own) : [])];
    return share(entities, texts, readable);
  });
}

function* findAll(text: string, { kinds }: RedactionRules): Generator<Entity> {
  for (const [kind, find] of finders) if (kinds.some((one) => one === kind)) yield* find(text);
}

/** Yields the matches of the workspace's own patterns. */
function* findOwn(text: string, pattern: RE2JS): Generator<Entity> {
  const matcher = pattern.matcher(text);
  while (matcher.find())
    if (matcher.end() > matcher.start())
      yield { kind: 'patterns', start: matcher.start(), end: matcher.end() };
}

/** Gives each text what was found in it, with offsets in this text. */
function share(entities: Entity[], texts: readonly string[], readable: readonly ReadableText[]): FoundTexts {
  const found: FoundTexts = new Map();
  entities.sort((a, b) => a.start - b.start);
  const open = entities.values();
  let next = open.next();
  let rest: Entity[] = [];
  let offset = 0;
  for (const [index, original] of texts.entries()) {
    const { length } = readable[index]!.text;
    const end = offset + length;
    const own = rest;
    for (; !next.done && next.value.start < end; next = open.next()) own.push(next.value);
    const places = own.map((one) => ({
      ...one,
      start: Math.max(0, one.start - offset),
      end: Math.min(length, one.end - offset),
    }));
    found.set(original, [...(found.get(original) ?? []), ...places.filter((one) => one.start < one.end)]);
    rest = own.filter((one) => one.end > end + 1);
    offset = end + 1;
  }
  return found;
}
