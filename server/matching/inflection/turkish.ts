import { type Endings, type Inflection, matching, type Stem } from './paradigm.ts';

/**
 * Returns the possible sequences of suffixes. Their vowels depend on the last vowel of the stem: a, ı or u after a, ı,
 * o or u; e, i or ü after all others.
 */
function suffixes(open: string, close: string): { noun: Endings; verb: Endings } {
  const [plural, person] = [`(?:l${open}r)?`, `${close}?`];
  const possessive = `(?:${person}m(?:${close}z)?|${person}n(?:${close}z)?|s?${close})?`;
  const cases = `(?:[yn]?${close}|[yn]?${open}|n?[dt]${open}n?|n?${close}n|y?l${open}|n?c${open})?`;
  const relative = `(?:ki(?:ler)?(?:n[ie]n?|nden|nde)?)?`;
  const copula = `(?:[dt]${close}r(?:l${open}r)?|y?d${close}|yken|ys${open})?`;
  const voice = `(?:${close}?[nl]|[dt]${close}r|t)?(?:${close}l)?(?:m${open})?(?:y?${open}bil)?`;
  const tense = `(?:[dt]${close}|m${close}ş|${close}?yor|y?${open}c${open}[kğ]|[${vowelsOf(open)}${vowelsOf(close)}]?r|m${open}z|m${open}(?:l${close})?|y?${open}n|d${close}[kğ]|y?${close}p|s${open}|y?${open}r${open}k)`;
  return {
    noun: matching(new RegExp(`^${plural}${possessive}${cases}${relative}${copula}$`, 'u')),
    verb: matching(new RegExp(`^${voice}${tense}${plural}${possessive}${cases}${copula}$`, 'u')),
  };
}

function vowelsOf(set: string): string {
  return set.replace(/[[\]]/g, '');
}

const back = suffixes('a', '[ıu]');
const front = suffixes('e', '[iü]');

/**
 * Returns the stem as it is before a vowel: with a changed last consonant (kitap, kitabı; renk, rengi), or without the
 * vowel of the last syllable (isim, ismi).
 */
function changed(word: string): string[] {
  const soft = word
    .replace(/nk$/u, 'ng')
    .replace(/k$/u, 'ğ')
    .replace(/p$/u, 'b')
    .replace(/ç$/u, 'c')
    .replace(/t$/u, 'd');
  const short = word.replace(/(?<=[aeıioöuü][^aeıioöuü])[ıiuü](?=[^aeıioöuü]$)/u, '');
  const double = geminate.test(word) ? [word + word.at(-1)] : [];
  return [...new Set([word, soft, ...(short === word ? [] : [short, short.replace(/t$/u, 'd')]), ...double])];
}

/** Arabic words with a double consonant at the end, which is written as one unless a vowel follows: hak, hakkı. */
const geminate = /^(?:hak|hat|his|had|ret|tıp|zıt|af)$/u;

export const turkish: Inflection = {
  stems: (word, { inPhrase, last }): Stem[] => {
    // The second of two nouns has an ending that a possessive ending replaces: gizlilik politikası, politikamız.
    const bare =
      inPhrase && last ? /^(.{3,}[aeıioöuü]s|.{3,}l[ae]r|.{3,})[ıiuü]$/u.exec(word)?.[1] : undefined;
    return [word, ...(bare === undefined ? [] : [bare.replace(/(?<=[aeıioöuü])s$/u, '')])].flatMap(stemsOf);
  },
};

function stemsOf(word: string): Stem[] {
  const verb = /^(.{2,})m[ae]k$/u.exec(word)?.[1];
  const stem = verb ?? word;
  const last = /[aeıioöuü](?=[^aeıioöuü]*$)/u.exec(stem)?.[0] ?? '';
  const sets = ['a', 'ı', 'o', 'u'].includes(last) ? [back] : [front];
  // Some loanwords with back vowels have suffixes with front vowels: saat, kontrol, iştirak.
  if (/(?:[aou]l|aat|rak|lat)$/u.test(stem)) sets.push(front);
  return sets.flatMap(({ noun, verb: ofVerb }) => [
    ...changed(word).map((changedStem) => ({ stem: changedStem, endings: noun })),
    ...(verb === undefined
      ? []
      : changed(verb).map((changedStem) => ({ stem: changedStem, endings: ofVerb }))),
  ]);
}
