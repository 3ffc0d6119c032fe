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
