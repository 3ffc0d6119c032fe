import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

/**
 * Returns the stem with a vowel between its last two consonants, as in forms without an ending: окно, окон; число,
 * чисел; сделка, сделок.
 */
function parted(stem: string): string[] {
  return [
    stem.replace(/([^аеиоуыэюяь])ь?([кнлмр])$/, '$1о$2'),
    stem.replace(/([^аеиоуыэюя])[ьй]?([кнлмрц])$/, '$1е$2'),
  ];
}

const adjective = 'ый ий ой ого его ому ему ым им ом ем ая яя ую юю ей ое ее ые ие ых их ыми ими ою ею';
const past =
  'л ла ло ли в вший вшая вшие вших н на но ны нный нная нное нные нного нной нную нных нным нными';

export const russian: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '-'),
      paradigm(/(?<=[бвгджзклмнпрстфхцчшщ])$/, 'а у ом ем е ы и ов ев ей ам ами ах'),
      paradigm(/[ое]к$/, 'ка ку ком ке ки ков кам ками ках'),
      paradigm(/ец$/, 'ца цу цом цем це цы цов цев цам цами цах'),
      paradigm(/(?<=[аеиоуыэюя])ец$/, 'йца йцу йцом йцем йце йцы йцов йцев йцам йцами йцах', {
        minLetters: 1,
      }),
      paradigm(/ень$/, 'ня ню нем не ни ней ням нями нях', { minLetters: 1 }),
      paradigm(/ь$/, 'я ю ем е и ей ям ями ях ью'),
      paradigm(/й$/, 'я ю ем е и ев ям ями ях'),
      paradigm(/а$/, 'ы и е у ой ою ей - ам ами ах'),
      paradigm(/[ао]$/, '-', { stems: parted }),
      paradigm(/я$/, 'и е ю ей ею ь й ям ями ях'),
      paradigm(/ья$/, 'ей'),
      paradigm(/[ыи]$/, 'ов ев ей ам ями ям ами ах ях -', { minLetters: 3 }),
      paradigm(/[ая]$/, 'ов ев ий ам ям ами ями ах ях', { inPhrase: true }),
      paradigm(/о$/, 'а у ом е - ам ами ах'),
      paradigm(/е$/, 'я ю ем и й ей ям ями ях а у'),
      paradigm(/мя$/, 'мени менем мена мен менам менами менах'),
      paradigm(/(?:ый|ий|ой|ая|яя|ое|ее|ые|ие)$/, adjective),
      paradigm(/(?:ый|ий|ой)$/, '- а о ы'),
      paradigm(/(?<=[ая])ть$/, `ю ешь ет ем ете ют й йте ${past}`),
      paradigm(/овать$/, 'ую уешь ует уем уете уют уй уйте уя ующий ующая ующие'),
      paradigm(/(?<=и)ть$/, past),
      paradigm(
        /ить$/,
        'ю у ишь ит им ите ят ат ь ьте ен ена ено ены енный енная енное енные енного енной енных',
      ),
      paradigm(/(?<=[аеиоуыя])ться$/, 'лся лась лось лись'),
    ],
    {
      ребенок: 'ребенка ребенку ребенком ребенке дети детей детям детьми детях',
      человек: 'люди людей людям людьми людях',
    },
  ),
  equivalents: { ё: 'е' },
};

/** Returns the stem with о or е for the і of its last syllable, as before an ending: договір, договору. */
function opened(stem: string): string[] {
  return [stem, stem.replace(/і(?=[^аеєиіїоуюя]+$)/, 'о'), stem.replace(/і(?=[^аеєиіїоуюя]+$)/, 'е')];
}

/**
 * Returns the stem as it is without an ending: with і for the о or е of its last syllable (особа, осіб), or with a
 * vowel between the last two consonants (вікно, вікон).
 */
function closed(stem: string): string[] {
  return [
    stem,
    stem.replace(/[ое](?=[^аеєиіїоуюя]+$)/, 'і'),
    stem.replace(/([^аеєиіїоуюяь])([кнлмр])$/, '$1о$2'),
    stem.replace(/([^аеєиіїоуюя])ь?([кнлмрц])$/, '$1е$2'),
  ];
}

