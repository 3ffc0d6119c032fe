import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

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
