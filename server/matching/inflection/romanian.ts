import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem with a softened last consonant, as before i: client, clienți. The vowel before i and e may also
 * change: plată, plăți; școală, școli; seară, seri; piață, piețe.
 */
function softened(stem: string): string[] {
  const last = stem.replace(/st$/, 'șt').replace(/t$/, 'ț').replace(/d$/, 'z').replace(/s$/, 'ș');
  return [...new Set([stem, last, ...[stem, last].flatMap(changedVowels)])];
}

function changedVowels(stem: string): string[] {
  return [
    stem.replace(/oa(?=[^aeiouăâî]+$)/, 'o'),
    stem.replace(/ea(?=[^aeiouăâî]+$)/, 'e'),
    stem.replace(/a(?=[^aeiouăâî]+$)/, 'ă'),
    stem.replace(/ia(?=[^aeiouăâî]+$)/, 'ie'),
  ];
}

export const romanian: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '-'),
      paradigm(/(?<=[^aeiouăâî])$/, 'ul ului e ele elor uri urile urilor ule lor le'),
      paradigm(/(?<=[^aeiouăâî])$/, 'i ii ilor', { stems: softened }),
      paradigm(/(?<=[^aeiouăâî])$/, 'ă a e ei', { inPhrase: true, minLetters: 3 }),
      paradigm(/ă$/, 'a'),
      paradigm(/ă$/, 'e ei ele elor i ii ile ilor uri urile urilor', { stems: softened }),
      paradigm(/e$/, 'ea i ii ile ilor ei ele elor', { stems: softened }),
      paradigm(/u$/, 'ul ului i ii ile ilor uri urile urilor e ele elor l lui'),
      paradigm(/(?<=i)e$/, 'a i ei ile ilor'),
      paradigm(/a$/, 'aua ale alele alelor ele e ă ează at ată ate ați ând au'),
      paradigm(/i$/, 'ul ului i ii ilor ește it ită ite iți ind esc'),
    ],
    interchangeable('al a ai ale', 'un o unui unei', 'cel cea cei cele'),
  ),
};
