import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem with a softened last consonant, as before some endings: zákazník, zákazníci; faktura, faktuře;
 * kniha, knize.
 */
function softened(stem: string): string[] {
  const soft = stem
    .replace(/ch$/, 'š')
    .replace(/k$/, 'c')
    .replace(/(?<!c)h$/, 'z')
    .replace(/r$/, 'ř');
  return soft === stem ? [] : [soft];
}

/** Returns the stem as it is before an ending, also with a shortened or dropped vowel: dům, domu; účet, účtu. */
function opened(stem: string): string[] {
  return [stem, stem.replace(/ů(?=[^aeiouyáéíóúůý]+$)/, 'o'), stem.replace(/e(?=[^aeiouyáéíóúůý]$)/, '')];
}

/**
 * Returns the stem as it is without an ending, also with a changed or inserted vowel: smlouva, smluv; služba, služeb;
 * dílo, děl.
 */
function closed(stem: string): string[] {
  return [
    stem,
    stem.replace(/ou(?=[^aeiouyáéíóúůý]+$)/, 'u'),
    stem.replace(/á(?=[^aeiouyáéíóúůý]+$)/, 'a'),
    stem.replace(/í(?=[^aeiouyáéíóúůý]+$)/, 'ě'),
    stem.replace(/([^aeiouyáéíóúůý])([^aeiouyáéíóúůý])$/, '$1e$2'),
  ];
}

const consonant = /(?<=[bcčdďfghjklmnňprřsštťvxzž])$/;

export const czech: Inflection = {
  stems: stemsBy([
    paradigm(/$/, '-'),
    paradigm(consonant, 'u a e ě em ovi y i í ů ech ách ích um ům ami emi ové', { stems: opened }),
    paradigm(consonant, 'i ích e', { stems: softened }),
    paradigm(/ost$/, 'osti ostí ostem ostech ostmi'),
    paradigm(/ev$/, 've vi ví vím vích vemi', { minLetters: 3 }),
    paradigm(/(?<=tel)$/, 'é'),
    paradigm(/y$/, 'ů ám ům ách ech ami', { minLetters: 3 }),
    paradigm(/y$/, '-', { stems: closed, minLetters: 3 }),
    paradigm(/a$/, 'y ě e u o ou ám ách ami i í'),
    paradigm(/a$/, 'e', { stems: softened }),
    paradigm(/[ao]$/, '-', { stems: closed }),
    paradigm(/o$/, 'a u em ě e y ům ech ách ích'),
    paradigm(/um$/, 'a u em ům ech y'),
    paradigm(/[eě]$/, 'i í ím ích emi ěmi e ete ěte ata at ím - u a em ům'),
    paradigm(/í$/, 'ího ímu ím ích ími í'),
    paradigm(/ý$/, 'ého ému ém ým á é ou í ých ými'),
    paradigm(/[áé]$/, 'ý ého ému ém ým á é ou í ých ými ej', { inPhrase: true }),
    paradigm(/[áé]$/, 'ý ého ému ém ým á é ou í ých ými', { minLetters: 4 }),
    paradigm(/(?<=[aeiěy])t$/, 'l la lo li ly n na no ny ní', { minLetters: 4 }),
    paradigm(/at$/, 'ám áš á áme áte ají án ána áno ány aný aná ané ající'),
    paradigm(/ovat$/, 'uji uju uješ uje ujeme ujete ují ujou ující'),
    paradigm(/[ie]t$/, 'ím íš í íme íte ejí en ena eno eny ený ená ené ících'),
  ]),
};
