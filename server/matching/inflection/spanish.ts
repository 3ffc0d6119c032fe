import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem of a verb in the forms that it has before some endings: saque, pague, dirija, vence/venza; cierra,
 * vuelve, pide.
 */
function verbStems(stem: string): string[] {
  const spelled = [
    stem,
    stem.replace(/c$/, 'qu'),
    stem.replace(/g$/, 'gu'),
    stem.replace(/g$/, 'j'),
    stem.replace(/z$/, 'c'),
    stem.replace(/c$/, 'z'),
    stem.replace(/c$/, 'zc'),
  ];
  const stressed = [
    stem.replace(/e(?=[^aeiou]+$)/, 'ie'),
    stem.replace(/o(?=[^aeiou]+$)/, 'ue'),
    stem.replace(/e(?=[^aeiou]+$)/, 'i'),
  ];
  return [...spelled, ...stressed];
}

const clitics = ' arse arlo arla arlos arlas';
const first = `o as a amos ais an e es emos en ado ada ados adas ando aba abas aban aste aron ara aras aran aremos are aria arian ase${clitics}`;
const second =
  'o es e emos en a as amos an ido ida idos idas iendo ia ian i io iste imos ieron era eras eran eremos ere eria erian erse erlo erla';
const third =
  'o es e imos en a as amos an ido ida idos idas iendo ia ian i io iste ieron ira iras iran iremos ire iria irian irse irlo irla';

export const spanish: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '- s es'),
      paradigm(/z$/, 'ces'),
      paradigm(/(?<=[^aeiou](?:ad|id|iv|os|ic|ari|ori|en|an|in|uari))o$/, 'a as os', { minLetters: 4 }),
      paradigm(/(?<=uari)o$/, 'a as'),
      paradigm(/[oa]$/, 'o a os as', { inPhrase: true, minLetters: 3 }),
      paradigm(/(?<=[dts]or|es)$/, 'a as', { minLetters: 4 }),
      paradigm(/ar$/, first, { stems: verbStems }),
      paradigm(/er$/, second, { stems: verbStems }),
      paradigm(/ir$/, third, { stems: verbStems }),
    ],
    {
      ...interchangeable('de del', 'a al', 'el la los las lo', 'un una unos unas'),
      hacer: 'hace hacen hago hizo hicieron hecho hecha hechos hechas hara haran haga hagan haciendo',
    },
  ),
  equivalents: { á: 'a', é: 'e', í: 'i', ó: 'o', ú: 'u' },
};
