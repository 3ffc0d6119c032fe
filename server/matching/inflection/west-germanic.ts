import {
  compounding,
  type Inflection,
  interchangeable,
  paradigm,
  type Stem,
  stemsBy,
  type WordContext,
} from './paradigm.ts';

/**
 * Returns the stem with an umlaut on its last vowel: Vertrag, Verträge; Haus, Häuser. The vowel of a final -er, -el or
 * -en is not counted: Mutter, Mütter.
 */
function umlaut(stem: string): string[] {
  const changed = stem.replace(
    /(au|a|o|(?<![ae])u)([^aeiouyäöü]*(?:e[lnr])?)$/,
    (_, vowel: string, rest: string) => umlauts[vowel]! + rest,
  );
  return changed === stem ? [] : [changed];
}

const umlauts: Record<string, string> = { au: 'äu', a: 'ä', o: 'ö', u: 'ü' };

/**
 * Returns the stem as it is before the plural ending -er. If its vowel can have an umlaut, it has one. Otherwise only
 * short words have this plural: Bild, Feld.
 */
function beforeEr(stem: string): string[] {
  const changed = umlaut(stem);
  if (changed.length > 0) return changed;
  return /^[^aeiouyäöü]*(?:ei|ie|e|i)[^aeiouyäöü]+$/.test(stem) ? [stem] : [];
}

const nouns = [
  paradigm(/$/, '- s es e en n ns ens'),
  paradigm(/(?<!e[lnr])$/, 'e en', { stems: umlaut }),
  paradigm(/(?<=e[lnr])$/, '- n s', { stems: umlaut }),
  paradigm(/$/, 'er ern', { stems: beforeEr }),
  paradigm(/(?<=nis)$/, 'se ses sen'),
  paradigm(/(?<=[a-zäöü]{3}in)$/, 'nen'),
  paradigm(/(?:um|us|on|o|a)$/, 'en a i', { minLetters: 3 }),
];

const adjectives = [
  paradigm(/$/, '- e er es en em', { minLetters: 3 }),
  paradigm(/(?:e|er|es|en|em)$/, '- e er es en em', { minLetters: 3, inPhrase: true }),
];

/** Matches adjectives. Labels of user interfaces are often stored in glossaries with a capital: Gültig. */
const adjective = /(?:ig|lich|isch|bar|sam|los|haft)$/;

const verbEndings = 'en e st t est et te test ten tet ete etest eten etet end ende enden ender endes endem';
const participleEndings = 't te ten ter tes tem et ete eten eter etes etem';
const separable =
  /^(ab|an|auf|aus|bei|ein|fest|frei|her|hin|mit|nach|vor|weg|weiter|zu|zurück|zusammen)(?=.{3})/;

const verbs = [
  paradigm(/en$/, verbEndings),
  paradigm(/(?<=e[lr])n$/, 'n e st t te test ten tet nd nde nden nder ndes'),
  paradigm(/e?n$/, participleEndings, {
    stems: (stem) => (separable.test(stem) ? [stem.replace(separable, '$1ge')] : [`ge${stem}`]),
  }),
  paradigm(/(?=e?n$)/, 'en n', {
    stems: (stem) => (separable.test(stem) ? [stem.replace(separable, '$1zu')] : []),
  }),
];

const nounStems = stemsBy(nouns);
const adjectiveStems = stemsBy(adjectives);
const otherStems = stemsBy([...nouns, ...adjectives, ...verbs]);
const articleForms = interchangeable(
  'der die das des dem den',
  'ein eine einer eines einem einen',
  'am an',
  'im in',
  'zum zur zu',
  'vom von',
  'beim bei',
);
const articles = stemsBy([], articleForms);

function stems(word: string, context: WordContext): Stem[] {
  if (Object.hasOwn(articleForms, word)) return articles(word, context);
  const isNoun = context.capitalized && context.last && !adjective.test(word);
  const own = isNoun
    ? nounStems(word, context)
    : context.capitalized
      ? [...nounStems(word, context), ...adjectiveStems(word, context)]
      : otherStems(word, context);
  const all = context.capitalized ? [...own, ...compounds(word, own, context)] : own;
  return all.flatMap((stem) =>
    stem.stem.includes('ß') ? [stem, { ...stem, stem: stem.stem.replaceAll('ß', 'ss') }] : [stem],
  );
}

/**
 * Finds the compounds of a word. Berechnung, Abrechnung and Verrechnung are not compounds of Rechnung, because they
 * start with prefixes.
 */
const compounds = compounding({
  prefixes:
    'kont inter anti miss ver zer ent emp erz unter über durch wider wieder hinter um auf aus ein vor nach mit zu bei an ab ur un ge be er hoch her hin gegen fort',
  links: 'e?s|e?ns?|er|e',
  dropped: 'e',
});

