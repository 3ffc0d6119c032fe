import type { Entity } from './numbers.ts';

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
  String.raw`(?<![\p{L}])(?:Calle|C\/|Avenida|Avda?\.|Plaza|Pza\.|Paseo|Carrer|Ronda|Camino|Via|Viale|V\.le|Piazza|Corso|Largo|Vicolo|Strada|Rua|R\.|Travessa|Praça|Alameda|Estrada|ул\.|улица|проспект|пр-т|пр\.|переулок|пер\.|наб\.|набережная|бульвар|б-р|площадь|вул\.|ul\.|ulica|al\.|aleja|Strada|Bulevardul|Str\.) ?[\p{L}\d'.-]{1,30}(?: [\p{L}'.-]{1,30}){0,4},? ?(?:n\.? ?[º°o]\.? ?|nº ?|núm\. ?|д\. ?|дом |№ ?)?\d{1,5}(?: ?[a-zA-Zа-я](?!\p{L}))?`,
  // Невский проспект, 28
  String.raw`\p{Lu}[\p{L}-]{1,30}(?: \p{Lu}[\p{L}-]{1,30})? (?:проспект|пр-т|улица|переулок|бульвар|шоссе|набережная|площадь),? (?:д\. ?|дом )?\d{1,4}`,
];

const street = new RegExp(`(?<![\\p{L}\\d])(?:${streets.join('|')})`, 'gu');

/** The parts that can follow a street: a flat, a postal code and place, or the reverse. */
const tails = [
  String.raw`,? ?\n? ?(?:Apt|Apartment|Unit|Suite|Flat|Wohnung|Whg|кв|корп|стр|apto|piso|int|scala|bus)\.? ?[\p{L}\d]{1,4}(?!\p{L})`,
  String.raw`,? ?(?:- ?)?\n? ?(?:[A-Z]{1,3}-)?(?:\d{5}-\d{3}|\d{5}|\d{4} ?[A-Z]{2}|\d{4}-\d{3}|\d{4}|\d\d-\d{3}|\d{3} \d\d|\d{6}),? \p{Lu}[\p{L}'-]{1,30}(?:[ -]\p{Lu}[\p{L}'-]{1,30}){0,2}`,
  String.raw`(?:, |,?\n ?)\p{Lu}[\p{L}'.-]{1,30}(?: \p{Lu}[\p{L}'.-]{1,30}){0,2},? (?:[A-Z]{2} \d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|(?:[A-Z]{2} )?[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{6})(?![\p{L}\d])`,
].map((tail) => new RegExp(tail, 'uy'));

/** A British postal code identifies some houses. */
const ukPostcode = /(?<![\p{L}\d])[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![\p{L}\d])/gu;

/** Yields streets with their numbers, and the places that follow them. */
export function* findAddresses(text: string): Generator<Entity> {
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
export function* findBirthDates(text: string): Generator<Entity> {
  for (const { indices } of text.matchAll(born)) {
    const [start, end] = indices!.groups!['date']!;
    yield { kind: 'birth_dates', start, end };
  }
}
