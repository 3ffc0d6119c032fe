import { type Inflection, paradigm, stemsBy } from './paradigm.ts';

const consonant = /(?<=[\u0915-\u0939\u093c])$/u;
/** Letters that replace each other: chandrabindu and anusvara are interchangeable in writing. */
const equivalents = { '\u0901': '\u0902' };

export const hindi: Inflection = {
  stems: stemsBy([
    paradigm(/$/, '-'),
    paradigm(consonant, 'ें ों ो'),
    paradigm(/ा$/, 'े ों ो एं ओं यें ाएं ाओं ायें'),
    paradigm(/ा$/, 'ी', { inPhrase: true }),
    paradigm(/ी$/, 'ियां ियों ियो'),
    paradigm(/ि$/, 'ियां ियों'),
    paradigm(/[ुू]$/, 'ुओं ुएं'),
    paradigm(/या$/, 'ये ए यी ई यों', { minLetters: 1 }),
  ]),
  equivalents,
};

const marathiPostpositions =
  '(?:चा|ची|चे|च्या|चं|ला|ना|त|ने|नी|शी|साठी|मध्ये|वर|वरील|हून|कडे|कडून|मुळे|द्वारे|बाबत|सह|पेक्षा|पर्यंत|तील|तर्फे|नुसार)?';

/** The inflection of Marathi, which attaches an oblique vowel and then a postposition to a word. */
export const marathi: Inflection = {
  stems: stemsBy([
    paradigm(/$/, new RegExp(`^${marathiPostpositions}$`, 'u')),
    paradigm(consonant, new RegExp(`^(?:ां?${marathiPostpositions}|े|ें)$`, 'u')),
    paradigm(consonant, new RegExp(`^ीं?${marathiPostpositions.replace(/\?$/, '')}$`, 'u')),
    paradigm(/ा$/, new RegExp(`^(?:े|ां|्या|्यां)${marathiPostpositions}$`, 'u')),
    paradigm(/ी$/, new RegExp(`^(?:्या|्यां|ीं|ि)${marathiPostpositions}$`, 'u')),
    paradigm(/े$/, new RegExp(`^(?:्या|्यां)${marathiPostpositions}$`, 'u')),
    paradigm(/ू$/, new RegExp(`^(?:ूं)${marathiPostpositions}$`, 'u')),
  ]),
  equivalents,
};

const nepaliPostpositions =
  'को|का|की|ले|लाई|मा|बाट|संग|देखि|सम्म|द्वारा|भित्र|बाहिर|माथि|बारे|बारेमा|लागि|विरुद्ध|अनुसार|बमोजिम|सहित|बीच|पछि|अघि|नै|पनि|कै|मै';

export const nepali: Inflection = {
  stems: stemsBy([
    paradigm(/$/, new RegExp(`^(?:हरू|हरु)?(?:${nepaliPostpositions}){0,2}$`, 'u')),
    paradigm(/ो$/, 'ा ी'),
  ]),
  equivalents,
};

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
