import { isCommonWord } from './common-words.ts';
import { joinLines } from './joined-text.ts';
import { findLabelledNames } from './labelled-names.ts';
import { findNames, nameOver } from './names.ts';
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
  ['names', findLabelledNames],
];

/**
 * Finds the personal data of each passage. Takes time in proportion to their length.
 * @param findOwn yields the matches of the workspace's own patterns, which only a thread may run
 */
export function findPersonalData(
  { passages, rules }: SearchedTexts,
  findOwn?: (text: string) => Iterable<Entity>,
): FoundTexts[] {
  return passages.map(({ texts, isLine }) => {
    const readable = texts.map((text) => readText(text));
    const whole = readable.map(({ text }) => text).join(isLine ? ' ' : '\n');
    const ends: number[] = [];
    for (const { text } of readable) ends.push((ends.at(-1) ?? -1) + text.length + 1);
    const find = (text: string) => [...findAll(text, rules), ...(findOwn?.(text) ?? [])];
    return share([...find(whole), ...findOverLines(whole, new Set(ends), find)], texts, readable);
  });
}

function* findAll(text: string, { kinds }: RedactionRules): Generator<Entity> {
  for (const [kind, find] of finders) if (kinds.some((one) => one === kind)) yield* find(text);
}

/** The UTF-16 units before a number that can show that it is a phone. */
const maxEvidence = 40;

/** Kinds that can continue in the next text of a passage, such as the next subtitle, because check digits or their form show it. */
const overTexts: readonly RedactedKind[] = ['accounts', 'names', 'emails', 'patterns'];

/**
 * Yields what is found if the lines are joined.
 * @param ends the places of the line breaks between two texts
 */
function* findOverLines(
  whole: string,
  ends: ReadonlySet<number>,
  find: (text: string) => Entity[],
): Generator<Entity> {
  const joined = joinLines(whole);
  if (!joined) return;
  const { text, places, breaks } = joined;
  const found = find(text).sort((a, b) => a.start - b.start);
  let next = 0;
  for (const entity of found) {
    const { kind, start } = entity;
    while (next < breaks.length && breaks[next]! < start) next++;
    const over: number[] = [];
    for (let at = next; over.length < 3 && breaks[at]! < entity.end; at++) over.push(breaks[at]!);
    const isOver = whole.slice(places[start], places[entity.end - 1]).includes('\n');
    const end = endOver(text, entity, { over, isOver, before: breaks[next - 1] ?? -maxEvidence });
    const isApart = over.some((place) => ends.has(places[place]!));
    if (end === null || (isApart && !overTexts.includes(kind) && text[start] !== '+')) continue;
    yield { ...entity, start: places[start]!, end: places[end - 1]! + 1 };
  }
}

/** The line breaks of an entity. */
interface Breaks {
  /** Those for which there are spaces in it. */
  over: readonly number[];
  /** Whether it has any, also one behind a hyphen: “123-\n4567”. */
  isOver: boolean;
  /** The last one before it. */
  before: number;
}

