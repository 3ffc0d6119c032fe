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
