import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem of a verb in the forms that it has before some endings: fique, pague, comece, vença, dirija;
 * prefira.
 */
function verbStems(stem: string): string[] {
  return [
    stem,
    stem.replace(/c$/, 'qu'),
    stem.replace(/g$/, 'gu'),
    stem.replace(/ç$/, 'c'),
    stem.replace(/c$/, 'ç'),
    stem.replace(/g$/, 'j'),
    stem.replace(/e(?=[^aeiou]+$)/, 'i'),
  ];
}

const first =
  'o as a amos ais am e es emos em ado ada ados adas ando ava avas avam ei ou aste aram ara aras arao arei aremos aria ariam asse';
const second =
  'o es e emos em a as amos am ido ida idos idas endo ia ias iam i eu este eram era eras erao erei eremos eria eriam esse';
const third =
  'o es e imos em a as amos am ido ida idos idas indo ia ias iam i iu iste iram ira iras irao irei iremos iria iriam isse';

export const portuguese: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '- s es'),
      paradigm(/ao$/, 'oes aos aes', { minLetters: 1 }),
      paradigm(/l$/, 'is'),
      paradigm(/il$/, 'eis is'),
      paradigm(/m$/, 'ns'),
      paradigm(/(?<=[^aeiou](?:ad|id|iv|os|ic|ari|ori|en|an|in))o$/, 'a as', { minLetters: 4 }),
      paradigm(/(?<=uari)o$/, 'a as'),
      paradigm(/[oa]$/, 'o a os as', { inPhrase: true, minLetters: 3 }),
      paradigm(/(?<=[dts]or|es)$/, 'a as', { minLetters: 4 }),
      paradigm(/ar$/, first, { stems: verbStems }),
      paradigm(/er$/, second, { stems: verbStems }),
      paradigm(/ir$/, third, { stems: verbStems }),
    ],
    interchangeable(
      'de do da dos das',
      'em no na nos nas',
      'a ao aos as',
      'por pelo pela pelos pelas',
      'o a os as',
      'um uma uns umas',
    ),
  ),
  equivalents: { á: 'a', à: 'a', â: 'a', ã: 'a', é: 'e', ê: 'e', í: 'i', ó: 'o', ô: 'o', õ: 'o', ú: 'u' },
};
