import { type Inflection, interchangeable, paradigm, stemsBy } from './paradigm.ts';

/**
 * The inflection of Greek. Accents are ignored, because they move between syllables. A final ς is σ here, because
 * letter case is removed.
 */
export const greek: Inflection = {
  stems: stemsBy(
    [
      paradigm(/$/, '-'),
      paradigm(/οσ$/, 'ου ο ε οι ων ουσ η'),
      paradigm(/(?<=ικ|τικ|σιμ|ιν|εν|αρ|ηρ|εσ|ετ)οσ$/, 'ησ α ασ εσ ον', { minLetters: 3 }),
      paradigm(/(?:οσ|η|ο|α|οι|εσ)$/, 'οσ η ο ου ησ ων οι εσ α ασ ουσ ον', { inPhrase: true, minLetters: 3 }),
      paradigm(/η$/, 'ησ εσ ων εισ εων εωσ'),
      paradigm(/α$/, 'ασ εσ ων'),
      paradigm(/μα$/, 'ματοσ ματα ματων'),
      paradigm(/ο$/, 'ου α ων'),
      paradigm(/(?<=[οα])ν$/, 'ντοσ ντα ντων'),
      paradigm(/ι$/, 'ιου ια ιων'),
      paradigm(/[ηα]σ$/, 'η α εσ ων ου ηδεσ αδεσ ηδων αδων'),
      paradigm(/ησ$/, 'ουσ εισ εσ'),
      paradigm(/υσ$/, 'υ εωσ εισ εων ια υτητα'),
      paradigm(/εασ$/, 'εα εισ εων εωσ'),
      paradigm(/ω$/, 'εισ ει ουμε ετε ουν ομαι εται ονται οντασ'),
      paradigm(/μαι$/, 'σαι ται μαστε στε νται'),
    ],
    interchangeable('ο η το του τησ των τον την τη τουσ τισ τα οι', 'ενασ μια ενα ενοσ μιασ εναν'),
  ),
  equivalents: { ά: 'α', έ: 'ε', ή: 'η', ί: 'ι', ό: 'ο', ύ: 'υ', ώ: 'ω', ϊ: 'ι', ΐ: 'ι', ϋ: 'υ', ΰ: 'υ' },
};
