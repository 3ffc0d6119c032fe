import { compounding, type Inflection, paradigm, type Stem, stemsBy, type WordContext } from './paradigm.ts';

/** The case endings. -val and -vel start with the consonant before them: bankkal. */
const cases =
  'n[ae]k|(?:v|[bcdfghjklmnprstzgy]{1,2})[ae]l|r[ae]|b[ae]n?|b[óő]l|r[óő]l|t[óő]l|h[oeö]z|n[áé]l|ig|ért|ként|v[áé]|kor';

/**
 * Returns the pattern of plural, possessive and case endings. After a consonant, most of them start with a linking
 * vowel.
 */
function endings(link: string): RegExp {
  const plural = `(?:${link}k)?`;
  const owned = 'j?[aeáé]i(?:m|d|nk|tok|tek|k)?';
  const possessive = `(?:${link}[md]|j?[aeáé]|[uü]nk|j?[uü]k|[aáo]tok|[eé]tek|ötök|${owned}|nk)?`;
  return new RegExp(`^${plural}${possessive}é?(?:[aeoöáé]?t|[oeöaáé]n|${link}n|[aáeé]?(?:${cases}))?$`, 'u');
}

const afterVowel = endings('[aáeéoöő]?');
const afterConsonant = endings('[aáeéoöő]');

/**
 * Returns the stem without the vowel of its last syllable, as before an ending: étterem, éttermek; forgalom, forgalmat.
 * A final a or e becomes long instead (számla, számlák); the paradigms contain these forms.
 */
function changed(stem: string): string[] {
  const dropped = stem.length > 4 ? stem.replace(/[oeöa](?=[lmnrkz]$)/u, '') : stem;
  return dropped === stem ? [] : [dropped];
}

/** Returns the stem with a short vowel in its last syllable: név, nevek. */
function shortened(stem: string): string[] {
  const short = stem.replace(/([éáíúű])(?=[^aeiouöüáéíóőúű]+$)/u, (vowel) => shortVowels[vowel]!);
  return stem.length <= 5 && short !== stem ? [short] : [];
}

const shortVowels: Record<string, string> = { é: 'e', á: 'a', í: 'i', ú: 'u', ű: 'ü' };

const verbEndings =
  '- ok ek ök om em öm sz ol el öl od ed öd i ja nak nek unk ünk juk jük tok tek tök játok itek ják ik t tak tek tött ott ett ta te tam tem tad ted tuk tük ták ték nia nie ó ő ás és va ve hat het na ne';

const vowel = /(?<=[iouöüáéíóőúű])$/;
const consonant = /(?<=[^aeiouöüáéíóőúű])$/;

const plain = stemsBy([
  paradigm(/$/, '- i s kor ként'),
  paradigm(vowel, afterVowel),
  paradigm(consonant, afterConsonant),
  paradigm(consonant, afterConsonant, { stems: changed }),
  paradigm(consonant, afterConsonant, { stems: shortened }),
  paradigm(/a$/, afterVowel, { stems: (stem) => [`${stem}á`] }),
  paradigm(/e$/, afterVowel, { stems: (stem) => [`${stem}é`] }),
  paradigm(/(?<=[^aeiouöüáéíóőúű])ni$/, verbEndings, { minLetters: 3 }),
]);

const compounds = compounding({
  prefixes:
    'meg el ki be fel le át vissza össze elő hozzá alá rá ide oda szét túl újra újjá nem végig együtt tovább bele keresztül félre',
  links: '-',
  derived:
    /^(?:[aáeéo]?s(?:[áé]g|ít|od|ed|z)|[aáeéoö]?t?[lt]an|[aáeéo]?t?[lt]en|[aáeéoí]?[lzt](?:ás|és|ó|ő|ni|ható|hető)|osít|ist[aá]|ikus|izál|izmus)/u,
});

export const hungarian: Inflection = {
  stems: (word: string, context: WordContext): Stem[] => {
    const own = plain(word, context);
    return [...own, ...compounds(word, own, context)];
  },
};
