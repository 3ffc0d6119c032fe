import {
  compounding,
  type Endings,
  type Inflection,
  matching,
  paradigm,
  type Stem,
  stemsBy,
  type WordContext,
} from './paradigm.ts';

/** The possessive suffixes. The suffix -Vn of the third person repeats the vowel before it: sopimuksessaan. */
const possessives = '(?:ni|si|ns[aä]|mme|nne|(?<=([aeiouyäö]))\\1n)?';
const clitics = '(?:kin|ka[ai]n|kään|ko|kö|han|hän|pa|pä)?';
const singularCases =
  'n|t|[aä]|t[aä]|tt[aä]|ss[aä]|st[aä]|ll[aä]|lt[aä]|lle|ksi|kse|n[aä]|[aeiouyäö]n|h[aeiouyäö]n|seen';
const pluralCases =
  'n|en|den|tten|[aä]|t[aä]|ss[aä]|st[aä]|ll[aä]|lt[aä]|lle|ksi|kse|n[aä]|h[iou]n|in|siin|tt[aä]';

const singular = matching(new RegExp(`^(?:${singularCases})?${possessives}${clitics}$`, 'u'));
const plural = matching(new RegExp(`^[ij](?:${pluralCases})${possessives}${clitics}$`, 'u'));
/** The partitive and the plural genitive after a stem that ends in a consonant. */
const partitive = matching(new RegExp(`^(?:t[aä]|ten)${possessives}${clitics}$`, 'u'));

/** Consonants at the end of the stem, in the strong and in the weak grade: hinta, hinnan. */
const gradation: readonly [strong: string, weak: string][] = [
  ['kk', 'k'],
  ['pp', 'p'],
  ['tt', 't'],
  ['nk', 'ng'],
  ['nt', 'nn'],
  ['mp', 'mm'],
  ['lt', 'll'],
  ['rt', 'rr'],
  ['ht', 'hd'],
  ['lk', 'l'],
  ['rk', 'r'],
  ['p', 'v'],
  ['t', 'd'],
  ['k', ''],
];

function graded(stem: string, to: 'weak' | 'strong'): string[] {
  const [, root, vowels] = /^(.*?)([aeiouyäö]+)$/u.exec(stem) ?? [];
  if (root === undefined || vowels === undefined) return [];
  // If the stem ends in a long vowel or a diphthong, both of these vowels follow the changing consonants.
  for (const [strong, weak] of gradation) {
    const [from, into] = to === 'weak' ? [strong, weak] : [weak, strong];
    if (from === '' || !root.endsWith(from) || root.length <= from.length) continue;
    if (to === 'weak' && from.length === 1 && /[stk]$/u.test(root.slice(0, -1))) continue;
    return [root.slice(0, -from.length) + into + vowels];
  }
  return [];
}

/** Returns the stem that precedes the singular case endings, and the stems that precede the plural's i. */
function declined(stem: string): [string, Endings][] {
  const last = stem.at(-1)!;
  const rest = stem.slice(0, -1);
  const beforePlural = { a: [rest, `${rest}o`], ä: [rest, `${rest}ö`], e: [rest], i: [`${rest}e`, rest] }[
    last
  ];
  return [
    [stem, singular],
    ...(beforePlural ?? [stem]).map((changed): [string, Endings] => [changed, plural]),
  ];
}

function withGrades(stem: string): [string, Endings][] {
  return [stem, ...graded(stem, 'weak')].flatMap(declined);
}

