import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem with a softened end, as before the ending -e of the locative and -i of the plural: klient, kliencie,
 * klienci; faktura, fakturze; usługa, usłudze.
 */
function softened(stem: string): string[] {
  if (stem.endsWith('iast')) return [stem.replace(/iast$/, 'ieści')];
  for (const [hard, soft] of softenings)
    if (stem.endsWith(hard)) return soft.map((letters) => stem.slice(0, -hard.length) + letters);
  return [];
}

const softenings: readonly [string, string[]][] = [
  ['st', ['ści']],
  ['ch', ['sz', 's']],
  ['sł', ['śl']],
  ['t', ['ci']],
  ['d', ['dzi']],
  ['r', ['rz']],
  ['ł', ['l']],
  ['k', ['c']],
  ['g', ['dz']],
  ...['n', 's', 'z', 'b', 'p', 'w', 'm', 'f'].map((letter): [string, string[]] => [letter, [`${letter}i`]]),
];

/**
 * Returns the stem with o for ó or ę for ą in its last syllable, as before an ending: samochód, samochodu; błąd, błędu.
 */
function opened(stem: string): string[] {
  return [stem, stem.replace(/ó(?=[^aeiouyąęó]+$)/, 'o'), stem.replace(/ą(?=[^aeiouyąęó]+$)/, 'ę')];
}

/**
 * Returns the stem as it is without an ending, also with a changed or inserted vowel: umowa, umów; okno, okien;
 * sprawka, sprawek.
 */
function closed(stem: string): string[] {
  return [
    stem,
    stem.replace(/o(?=[^aeiouyąęó]+$)/, 'ó'),
    stem.replace(/ę(?=[^aeiouyąęó]+$)/, 'ą'),
    stem.replace(/([^aeiouyąęó])([kn])$/, '$1e$2'),
    stem.replace(/([^aeiouyąęó])([nwł])$/, '$1ie$2'),
  ];
}

const hard = /(?<=[bcdfghklłmnprstwzżźj])$/;

export const polish: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '-'),
      paradigm(hard, 'a u owi em iem e y i ów om ami ach owie', { stems: opened }),
      paradigm(hard, '- e', { stems: (stem) => opened(stem).flatMap(softened) }),
      paradigm(hard, 'i', { stems: (stem) => softened(stem) }),
      paradigm(/k$/, 'cy'),
      paradigm(/g$/, 'dzy'),
      paradigm(/r$/, 'rzy'),
      paradigm(/[yi]$/, 'ów om ami ach', { minLetters: 3 }),
      paradigm(/(?<!ow|[ns]k)[yi]$/, '-', { stems: closed, minLetters: 3 }),
      paradigm(/ek$/, 'ka ku kowi kiem ki ków kom kami kach'),
      paradigm(/(?:ie|e)c$/, 'ca cy cem cowi cu ców com cami cach'),
      paradigm(/(?<=[^aeiouyąęó])e(?=[ńłr]$)/, 'nia niowi niem niu nie ni niom ła łu łem ły ra ru rem ry'),
      paradigm(/a$/, 'y i ę ą o ie e om ami ach ów ii ji'),
      paradigm(/a$/, 'e', { stems: softened }),
      paradigm(/[ao]$/, '-', { stems: closed }),
      paradigm(/o$/, 'a u em iem ie e om ami ach'),
      paradigm(/o$/, 'e', { stems: softened }),
      paradigm(/ie$/, 'ia iu iem iom iami iach'),
      paradigm(/nie$/, 'ń'),
      paradigm(/cie$/, 'ć'),
      paradigm(/ć$/, 'ci cią ciom ciami ciach ciem cie'),
      paradigm(/ń$/, 'ni nia niu niem nie nią niom niami niach niowi'),
      paradigm(/ś$/, 'sia siu si sie'),
      paradigm(/y$/, 'ego emu ym a ej ą e ych ymi i'),
      paradigm(/y$/, 'i', { stems: (stem) => softened(stem).map((soft) => soft.replace(/i$/, '')) }),
      paradigm(/[ae]$/, 'y ego emu ym a ej ą e ych ymi', { inPhrase: true }),
      paradigm(/i$/, 'iego iemu im ia iej ią ie ich imi a ą e'),
      paradigm(/i?e$/, 'i iego iemu im ia iej ią ie ich imi', { inPhrase: true }),
      paradigm(/e$/, 'a u em om ami ach y'),
      paradigm(/ć$/, 'ł ła ło li ły m sz je ją ny na ne no nego nej nych nym'),
      paradigm(/ować$/, 'uję ujesz uje ujemy ują ując ujący ująca ujące'),
      paradigm(/(?:ić|yć)$/, 'ę isz i imy ą ony ona one ono ię ysz y ymy iony iona ione iono'),
    ],
    {
      dzień: 'dnia dniu dniem dni dniom dniami dniach',
      tydzień: 'tygodnia tygodniu tygodniem tygodnie tygodni',
    },
  ),
};
