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

const verbs = [
  paradigm(/en$/, 'en end ende enden'),
  paradigm(/en$/, '- t d de te den ten', { stems: beforeConsonant }),
  paradigm(/en$/, 'd t de te den ten', {
    stems: (stem) => beforeConsonant(stem).map((changed) => `ge${changed}`),
  }),
  paradigm(/en$/, '- t d de te en', {
    stems: (stem) =>
      separable.test(stem)
        ? beforeConsonant(stem).flatMap((changed) => [
            changed.replace(separable, '$1ge'),
            changed.replace(separable, '$1te'),
          ])
        : [],
  }),
];

const separable = /^(aan|af|bij|door|in|mee|na|om|op|over|terug|toe|uit|vast|voor|weg)(?=.{3})/;

const plain = stemsBy([...words, ...verbs], interchangeable('de het', 'een ene'));

const compounds = compounding({
  prefixes:
    'cont inter anti be ge er her ont ver aan af bij door in mee na om onder op over te tegen toe uit voor weg mis on der',
  links: 's|en|e|er',
});

function stems(word: string, context: WordContext): Stem[] {
  const own = plain(word, context);
  return [...own, ...compounds(word, own, context)];
}

export const dutch: Inflection = { stems };
