import type { RedactedKind } from './rules.ts';

/** Personal data in a readable text: UTF-16 offsets. */
export interface Entity {
  kind: RedactedKind;
  start: number;
  end: number;
  /** Of a name: the gender that a title or a given name shows. */
  gender?: 'f' | 'm';
  /** Set for a part of a value whose rest is in the text before or behind. It is not searched for in other texts. */
  isPart?: true;
}

/** Lengths of IBANs by country (ISO 13616 registry). */
const ibanLengths = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18
FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24
SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

const wordUnit = /[\p{L}\p{N}]|(?!\p{Script=Inherited})\p{M}/u;
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Whether a unit belongs to a word. Scripts that join words without a space have no such units. */
export function isInWord(text: string, at: number): boolean {
  const unit = text[at] ?? '';
  return wordUnit.test(unit) && !withoutSpaces.test(unit);
}

/** Yields IBANs: their check digits are right, and they are written together or in groups. */
export function* findIbans(text: string): Generator<Entity> {
  for (const { index: start } of text.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{2}\d\d/gu)) {
    const length = ibanLengths.get(text.slice(start, start + 2).toUpperCase());
    if (!length) continue;
    let compact = '';
    let end = start;
    while (compact.length < length && end < text.length) {
      const unit = text[end]!;
      if (/[A-Za-z0-9]/.test(unit)) compact += unit;
      else if (!/[ .-]/.test(unit) || !/[A-Za-z0-9]/.test(text[end + 1] ?? '')) break;
      end++;
    }
    if (
      compact.length === length &&
      !isInWord(text, end) &&
      mod97(compact.slice(4) + compact.slice(0, 4)) === 1
    )
      yield { kind: 'accounts', start, end };
  }
}

