import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem of a verb in the forms that it has before some endings: paie, plaçons, mangeons, achète, complète,
 * appelle.
 */
function verbStems(stem: string): string[] {
  return [
    stem,
    stem.replace(/y$/, 'i'),
    stem.replace(/c$/, 'ç'),
    stem.replace(/g$/, 'ge'),
    stem.replace(/[eé](?=[^aeiouéè]+$)/, 'è'),
    stem.replace(/(?<=e)[lt]$/, '$&$&'),
  ];
}

const first =
  'e es ent ons ez é ée és ées ant ais ait aient ions iez a as èrent era eras erai erez erons eront erait eraient';
const second =
  'is it issons issez issent issant issait issaient isse i ie ies ira irai irez irons iront irait iraient';
const third = '- s ons ez ent e ant ais ait aient u ue us ues ra rai rez rons ront rait raient it i ie ies';

export const french: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '- s'),
      paradigm(/(?<=eu|eau|ou)$/, 'x'),
      paradigm(/ai?l$/, 'aux'),
      paradigm(/er$/, 'ère ères', { minLetters: 3 }),
      paradigm(/(?<=e[ln]|on|et)$/, 'e es', { stems: (stem) => [stem + stem.at(-1)] }),
      paradigm(/et$/, 'ète ètes', { minLetters: 3 }),
      paradigm(/(?<=[fc])$/, 'e es', {
        stems: (stem) => [stem.replace(/f$/, 'v').replace(/c$/, 'qu'), stem.replace(/c$/, 'ch')],
      }),
      paradigm(/(?<=eu)x$/, 'se ses'),
      paradigm(/(?<=eu)r$/, 'se ses', { minLetters: 5 }),
      paradigm(/teur$/, 'trice trices'),
      paradigm(/(?<=é|[aeio][lnst]|[aeiu]nt|ai[nrs]|ct|ut|rt|rd|nd|eur|u)$/, 'e es', { minLetters: 5 }),
      paradigm(/(?<=[^e])$/, 'e es', { inPhrase: true, minLetters: 3 }),
      paradigm(/er$/, first, { stems: verbStems }),
      paradigm(/ir$/, second),
      paradigm(/enir$/, 'iens ient ennent enons enez enant enait u enu enue enus enues iendra', {
        minLetters: 1,
      }),
      paradigm(
        /cevoir$/,
        'çoit çois çoivent cevons cevez cevant cevait cevaient cevra cevront çu çue çus çues',
        {
          minLetters: 1,
        },
      ),
      paradigm(/re$/, third, { minLetters: 3 }),
    ],
    {
      ...interchangeable('de du des d', 'à au aux', 'le la les l', 'un une', 'ce cet cette ces'),
      travail: 'travaux',
      nouveau: 'nouvelle nouvelles',
      beau: 'belle belles',
      œil: 'yeux',
    },
  ),
};

/**
 * Returns the stem with an h after a final c or g, as before e and i: banca, banche; pagare, pagherà. Other words have
 * no h in these forms: amico, amici; cominciare, comincerà.
 */
function hard(stem: string): string[] {
  return /[cg]$/.test(stem) ? [`${stem}h`] : [];
}

const firstEndings = 'o i a iamo ate ano ato ata ati ate ando ava avano asse';
const future = 'ero erai era eremo erete eranno erebbe erebbero i iamo';

export const italian: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '-'),
      paradigm(/o$/, 'i'),
      paradigm(/io$/, 'i'),
      paradigm(/a$/, 'e'),
      paradigm(/(?<=ist|[^aeiou]m|em|et)a$/, 'i'),
      paradigm(/o$/, 'i', { stems: hard }),
      paradigm(/a$/, 'e', { stems: hard }),
      paradigm(/e$/, 'i'),
      paradigm(/(?<=iv|os|at|it|ut|ic|ari|an|in)o$/, 'a e', { minLetters: 4 }),
      paradigm(/(?<=ic)o$/, 'he hi', { minLetters: 4 }),
      paradigm(/[oa]$/, 'o a i e', { inPhrase: true, minLetters: 3 }),
      paradigm(/tore$/, 'trice trici'),
      paradigm(/n?dere$/, 'so sa si se'),
      paradigm(/are$/, `${firstEndings} ${future}`),
      paradigm(/are$/, future, { stems: hard }),
      paradigm(/iare$/, future),
      paradigm(/ere$/, 'o i e iamo ete ono uto uta uti ute endo eva evano ero era eranno erebbe esse'),
      paradigm(
        /ire$/,
        'o i e iamo ite ono isco isci isce iscono ito ita iti ite endo iva ivano ira iranno irebbe',
      ),
    ],
    {
      uomo: 'uomini',
      ...interchangeable(
        'di del dello della dei degli delle dell d',
        'a al allo alla ai agli alle all',
        'da dal dallo dalla dai dagli dalle dall',
        'in nel nello nella nei negli nelle nell',
        'su sul sullo sulla sui sugli sulle sull',
        'il lo la i gli le l',
        'un uno una',
      ),
    },
  ),
  equivalents: { à: 'a', è: 'e', é: 'e', ì: 'i', ò: 'o', ù: 'u' },
};

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

/**
 * Returns the stem of a verb in the forms that it has before some endings: fique, pague, comece, vença, dirija;
 * prefira.
 */
function portugueseStems(stem: string): string[] {
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

const portugueseFirst =
  'o as a amos ais am e es emos em ado ada ados adas ando ava avas avam ei ou aste aram ara aras arao arei aremos aria ariam asse';
const portugueseSecond =
  'o es e emos em a as amos am ido ida idos idas endo ia ias iam i eu este eram era eras erao erei eremos eria eriam esse';
const portugueseThird =
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
      paradigm(/ar$/, portugueseFirst, { stems: portugueseStems }),
      paradigm(/er$/, portugueseSecond, { stems: portugueseStems }),
      paradigm(/ir$/, portugueseThird, { stems: portugueseStems }),
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

/**
 * Returns the stem of a verb in the forms that it has before some endings: saque, pague, dirija, vence/venza; cierra,
 * vuelve, pide.
 */
function spanishStems(stem: string): string[] {
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
const spanishFirst = `o as a amos ais an e es emos en ado ada ados adas ando aba abas aban aste aron ara aras aran aremos are aria arian ase${clitics}`;
const spanishSecond =
  'o es e emos en a as amos an ido ida idos idas iendo ia ian i io iste imos ieron era eras eran eremos ere eria erian erse erlo erla';
const spanishThird =
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
      paradigm(/ar$/, spanishFirst, { stems: spanishStems }),
      paradigm(/er$/, spanishSecond, { stems: spanishStems }),
      paradigm(/ir$/, spanishThird, { stems: spanishStems }),
    ],
    {
      ...interchangeable('de del', 'a al', 'el la los las lo', 'un una unos unas'),
      hacer: 'hace hacen hago hizo hicieron hecho hecha hechos hechas hara haran haga hagan haciendo',
    },
  ),
  equivalents: { á: 'a', é: 'e', í: 'i', ó: 'o', ú: 'u' },
};
