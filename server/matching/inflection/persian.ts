import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

const plural = 'ها های هایی هایش هایم هایت هایمان هایتان هایشان';

export const persian: Inflection = {
  stems: stemsBy([
    paradigm(/$/, `- ${plural} ی ش م ت مان تان شان تر ترین ام اش ات را`),
    paradigm(/(?<=[^اوهی])$/, 'ان انی ات'),
    paradigm(/ی$/, 'یان ییان یی'),
    paradigm(/ه$/, 'گان ات'),
    paradigm(/ت$/, 'ات'),
    paradigm(/(?<=[او])$/, 'یی ی ییی یان'),
  ]),
};

/** The inflection of Urdu, including the plurals of words from Arabic. */
export const urdu: Inflection = {
  stems: stemsBy([
    paradigm(/$/, '- وں یں ین ات وں یوں'),
    paradigm(/[اہ]$/, 'ے وں'),
    paradigm(/[اہ]$/, 'ی', { inPhrase: true }),
    paradigm(/ی$/, 'یاں یوں'),
    paradigm(/ت$/, 'ات یات'),
    paradigm(/ہ$/, 'ات'),
    paradigm(/$/, '-', { stems: (stem) => [stem.replace(/^(.)(.)(.)$/u, '$1$2ائ$3')] }),
  ]),
};
