import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

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