export const ukrainian: Inflection = {
  stems: stemsBy([
    paradigm(/$/, '-'),
    paradigm(/(?<=[бвгґджзклмнпрстфхцчшщ])$/, 'а у ові еві ом ем і и е ів ей ам ами ах ю я ям ями ях', {
      stems: opened,
    }),
    paradigm(/[ое]к$/, 'ка ку ком кові ці ки ків кам ками ках'),
    paradigm(/ець$/, 'ця цю цеві цем ці ців цям цями цях'),
    paradigm(/ень$/, 'ня ню неві нем ні нів ням нями нях', { minLetters: 1 }),
    paradigm(/[иі]$/, 'ів ей ам ям ами ями ах ях', { minLetters: 3 }),
    paradigm(/(?<=с)ть$/, 'ті тю тей тям тями тях'),
    paradigm(/ість$/, 'ості істю остей остям остями остях'),
    paradigm(/ь$/, 'я ю еві ем ем і ей ів ям ями ях', { stems: opened }),
    paradigm(/й$/, 'я ю єві єм ї їв ям ями ях'),
    paradigm(/[ао]$/, '-', { stems: closed }),
    paradigm(/а$/, 'и і у ою ею о ам ами ах'),
    paradigm(/га$/, 'зі'),
    paradigm(/ка$/, 'ці'),
    paradigm(/ха$/, 'сі'),
    paradigm(/о$/, 'а у ом і ам ами ах ові'),
    paradigm(/е$/, 'я ю ем і ь ям ями ях а у'),
    paradigm(/я$/, 'ю і ї ею єю й ь ям ями ях ем єм'),
    paradigm(/(?<=([дзлнстцчш]))\1я$/, 'ь'),
    paradigm(
      /[иії]й$/,
      'ого ього ому ьому им ім їм а я ої ьої ій їй у ю ою ьою е є і ї их іх їх ими іми їми',
    ),
    paradigm(/[аеі]$/, 'ий ого ому им а ої ій у ою е і их ими', { inPhrase: true }),
    paradigm(/(?<=[аияії])ти$/, 'в ла ло ли ю єш є ємо єте ють вши но то ний на не ні ного ної ну них ним'),
    paradigm(/увати$/, 'ую уєш ує уємо уєте ують уючи'),
    paradigm(/ити$/, 'ю у ить иш имо ите ять ать'),
  ]),
};

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
function czechOpened(stem: string): string[] {
  return [stem, stem.replace(/ů(?=[^aeiouyáéíóúůý]+$)/, 'o'), stem.replace(/e(?=[^aeiouyáéíóúůý]$)/, '')];
}

/**
 * Returns the stem as it is without an ending, also with a changed or inserted vowel: smlouva, smluv; služba, služeb;
 * dílo, děl.
 */
function czechClosed(stem: string): string[] {
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
    paradigm(consonant, 'u a e ě em ovi y i í ů ech ách ích um ům ami emi ové', { stems: czechOpened }),
    paradigm(consonant, 'i ích e', { stems: softened }),
    paradigm(/ost$/, 'osti ostí ostem ostech ostmi'),
    paradigm(/ev$/, 've vi ví vím vích vemi', { minLetters: 3 }),
    paradigm(/(?<=tel)$/, 'é'),
    paradigm(/y$/, 'ů ám ům ách ech ami', { minLetters: 3 }),
    paradigm(/y$/, '-', { stems: czechClosed, minLetters: 3 }),
    paradigm(/a$/, 'y ě e u o ou ám ách ami i í'),
    paradigm(/a$/, 'e', { stems: softened }),
    paradigm(/[ao]$/, '-', { stems: czechClosed }),
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

/**
 * Returns the stem with a softened end, as before the ending -e of the locative and -i of the plural: klient, kliencie,
 * klienci; faktura, fakturze; usługa, usłudze.
 */
function polishSoftened(stem: string): string[] {
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
function polishOpened(stem: string): string[] {
  return [stem, stem.replace(/ó(?=[^aeiouyąęó]+$)/, 'o'), stem.replace(/ą(?=[^aeiouyąęó]+$)/, 'ę')];
}

/**
 * Returns the stem as it is without an ending, also with a changed or inserted vowel: umowa, umów; okno, okien;
 * sprawka, sprawek.
 */
function polishClosed(stem: string): string[] {
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
      paradigm(hard, 'a u owi em iem e y i ów om ami ach owie', { stems: polishOpened }),
      paradigm(hard, '- e', { stems: (stem) => polishOpened(stem).flatMap(polishSoftened) }),
      paradigm(hard, 'i', { stems: (stem) => polishSoftened(stem) }),
      paradigm(/k$/, 'cy'),
      paradigm(/g$/, 'dzy'),
      paradigm(/r$/, 'rzy'),
      paradigm(/[yi]$/, 'ów om ami ach', { minLetters: 3 }),
      paradigm(/(?<!ow|[ns]k)[yi]$/, '-', { stems: polishClosed, minLetters: 3 }),
      paradigm(/ek$/, 'ka ku kowi kiem ki ków kom kami kach'),
      paradigm(/(?:ie|e)c$/, 'ca cy cem cowi cu ców com cami cach'),
      paradigm(/(?<=[^aeiouyąęó])e(?=[ńłr]$)/, 'nia niowi niem niu nie ni niom ła łu łem ły ra ru rem ry'),
      paradigm(/a$/, 'y i ę ą o ie e om ami ach ów ii ji'),
      paradigm(/a$/, 'e', { stems: polishSoftened }),
      paradigm(/[ao]$/, '-', { stems: polishClosed }),
      paradigm(/o$/, 'a u em iem ie e om ami ach'),
      paradigm(/o$/, 'e', { stems: polishSoftened }),
      paradigm(/ie$/, 'ia iu iem iom iami iach'),
      paradigm(/nie$/, 'ń'),
      paradigm(/cie$/, 'ć'),
      paradigm(/ć$/, 'ci cią ciom ciami ciach ciem cie'),
      paradigm(/ń$/, 'ni nia niu niem nie nią niom niami niach niowi'),
      paradigm(/ś$/, 'sia siu si sie'),
      paradigm(/y$/, 'ego emu ym a ej ą e ych ymi i'),
      paradigm(/y$/, 'i', { stems: (stem) => polishSoftened(stem).map((soft) => soft.replace(/i$/, '')) }),
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