/** Returns the remainder modulo 97 of digits and letters (A is 10), as ISO 7064 and IBANs have it. */
function mod97(digits: string): number {
  let rest = 0;
  for (const unit of digits.toUpperCase()) {
    const value = Number.parseInt(unit, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.at(-1 - at)) * (at % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** A run of digits, with single spaces, dots, hyphens or slashes between groups. */
interface DigitRun {
  start: number;
  end: number;
  groups: { start: number; end: number; digits: string }[];
}

/** Yields the runs of digits of a text. */
function* digitRuns(text: string): Generator<DigitRun> {
  let run: DigitRun | null = null;
  for (const { index: start, 0: digits } of text.matchAll(/\d+/g)) {
    const end = start + digits.length;
    const gap = run ? text.slice(run.end, start) : null;
    if (run && gap !== null && /^[ ./-]$/.test(gap)) {
      run.groups.push({ start, end, digits });
      run.end = end;
      continue;
    }
    if (run) yield run;
    run = { start, end, groups: [{ start, end, digits }] };
  }
  if (run) yield run;
}

/** Maximum number of groups that are read as one number. */
const maxGroups = 8;

/** Yields payment cards: 13 to 19 digits of a known issuer whose check digit is right. */
export function* findCards(text: string): Generator<Entity> {
  for (const { groups } of digitRuns(text)) {
    let first = 0;
    while (first < groups.length) {
      const found = cardAt(text, groups, first);
      if (found !== undefined)
        yield { kind: 'accounts', start: groups[first]!.start, end: groups[found]!.end };
      first = (found ?? first) + 1;
    }
  }
}

/** Returns the last group of the longest card that begins with a group. */
function cardAt(text: string, groups: DigitRun['groups'], first: number): number | undefined {
  if (isInWord(text, groups[first]!.start - 1)) return undefined;
  let digits = '';
  let found: number | undefined;
  for (let at = first; at < groups.length && at < first + maxGroups; at++) {
    digits += groups[at]!.digits;
    if (digits.length > 19) break;
    if (digits.length < 13 || !/^(?:3[0-9]|4|5[0-9]|6[0-9]|2[2-7]|9792|220)/.test(digits)) continue;
    if (passesLuhn(digits) && !isInWord(text, groups[at]!.end)) found = at;
  }
  return found;
}

const localUnit = /[\p{L}\p{N}._%+'!#$&*=?^`{|}~-]/u;
const domainUnit = /[\p{L}\p{N}.-]/u;

/** “jo [at] example [dot] org”, “jo at example dot org”, “jo @ example.org” */
const spelledEmails = (() => {
  const local = String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-]{1,64}`;
  const name = String.raw`[\p{L}\p{N}-]{1,63}`;
  const dot = String.raw` ?[[({] ?(?:dot|punkt|punto|point|ponto|\.) ?[\])}] ?`;
  const at = String.raw` ?[[({] ?(?:at|ät|@|arroba|arobase|chiocciola|klammeraffe) ?[\])}] ?`;
  const before = String.raw`(?:(?:\.|${dot})[\p{L}\p{N}_%+-]{1,64}){0,4}`;
  return new RegExp(
    [
      `${local}${before}${at}${name}(?:(?:\\.|${dot}| dot )${name}){1,5}`,
      `${local}${before} (?:at|@) ${name}(?:(?: dot |${dot})${name}){1,5}`,
      String.raw`${local}${before} @ ?${name}(?:\.${name}){1,5}`,
    ].join('|'),
    'giu',
  );
})();

/** Yields email addresses. */
export function* findEmails(text: string): Generator<Entity> {
  for (const { index: start, 0: written } of text.matchAll(spelledEmails))
    yield { kind: 'emails', start, end: start + written.length };
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < 64 && localUnit.test(text[start - 1]!)) start--;
    while (start < at && /['.&?=*{|}`#]/.test(text[start]!)) start++;
    let end = at + 1;
    while (end < text.length && end - at < 254 && domainUnit.test(text[end]!)) end++;
    while (end > at && /[.-]/.test(text[end - 1]!)) end--;
    const domain = text.slice(at + 1, end);
    if (
      start < at &&
      text[at - 1] !== '=' &&
      /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}$/u.test(domain)
    )
      yield { kind: 'emails', start, end };
  }
}

const phoneWords =
  /(?:(?<!\p{L})(?:tel|telephone|phone|mobile|cell|fax|call|telefon|telefax|mobil|handy|rückruf|tél|téléphone|portable|teléfono|tfno|móvil|celular|telefono|cellulare|telefone|telemóvel|telefoon|mobiel|telefonie|puhelin|komórka|whatsapp|telegram|telefonnummer|rufnummer|nummer|telefonnr|тел|телефон|моб|мобильный)(?!\p{L})|电话|電話|手机|携帯|전화|هاتف|फ़ोन)[^\d\n]{0,24}$/iu;

/** Ways in which national numbers are written without a country code. */
const phoneForms = [
  /^0[1-9][\d ./-]{7,14}$/,
  /^\d{3}[ .-]\d{3}[ .-]\d{4}$/,
  /^0\d(?:[ .-]\d\d){4}$/,
  /^[6-9]\d\d(?: \d\d){3}$/,
  /^[67]\d\d \d{3} (?!000)\d{3}$/,
];

/** Digits of a phone. */
const minDigits = 5;
const maxDigits = 16;

const digitsIn = (written: string) => written.replace(/\D/g, '').length;

/** Yields phone numbers: with a country code, after a word such as “Tel.”, or in a usual national form. */
export function* findPhones(text: string): Generator<Entity> {
  const pattern = /(?<![\d@])(?:\+ ?)?\(?\d{1,15}(?:(?:[ ./-]|\)[ /-]?| ?\(| [-/] )\d{1,15}){0,8}(?!\d)/gu;
  for (const { index: start, 0: written } of text.matchAll(pattern)) {
    const end = start + written.length;
    if (isInWord(text, start - 1) || isInWord(text, end)) continue;
    const isNamed = phoneWords.test(text.slice(Math.max(0, start - 40), start));
    if (digitsIn(written) <= maxDigits) {
      if (isPhone(written, isNamed)) yield { kind: 'phones', start, end };
      continue;
    }
    yield* severalPhones(written, start, isNamed);
  }
}

/** Yields the phones of a list or range: “+49 30 901820 / +49 30 901821”, “+44 20 7946 0200/0201”. */
function* severalPhones(written: string, offset: number, isNamed: boolean): Generator<Entity> {
  let open: Entity | null = null;
  for (const { index, 0: one } of written.matchAll(written.includes(' / ') ? /.+?(?: \/ |$)/g : /[^/]+/g)) {
    const part = one.replace(/[ /]+$/, '');
    const end = offset + index + part.length;
    if (open && digitsIn(part) < minDigits) {
      open.end = end;
      continue;
    }
    if (open) yield open;
    const isNext = isNamed || open !== null;
    const first = part.replace(/-\d{1,4}$/, '');
    open = null;
    if (isPhone(part, isNext) || isPhone(first, isNext))
      open = { kind: 'phones', start: offset + index, end };
  }
  if (open) yield open;
}

function isPhone(written: string, isNamed: boolean): boolean {
  const digits = digitsIn(written);
  if (digits > maxDigits || digits < minDigits) return false;
  const isAbroad = /^(?:\+|00[1-9])/.test(written) && digits >= 8;
  return isAbroad || isNamed || isNational(written, digits);
}

function isNational(written: string, digits: number): boolean {
  if (digits < 9 || digits > 12) return false;
  const plain = written.replace(/[()]/g, '');
  // Dates have dots and slashes, too, and more than one group of two.
  if (/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(plain)) return false;
  return (
    (/^(?:[178] ?)?\(|^0[\d /-]{0,5}\(|^\d{1,3} ?\(0\)/.test(written) && digits >= 9) ||
    phoneForms.some((form) => form.test(plain))
  );
}
