import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

const plural = '(?:[aáeéoöő]?k)?';
const possessive =
  '(?:[aeoöáé]?m|[aeoöáé]?d|j?[aeáé]|[uü]nk|j?[uü]k|[aáo]tok|[eé]tek|ötök|j?[aeáé]i(?:m|d|nk|tok|tek|k)?|n?k)?';
/** -val and -vel take the consonant before them: bankkal. */
const cases =
  '(?:[aeoöáé]?t|[aáeé]?n[ae]k|(?:v|[bcdfghjklmnprstzgy]{1,2})[ae]l|r[ae]|b[ae]n?|b[óő]l|r[óő]l|t[óő]l|h[oeö]z|n[áé]l|[oeöaáé]?n|ig|ért|ként|v[áé]|kor)?';
const endings = new RegExp(`^${plural}${possessive}é?${cases}$`, 'u');

/** A last a or e is long before an ending; név, nevek; étterem, éttermek; forgalom, forgalmat. */
function changed(stem: string): string[] {
  const long = stem.replace(/[ae]$/u, (vowel) => (vowel === 'a' ? 'á' : 'é'));
  const short = stem.replace(/([éáíúű])(?=[^aeiouöüáéíóőúű]+$)/u, (vowel) => shortVowels[vowel]!);
  const dropped = stem.replace(/[oeöa](?=[lmnrkz]$)/u, '');
  return [...new Set([long, ...(stem.length <= 5 ? [short] : []), ...(stem.length > 4 ? [dropped] : [])])];
}

const shortVowels: Record<string, string> = { é: 'e', á: 'a', í: 'i', ú: 'u', ű: 'ü' };

const verbEndings =
  '- ok ek ök om em öm sz ol el öl od ed öd i ja nak nek unk ünk juk jük tok tek tök játok itek ják ik t tak tek ott ett ött ta te tam tem tad ted tuk tük ták ték ni nia nie ó ő ás és va ve hat het na ne ni';

export const hungarian: Inflection = {
  stems: stemsBy([
    paradigm(/$/, endings, { stems: (stem) => (/[ae]$/.test(stem) ? [] : [stem]) }),
    paradigm(/$/, '- i s kor ként', {}),
    paradigm(/$/, endings, { stems: changed }),
    paradigm(/(?<=[^aeiouöüáéíóőúű])ni$/, verbEndings, { shortest: 3 }),
  ]),
};
