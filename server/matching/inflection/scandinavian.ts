import {
  compounding,
  type Inflection,
  type Paradigm,
  paradigm,
  type Stem,
  stemsBy,
  type WordContext,
} from './paradigm.ts';

/** Returns a function that changes the last vowel of a stem, as some plurals do: hand, händer. */
function umlautBy(vowels: Readonly<Record<string, string>>): (stem: string) => string[] {
  return (stem) => {
    const changed = stem.replace(
      /([aoå])([^aeiouyåäöæø]+)$/,
      (_, vowel: string, rest: string) => (vowels[vowel] ?? vowel) + rest,
    );
    return changed === stem ? [] : [changed, doubled(changed), changed.replace(/(?<!c)k$/, 'ck')];
  };
}

function doubled(stem: string): string {
  return /[^aeiouyåäöæø][aeiouyåäöæø][^aeiouyåäöæø]$/.test(stem) ? stem + stem.at(-1) : stem;
}

/** Returns the stem without the e of its last syllable: nyckel, nycklar; nummer, numret. */
function withoutE(stem: string): string[] {
  const short = stem.replace(/(.)\1e([lnr])$/, '$1$2');
  const plain = stem.replace(/e([lnr])$/, '$1');
  return plain === stem ? [] : [...new Set([plain, short])];
}

function inflectionBy(paradigms: Paradigm[], prefixes: string, links: string): Inflection {
  const plain = stemsBy(paradigms);
  const compounds = compounding({ prefixes, links, dropped: 'a' });
  return {
    stems: (word: string, context: WordContext): Stem[] => {
      const own = plain(word, context);
      return [...own, ...compounds(word, own, context)];
    },
  };
}

const consonant = /(?<=[^aeiouyåäöæø])$/;
const vowel = /(?<=[aeiouyåäöæøé])$/;

export const swedish = inflectionBy(
  [
    paradigm(/$/, '- s'),
    paradigm(consonant, 'en ens et ets ar ars arna arnas er ers erna ernas n ns na nas'),
    paradigm(consonant, 'en ens et ar arna er erna', { stems: (stem) => [doubled(stem)] }),
    paradigm(consonant, 'er ers erna ernas', { stems: umlautBy({ a: 'ä', o: 'ö', å: 'ä' }) }),
    paradigm(/$/, 'ar ars arna arnas et ets en ens er erna na', { stems: withoutE }),
    paradigm(vowel, 'n ns t ts r rs rna rnas na nas'),
    paradigm(/a$/, 'or ors orna ornas'),
    paradigm(/a$/, 'ar ade at as ades ats ad ande er te de t s'),
    paradigm(/e$/, 'en ens ar ars arna arnas'),
    paradigm(/are$/, 'arna arnas'),
    paradigm(/(?<=ig|isk|bar|sam|full|lös|ad|en)$/, 't a e', { minLetters: 4 }),
    paradigm(/$/, 't a e', { inPhrase: true, minLetters: 3 }),
  ],
  'kont inter anti be för an av bi er in ingen miss o på sam till um und upp ut över under mot fram ned ner om åter',
  's|e|o|u|a',
);

const danishEndings = 'en ens et ets er ers erne ernes ene enes e es';
const verbEndings = 'er ede te t et ende es edes tes';

export const danish = inflectionBy(
  [
    paradigm(/$/, '- s'),
    paradigm(consonant, danishEndings),
    paradigm(consonant, 'en ens et ets er erne ene e', { stems: (stem) => [doubled(stem)] }),
    paradigm(consonant, 'er ers erne ernes', { stems: umlautBy({ a: 'æ', o: 'ø', å: 'æ' }) }),
    paradigm(/$/, 'er erne en et e ene', { stems: withoutE }),
    paradigm(/(?<=er)$/, 'ne nes'),
    paradigm(/(?<=e)$/, 'r rs rne rnes'),
    paradigm(vowel, 'n ns t ts en ens er ers erne ernes et ets ne'),
    paradigm(/e$/, verbEndings, { minLetters: 3 }),
    paradigm(/$/, 't e', { inPhrase: true, minLetters: 3 }),
  ],
  'kont inter anti be er for an af bi efter frem ind med mis ned om op over på sam til ud und under u gen',
  's|e|er',
);

export const norwegian = inflectionBy(
  [
    paradigm(/$/, '- s'),
    paradigm(consonant, `${danishEndings} a as`),
    paradigm(consonant, 'en ens et ets er ene a e', { stems: (stem) => [doubled(stem)] }),
    paradigm(consonant, 'er ers ene enes', { stems: umlautBy({ a: 'e', o: 'ø', å: 'e' }) }),
    paradigm(/$/, 'er ene en et e a', { stems: withoutE }),
    paradigm(/(?<=er)$/, 'ne nes'),
    paradigm(/(?<=e)$/, 'r rs'),
    paradigm(vowel, 'n ns ne nes t ts a en ens er ers ene enes et ets'),
    paradigm(/e$/, `${verbEndings} a ene enes en ens`, { minLetters: 3 }),
    paradigm(/$/, 't e', { inPhrase: true, minLetters: 3 }),
  ],
  'kont inter anti be er for an av bi etter fram inn med mis ned om opp over på sam til ut und under u gjen',
  's|e|er',
);
