/** Patterns that show the ends and the starts of texts. */

/** The end of a sentence or of a label, also before an unknown sign, such as an arrow to a field. */
export const sentenceEnd = /[.!?:;…。！？؟।۔：；]["'”’)\]»」』]*(?:\s?\ufffd)?$/u;
export const capitalStart = /^["'“‘(«]*[\p{Lu}\p{Nd}]/u;
/** A small letter, also after a blank to fill in. */
export const lowerStart = /^(?:_+ ?)?["'“‘(«]*\p{Ll}/u;
/** A text in a script that has no capital letters. */
export const withoutCase = /^\P{L}*\p{Lo}/u;
/** A line that is only an email address, the name of an account, or a URL. */
const address = /^(?:[^\s@]*@\S+|https?:\S+|www\.\S+|[\p{L}\p{N}-]+\.\p{Ll}{2,}(?:[./]\S*)?)$/u;
/** A label of one word with a telephone number or an address: `fax: 555-0134`. */
export const contactAtStart =
  /^\p{L}[\p{L}-]{1,11}(?: ?: +|\. ?(?=\+))(?:[+(]?\d[\d()./ -]{4,}$|\S+@|https?:|www\.)/u;
const emailAtStart = /^[^\s@]+@[^\s@]+\.\p{Ll}{2,}\s/u;
/** An address at the end of a text. */
const addressAtEnd = /\s(?:[^\s@]+@[^\s@]+\.\p{Ll}{2,}|https?:\S+|www\.\S+)$/u;
/** Articles, prepositions and conjunctions, which are not the last word of a label. */
const joints =
  'an the of and or for from to into on at by with as per via than that if is are be your our its ' +
  'und oder der die das des dem den von vom zu zur zum im bei mit auf aus ' +
  'et ou de du des le la les au aux pour par avec dans sur en un une ' +
  'y o e del los las el al con por para da do dos das em no na di della il gli che';
const small = joints.replaceAll(' ', '|');
const capital = 'AND|OF|OR|FOR|FROM|TO|IN|ON|AT|BY|WITH';
/** Articles at the start of a sentence. Others may also be names: `Vitamin A`, `Gruppe Die`. */
const articles = 'The|An|Das|Der|Les|Los|Las';
/** Short words that are also units: `7 am`, `12 in`. */
const units = String.raw`(?<!\p{Nd}\s)(?:a|am|in)`;
/** An end that is never the end of a text, such as an article. */
export const jointAtEnd = new RegExp(`(?:^|[\\s(])(?:${small}|${capital}|${articles}|THE|${units})$`, 'u');
const capitalJointAtStart = new RegExp(`^(?:${capital})\\s\\P{Ll}*$`, 'u');
/** An end that shows that the text continues: a hyphen, a slash, or a sign for “and”, but not the dash of `149,-`. */
const openEnd = /[(&]$|\S(?<!\d[,.])[-‐/]$/u;
/** An amount: with a currency sign, or with two decimals. */
const amount = String.raw`(?:\p{Sc}\s?[-–]?\d[\d.,]*|\d[.,]\d{2})\)?`;
export const amountAtEnd = new RegExp(`${amount}$`, 'u');
const amountOrCode = new RegExp(String.raw`${amount}(?:\s|$)|(?:^|\s)\p{Lu}{2,}-?\d{2,}`, 'u');
const word = /(?:^|[\s("'])\p{L}{2,}(?=$|[\s,.;:)"'!?])/u;

/** The minimum number of words before a comma from which the text continues. The end of a letter is shorter. */
const minWordsBeforeComma = 4;
/** A bracket or a quotation that is not closed. A German quotation ends with the sign at which an English one starts. */
const openBracket = /(?:\([^)]{0,80}|„[^“”]{0,80}|«[^»]{0,80}|(?:^|\s)“[^”]{0,80})$/u;
/** A start that shows that a text continues: a sign for “and”, or a remark in brackets if it had no room above. */
const and = /^&/u;
const remark = /^\(/u;

/** Whether a sentence continues from one line to the next one. */
export function continues(above: string, below: string): boolean {
  return (
    lowerStart.test(below) &&
    !sentenceEnd.test(above) &&
    ![address, emailAtStart, contactAtStart].some((start) => start.test(below))
  );
}

export function isAddress(text: string): boolean {
  return address.test(text);
}

export function endsWithAddress(text: string): boolean {
  return isAddress(text) || addressAtEnd.test(text);
}

/**
 * Whether a text seems to continue from one line to the next one, although no sentence does.
 *
 * @param endsEarly whether the upper line has room for the next word
 */
export function isOpen(above: string, below: string, endsEarly = false): boolean {
  if (openBracket.test(above)) return true;
  if (!endsEarly && above.endsWith(':') && lowerStart.test(below)) return true;
  if (sentenceEnd.test(above)) return false;
  return (
    (above.endsWith(',') && above.split(' ', minWordsBeforeComma).length === minWordsBeforeComma) ||
    openEnd.test(above) ||
    jointAtEnd.test(above) ||
    capitalJointAtStart.test(below) ||
    and.test(below) ||
    (!endsEarly && remark.test(below))
  );
}

/** A label with a colon at the start of a text. */
export const labelStart = /^\d?\p{Lu}[^:.;!?]{0,40}:(?:\s|$)/u;

/** Whether a text consists of amounts and codes, without a word. */
export function isFigures(text: string): boolean {
  return !word.test(text) && amountOrCode.test(text);
}
