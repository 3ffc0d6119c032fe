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