export const german: Inflection = { stems, isNoun: (word) => !adjective.test(word) };

/**
 * Returns the spellings that a stem can have before a vowel: prijs, prijzen; brief, brieven; naam, namen; pop, poppen.
 */
function beforeVowel(stem: string): string[] {
  const long = stem.replace(
    /(aa|ee|oo|uu)([^aeiouyj])$/,
    (_, vowel: string, last: string) => vowel[0]! + last,
  );
  const voiced = [stem, long].map((spelled) =>
    spelled.replace(/(?<=[aeiouyjlrmn])([sf])$/, (last) => (last === 's' ? 'z' : 'v')),
  );
  const short = /[^aeiou][aeiou][^aeiouwxyj]$/.test(stem) ? [stem + stem.at(-1)] : [];
  return [...new Set([stem, long, ...voiced, ...short])];
}

/**
 * Returns the spellings that a verb's stem can have before a consonant or at the end: leven, leef; betalen, betaal;
 * zetten, zet.
 */
function beforeConsonant(stem: string): string[] {
  const hard = stem.replace(/[zv]$/, (last) => (last === 'z' ? 's' : 'f'));
  const single = hard.replace(/([^aeiou])\1$/, '$1');
  const long = hard.replace(/(?<![aeiou])([aeou])([^aeiouxyj])$/, '$1$1$2');
  return [...new Set([single, long])];
}

const words = [
  paradigm(/$/, '- s es'),
  paradigm(/$/, 'e en es', { stems: beforeVowel }),
  paradigm(/(?<=[^aeiou])$/, 'je jes tje tjes pje pjes'),
  paradigm(/e$/, 'e en s n'),
  paradigm(/(?<=he)id$/, 'den'),
  paradigm(/heid$/, 'heden'),
];

const dutchVerbs = [
  paradigm(/en$/, 'en end ende enden'),
  paradigm(/en$/, '- t d de te den ten', { stems: beforeConsonant }),
  paradigm(/en$/, 'd t de te den ten', {
    stems: (stem) => beforeConsonant(stem).map((changed) => `ge${changed}`),
  }),
  paradigm(/en$/, '- t d de te en', {
    stems: (stem) =>
      dutchSeparable.test(stem)
        ? beforeConsonant(stem).flatMap((changed) => [
            changed.replace(dutchSeparable, '$1ge'),
            changed.replace(dutchSeparable, '$1te'),
          ])
        : [],
  }),
];

const dutchSeparable = /^(aan|af|bij|door|in|mee|na|om|op|over|terug|toe|uit|vast|voor|weg)(?=.{3})/;

const plain = stemsBy([...words, ...dutchVerbs], interchangeable('de het', 'een ene'));

const dutchCompounds = compounding({
  prefixes:
    'cont inter anti be ge er her ont ver aan af bij door in mee na om onder op over te tegen toe uit voor weg mis on der',
  links: 's|en|e|er',
});

function dutchStems(word: string, context: WordContext): Stem[] {
  const own = plain(word, context);
  return [...own, ...dutchCompounds(word, own, context)];
}

export const dutch: Inflection = { stems: dutchStems };

/** Returns the stem with a doubled last consonant, if it follows one short vowel: "submit", "submitted". */
function doubled(stem: string): string[] {
  return /[^aeiou][aeiou][bdgklmnprt]$/.test(stem) ? [stem + stem.at(-1)] : [];
}

export const english: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '- s'),
      paradigm(/(?<=[sxzo]|ch|sh)$/, 'es'),
      paradigm(/(?<=[^aeiou])y$/, 'ies ied ying'),
      paradigm(/e$/, 'ed ing'),
      paradigm(/(?<=[^e])$/, 'ed ing', { minLetters: 3 }),
      paradigm(/$/, 'ed ing', { stems: doubled }),
      paradigm(/fe?$/, 'ves'),
      paradigm(/(?<=[a-z]{3})is$/, 'es'),
      paradigm(/us$/, 'i', { minLetters: 4 }),
      paradigm(/um$/, 'a', { minLetters: 3 }),
      paradigm(/(?<=ri|men)on$/, 'a'),
      paradigm(/[ei]x$/, 'ices', { minLetters: 3 }),
      paradigm(/man$/, 'men', { minLetters: 0 }),
    ],
    {
      child: 'children',
      person: 'people',
      foot: 'feet',
      tooth: 'teeth',
      goose: 'geese',
      mouse: 'mice',
      pay: 'paid',
      buy: 'bought',
      sell: 'sold',
      hold: 'held',
      send: 'sent',
      write: 'wrote written',
      withdraw: 'withdrew withdrawn',
    },
  ),
};