/** Returns the end of an entity with line breaks in it; null if each line has its own. */
function endOver(text: string, entity: Entity, { over, isOver, before }: Breaks): number | null {
  const { kind, start, end } = entity;
  const isFirst = before === start - 1;
  const [first] = over;
  if (kind === 'names') {
    if (first !== undefined) return nameOver(text, entity, first);
    return isFirst && isCommonWord(/^\p{L}*/u.exec(text.slice(start, end))![0]) ? null : end;
  }
  if (kind === 'patterns') return end;
  // “call” in the line before is about no number behind other words.
  if (kind === 'phones' && !isOver && !isFirst && before > start - maxEvidence) return null;
  // The number of a house in the next line does not belong to a phone.
  if (kind === 'phones' && /^ \p{Lu}\p{Ll}/u.test(text.slice(end, end + 3))) return null;
  return over.length < 3 ? end : null;
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

/** Streets with their house number, by the way in which languages write them. All quantifiers are bounded. */
const streets = [
  // Hauptstraße 5, Keizersgracht 12 a
  String.raw`(?:\p{Lu}[\p{L}.-]{1,30} )?\p{Lu}[\p{L}.-]{0,30}(?:stra(?:ß|ss)e|str\.|-Stra(?:ß|ss)e|-Str\.|-(?:Weg|Platz|Allee|Ring|Ufer|Damm)|weg|platz|allee|gasse|ring|damm|ufer|chaussee|laan|straat|plein|gracht|kade|singel|dijk|steeg|gatan|vägen|vej|gade|veien|gata|katu) ?\d{1,4}(?: ?[a-zA-Z](?!\p{L}))?(?:[-/]\d{1,4})?`,
  // Alte Straße 5, Prins Hendrik Laan 3
  String.raw`\p{Lu}[\p{L}.-]{1,30}(?: \p{Lu}[\p{L}.-]{1,30}){0,2} (?:Stra(?:ß|ss)e|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer|Chaussee|Markt|Laan|Straat|Plein) \d{1,4}(?: ?[a-zA-Z](?!\p{L}))?`,
  // Am Markt 3, 12345 Dorf
  String.raw`(?:Am|An der|An den|Im|In der|Zum|Zur|Auf dem|Auf der|Unter den|Hinter der) \p{Lu}[\p{L}-]{1,30} \d{1,4}[a-z]?(?=,? ?\n? ?(?:D-)?\d{5} \p{Lu})`,
  // 12 Long Meadow Road
  String.raw`\d{1,5}[A-Za-z]?,? \p{Lu}[\p{L}'.]{1,30}(?: \p{Lu}[\p{L}'.]{1,30}){0,3} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way|Place|Pl|Square|Sq|Terrace|Close|Crescent|Gardens|Grove|Hill|Row|Mews|Parkway|Highway)(?!\p{L})\.?`,
  // 12 bis, rue de la Paix
  String.raw`\d{1,4}(?: ?(?:bis|ter|[A-Z]))?,? (?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d|[Pp]lace|[Cc]hemin|[Ii]mpasse|[Aa]llées?|[Qq]uai|[Cc]ours|[Rr]oute|[Ss]quare|[Pp]assage|[Ff]aubourg)(?: (?:de|du|des|la|le|les|aux?)){0,3} (?:[dl]')?\p{L}[\p{L}'-]{1,30}(?: (?:de|du|des|la|le) \p{Lu}[\p{L}'-]{1,30}| \p{Lu}[\p{L}'-]{1,30}){0,3}`,
  // Calle de Alcalá, 12; Via Roma 5; Rua das Flores, n.º 3; ул. Ленина, д. 7
  String.raw`(?<![\p{L}])(?:Calle|C\/(?= ?\p{L})|Avenida|Avda?\.|Plaza|Pza\.|Paseo|Carrer|Ronda|Camino|Via|Viale|V\.le|Piazza|Corso|Largo|Vicolo|Strada|Rua|R\.|Travessa|Praça|Alameda|Estrada|ул\.|улица|проспект|пр-т|пр\.|переулок|пер\.|наб\.|набережная|бульвар|б-р|площадь|вул\.|ul\.|ulica|al\.|aleja|Strada|Bulevardul|Str\.) ?[\p{L}\d'.-]{1,30}(?: [\p{L}'.-]{1,30}){0,4},? ?(?:n\.? ?[º°o]\.? ?|nº ?|núm\. ?|д\. ?|дом |№ ?)?\d{1,5}(?: ?[a-zA-Zа-я](?!\p{L}))?`,
  // Невский проспект, 28
  String.raw`\p{Lu}[\p{L}-]{1,30}(?: \p{Lu}[\p{L}-]{1,30})? (?:проспект|пр-т|улица|переулок|бульвар|шоссе|набережная|площадь),? (?:д\. ?|дом )?\d{1,4}`,
];

const street = new RegExp(`(?<![\\p{L}\\d]|\\d[.,])(?:${streets.join('|')})`, 'gu');

/** The parts that can follow a street: a flat, a postal code and place, or the reverse. */
const tails = [
  String.raw`,? ?\n? ?(?:Apt|Apartment|Unit|Suite|Flat|Wohnung|Whg|кв|корп|стр|apto|piso|int|scala|bus)\.? ?[\p{L}\d]{1,4}(?!\p{L})`,
  String.raw`,? ?(?:- ?)?\n? ?(?:[A-Z]{1,3}-)?(?:\d{5}-\d{3}|\d{5}|\d{4} ?[A-Z]{2}|\d{4}-\d{3}|\d{4}|\d\d-\d{3}|\d{3} \d\d|\d{6}),? \p{Lu}[\p{L}'-]{1,30}(?:[ -]\p{Lu}[\p{L}'-]{1,30}){0,2}`,
  String.raw`(?:, |,?\n ?)\p{Lu}[\p{L}'.-]{1,30}(?: \p{Lu}[\p{L}'.-]{1,30}){0,2},? (?:[A-Z]{2} \d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|(?:[A-Z]{2} )?[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{6})(?![\p{L}\d])`,
].map((tail) => new RegExp(tail, 'uy'));

/** A British postal code identifies some houses. */
const ukPostcode = /(?<![\p{L}\d])[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![\p{L}\d])/gu;

/** Yields streets with their numbers, and the places that follow them. */
function* findAddresses(text: string): Generator<Entity> {
  for (const { index: start, 0: written } of text.matchAll(street)) {
    let end = start + written.length;
    for (const tail of tails) {
      tail.lastIndex = end;
      if (tail.test(text)) end = tail.lastIndex;
    }
    yield { kind: 'addresses', start, end };
  }
  for (const { index: start, 0: written } of text.matchAll(ukPostcode))
    yield { kind: 'addresses', start, end: start + written.length };
}

const bornWords = [
  ...[
    'born',
    'date of birth',
    'birth ?date',
    'd\\.?o\\.?b\\.?',
    'birthday',
    'geboren',
    'geb\\.',
    'geburtsdatum',
    'geburtstag',
  ],
  ...[
    'née?',
    'date de naissance',
    'naissance',
    'nacid[oa]',
    'nació',
    'fecha de nacimiento',
    'nat[oa]',
    'data di nascita',
  ],
  ...[
    'nascid[oa]',
    'nasceu',
    'data de nascimento',
    'geboortedatum',
    'geb',
    'родил(?:ся|ась)',
    'дата рождения',
    'р\\.',
  ],
  ...[
    'urodz(?:ony|ona|\\.)',
    'data urodzenia',
    'ur\\.',
    'narozena?',
    'datum narození',
    'született',
    'născută?',
    'doğum tarihi',
  ],
  ...[
    'född',
    'født',
    'fødselsdato',
    'syntynyt',
    'γεννήθηκε',
    'народив(?:ся|лася)',
    'дата народження',
    'lahir',
    'sinh ngày',
  ],
];

const date = String.raw`\d{1,4}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}(?:st|nd|rd|th|er|º|\.)? (?:of |de |d')?\p{L}{3,12}\.?(?:,| de| del)? \d{4}|\p{L}{3,12} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4} ?年 ?\d{1,2} ?月 ?\d{1,2} ?日`;

const born = new RegExp(
  `(?:(?<!\\p{L})(?:${bornWords.join('|')})(?!\\p{L})|生年月日|出生|생년월일|تاريخ الميلاد|जन्म|\\*)[^\\d\\n]{0,30}?(?<date>${date})(?!\\d)`,
  'giud',
);

/** Yields dates behind words such as “born” and “date of birth”. */
function* findBirthDates(text: string): Generator<Entity> {
  for (const { indices } of text.matchAll(born)) {
    const [start, end] = indices!.groups!['date']!;
    yield { kind: 'birth_dates', start, end };
  }
}