/** Returns the stems of a noun or an adjective with their endings, by the end of the dictionary form. */
function forms(word: string): [string, Endings][] {
  const cut = (letters: number): string => word.slice(0, -letters);
  const last = word.at(-1)!;
  if (word.endsWith('nen')) return [...declined(`${cut(3)}se`), [`${cut(3)}s`, partitive]];
  if (/(?:uu|yy|eu|ey)s$/u.test(word))
    return [
      ...declined(`${cut(1)}de`),
      [`${cut(1)}te`, singular],
      [`${cut(1)}t`, partitive],
      [`${cut(1)}ks`, plural],
      ...declined(`${cut(1)}kse`),
      [word, partitive],
    ];
  if (/[aä]s$/u.test(word)) {
    const long = word.slice(0, -1) + word.at(-2);
    return [long, ...strengthened(cut(1)).map((strong) => strong + word.at(-2))]
      .flatMap((stem): [string, Endings][] => [
        [stem, singular],
        [stem.slice(0, -1), singular],
        [stem.slice(0, -1), plural],
        [stem.slice(0, -2), plural],
      ])
      .concat([[word, partitive]], declined(`${cut(1)}kse`));
  }
  if (/[uyoöie]s$/u.test(word))
    return [...declined(`${cut(1)}kse`), [word, partitive], ...declined(`${cut(1)}${word.at(-2)}`)];
  if (/[uy]t$/u.test(word)) return [...declined(`${cut(1)}e`), [word, partitive]];
  if (/in$/u.test(word)) return [...declined(`${cut(1)}me`), [word, partitive]];
  if (/t[oö]n$/u.test(word)) return declined(`${cut(2)}tom${word.endsWith('ton') ? 'a' : 'ä'}`);
  if (word.length > 4 && /[aeiouyäö]t$/u.test(word))
    return [cut(1), ...graded(cut(1), 'strong')].flatMap(declined);
  if (!/[aeiouyäö]/u.test(last)) return [...declined(`${word}i`), [word, partitive]];
  if (word.endsWith('si'))
    return [
      [word, singular],
      ...['te', 'de'].map((end): [string, Endings] => [cut(2) + end, singular]),
      [`${cut(2)}t`, partitive],
      ...declined(word),
    ];
  if (last === 'e') {
    const strong = [word, ...graded(word, 'strong')].map((stem) => `${stem}e`);
    return [
      ...strong.flatMap((stem): [string, Endings][] => [
        [stem, singular],
        [stem.slice(0, -1), plural],
      ]),
      [word, partitive],
      [word, singular],
    ];
  }
  if (last === 'i') return [...withGrades(word), ...withGrades(`${cut(1)}e`), [cut(1), partitive]];
  return withGrades(word);
}

function strengthened(stem: string): string[] {
  return graded(stem, 'strong').flatMap((strong) => [strong, strong.replace(/ht(?=.$)/u, 't')]);
}

/** The first part is in the nominative or the genitive: tiedostonimi, rivinvaihto. */
const compounds = compounding({
  prefixes: 'epä ali yli esi jälki jälleen uudelleen ylös alas pois läpi ulos sisään takaisin etu',
  links: 'n|den|jen|ten|s',
  derived:
    /^[aeiouyäö]{0,2}(?:mi(?:nen|s|st)|(?:llin|llis|lain|lais|läin|läis|tta|ttä|ttö|tto|tom|töm|sti|uu[dst]|yy[dst]|uks|yks|sto|stö|jat?$|ttu|tty|va[nt]?$|vä[nt]?$))/u,
});

export const finnish: Inflection = {
  stems: (word, context): Stem[] => {
    const own = [
      { stem: word, endings: /[aeiouyäö]$/u.test(word) ? singular : partitive },
      ...(word.length < 3 ? [] : forms(word)).map(([stem, endings]) => ({ stem, endings })),
    ];
    return [...own, ...compounds(word, own, context)];
  },
};

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

const hungarianCompounds = compounding({
  prefixes:
    'meg el ki be fel le át vissza össze elő hozzá alá rá ide oda szét túl újra újjá nem végig együtt tovább bele keresztül félre',
  links: '-',
  derived:
    /^(?:[aáeéo]?s(?:[áé]g|ít|od|ed|z)|[aáeéoö]?t?[lt]an|[aáeéo]?t?[lt]en|[aáeéoí]?[lzt](?:ás|és|ó|ő|ni|ható|hető)|osít|ist[aá]|ikus|izál|izmus)/u,
});

export const hungarian: Inflection = {
  stems: (word: string, context: WordContext): Stem[] => {
    const own = plain(word, context);
    return [...own, ...hungarianCompounds(word, own, context)];
  },
};
