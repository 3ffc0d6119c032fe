import { canonical, readings, shifted, withAsciiDigits } from './numerals.ts';

/**
 * Powers of ten and the words for them after a number, with alternatives divided by `|`; `=` means that the whole word
 * must be equal.
 */
const table: [exponents: number[], words: string][] = [
  [[2], 'hundred|hundert|सौ|yüz'],
  [
    [3],
    '=k|thousand|tausend|=mil|=mille|=miles|mila|=tsd|=тыс|тысяч|тисяч|=tys|tysi|tisíc|tusen|tusind|duizend|tuhat|tuhan|=bin|ezer|χιλ|ألف|آلاف|الف|هزار|ہزار|हज़ार|हजार|ribu|nghìn|ngàn|=mii',
  ],
  [[5], 'lakh|लाख|لاکھ'],
  [
    [6],
    '=m|=mn|=mio|=mln|million|millón|millon|milioni|milione|milhão|milhões|miljoen|miljon|milion|milió|milió|miljard|млн|миллион|мільйон|milyon|millió|miljoon|εκατομ|مليون|ملايين|میلیون|ملین|मिलियन|दशलक्ष|juta|triệu|milioane',
  ],
  [[7], 'crore|करोड़|کروڑ|कोटी|करोड'],
  [
    [9, 12],
    '=b|=bn|=mrd|=mld|milliard|milliárd|miljard|miliard|млрд|миллиард|мільярд|milyar|مليار|میلیارد|ارب|अरब|bilhão|bilhões|billion|billón|billones|bilion|miliar|tỷ|δισεκ|δισ|मिलीअर्ड|अब्ज',
  ],
  [
    [12, 18],
    'trillion|trilhão|trilhões|trillón|trilyon|трлн|триллион|трильйон|billionen|billions|billiard|biliard|billón|billones|trilión|triliun',
  ],
];
const exact = new Map<string, number[]>();
const stems: [string, number[]][] = [];
for (const [exponents, words] of table) {
  for (const word of words.split('|')) {
    if (word.startsWith('=')) exact.set(word.slice(1), exponents);
    else stems.push([word, exponents]);
  }
}

/** Returns the powers of ten that `word` may mean after a number; none for other words. */
export function exponentsOf(word: string): number[] {
  const lower = word.toLowerCase();
  const whole = exact.get(lower);
  if (whole !== undefined) return whole;
  return stems.filter(([stem]) => lower.startsWith(stem)).flatMap(([, exponents]) => exponents);
}

/** Signs that multiply the number directly before them. */
const scaleSigns: Readonly<Record<string, number>> = {
  十: 1,
  십: 1,
  百: 2,
  千: 3,
  万: 4,
  萬: 4,
  億: 8,
  亿: 8,
  兆: 12,
  천: 3,
  만: 4,
  억: 8,
  조: 12,
  백: 2,
};

/** Scale words of Thai, which does not put a space after a word. */
const thaiScales: [string, number][] = [
  ['พันล้าน', 9],
  ['หมื่นล้าน', 10],
  ['แสนล้าน', 11],
  ['ล้าน', 6],
  ['แสน', 5],
  ['หมื่น', 4],
  ['พัน', 3],
  ['ร้อย', 2],
];

export interface NumberMatch {
  span: string;
  start: number;
  end: number;
  /** Whether only its value with the scale after it counts, such as 100,000 for 10万. */
  isScaled: boolean;
  /** Possible values, the likeliest first. `1.2.3` has itself as its value. A date has no values: its parts count. */
  values: string[];
  /** The parts of the number between separators. */
  parts: string[];
  /** Whether the number belongs to a date. The day and month of a date may be written in words. */
  inDate: boolean;
  /** Whether the number is a part of a time such as 3:45, or a whole time such as "3.45 p.m.". */
  inTime: boolean;
  /** Of a whole time: the hour on both clocks. */
  hours?: string[];
  /** Whether a translation may omit the number: the minutes of a full hour, or 24/7. */
  idle: boolean;
  /** Whether the number belongs to a list, such as the `1` in "1, 2", or is two numbers, such as `0,1` in "(0,1)". */
  inList: boolean;
  /** Whether the number is part of a word for "three-dimensional", such as "3D". */
  isDimension: boolean;
}

const number = /\d{1,3}(?:[ ']\d{3}(?!\d))+(?:[.,]\d+)?|\d+(?:[.,']\d+)*/g;
const date =
  /\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})(?!\d)|\d{1,2}\s?[月월]|\d{1,2}\/\d{1,2}(?!\d)/g;
const around = 24;

/** Letters of the scripts that put a space between a word and a number. */
const identifierLetter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}_]/u;

const isAsciiLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

// These checks of single characters avoid most uses of the slower regular expressions.

/** Whether a word or sign that begins with `code` may change the meaning of a number. */
const maySay = (code: number): boolean => code > 127 || isAsciiLetter(code);

/**
 * Returns the code of the character after a number; if a space or hyphen follows, the one after that. NaN at the end.
 */
function codeAfter(text: string, end: number): number {
  const code = text.charCodeAt(end);
  return code === 32 || code === 45 ? text.charCodeAt(end + 1) : code;
}

function isInIdentifier(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (
    start > 0 &&
    (before > 127 || before === 95 || isAsciiLetter(before)) &&
    identifierLetter.test(text[start - 1]!)
  ) {
    // "1920x1080" contains two numbers and "$US10" contains one, "No2" and "0x1F" contain none.
    return !/(?:(?:[1-9]|\d0)x|\$(?:US|CAN?|AU|NZ|HK|SG))$/.test(text.slice(Math.max(0, start - 4), start));
  }
  if (/^[xX]/.test(text[end] ?? '') && text.slice(start, end) === '0') return true;
  if (!isAsciiLetter(text.charCodeAt(end)) && text[end] !== '_') return false;
  const tail = /^[A-Za-z_]{1,24}/.exec(text.slice(end, end + around))?.[0] ?? '';
  return tail !== '' && tail !== 'x' && /\d/.test(text[end + tail.length] ?? '');
}

/** Returns the hour on the other clock, if the text has AM or PM, or a time after noon. */
function otherClock(value: string, text: string, start: number, end: number): string[] {
  if (value.length > 2) return [];
  const sign = text.charCodeAt(end);
  if (sign !== 58 && sign !== 46 && !maySay(codeAfter(text, end)) && !(text.charCodeAt(start - 1) > 127)) {
    if (!/\s/.test(text[start - 1] ?? '') || !(text.charCodeAt(start - 2) > 127)) return [];
  }
  const hour = Number(value);
  const after = text.slice(end, end + around);
  const before = text.slice(Math.max(0, start - 4), start);
  const evening = /^(?:[:.]\d\d)?\s?p\.?\s?m\b/i.test(after) || /(?:午後|下午|晚上|오후)\s?$/.test(before);
  if (evening && hour <= 12) return [String(hour === 12 ? 12 : hour + 12)];
  if (/^(?:[:.]\d\d)?\s?a\.?\s?m\b/i.test(after) && hour === 12) return ['0', '24'];
  const clock = /^(?::\d\d|(?:\.\d\d)?\s?(?:h\b|Uhr|時|点|點|시|час|น))/.test(after);
  if (clock && hour > 12 && hour < 24) return [String(hour - 12)];
  return clock && (hour === 0 || hour === 24) ? ['12', '0', '24'] : [];
}

/** Words and signs after a time that is written with a point. */
const afterTime = /^\s?(?:[ap]\.?\s?m\b|h\b|Uhr\b|uur\b|час)/i;

/**
 * Returns a time that is written with a point, such as "3.45 p.m." or "15.45 Uhr". It has no values: its parts count, and
 * a full hour needs no minutes. "3.45 h" may also be a number of hours, so it keeps its values.
 */
function timeWithPoint(
  text: string,
  span: string,
  start: number,
): Pick<NumberMatch, 'parts' | 'hours' | 'inTime'> | undefined {
  const [, hour, minutes] = /^([01]?\d|2[0-4])\.([0-5]\d)$/.exec(span) ?? [];
  const end = start + span.length;
  if (hour === undefined || minutes === undefined || !afterTime.test(text.slice(end, end + around)))
    return undefined;
  const own = canonical(hour);
  const hours = [own, ...otherClock(own, text, start, start + hour.length)];
  const parts = minutes === '00' ? [own] : [own, canonical(minutes)];
  return {
    ...(/^\s?h/i.test(text.slice(end, end + 2)) ? undefined : { values: [] }),
    parts,
    hours,
    inTime: true,
  };
}

/** 兆 is a million or 10¹², so the number before it counts, too. So does the number before other words. */
const isOneScale =
  /^\s?(?:[多余餘]?[十百千십백천]?[百千万萬億亿천만억백]|(?:lakh|crore)s?\b|लाख|لاکھ|کروڑ|कोटी|करोड़|करोड)/iu;

function scales(text: string, end: number): number[] {
  if (!maySay(codeAfter(text, end)) && !/\s/.test(text[end] ?? '')) return [];
  const after = text.slice(end, end + around);
  const signs = /^\s?[多余餘]?([十百千십백천]?)([万萬億亿兆만억조]?)/.exec(after)?.slice(1).join('') ?? '';
  if (signs !== '') return [[...signs].reduce((sum, sign) => sum + (scaleSigns[sign] ?? 0), 0)];
  const trimmed = after.replace(/^[\s-]/, '');
  const thai = thaiScales.find(([word]) => trimmed.startsWith(word));
  if (thai !== undefined) return [thai[1]];
  const word = /^[\p{L}\p{M}]+/u.exec(trimmed)?.[0];
  return word === undefined ? [] : exponentsOf(word);
}

/**
 * Returns the full years that a short number may mean: "the 90s" are 1990年代 in other languages, "24" is 2024 in a date,
 * and the 1600s are the 17th century.
 */
function fullYears(value: string, text: string, end: number, inDate: boolean): string[] {
  if (value.length !== 2 && !value.endsWith('00')) return [];
  const decade = /^\d0$/.test(value) && /^['’]?s\b/.test(text.slice(end, end + 3));
  if (decade || (inDate && /^\d\d$/.test(value))) return [`19${value}`, `20${value}`];
  return /^\d{1,2}00$/.test(value) && centuryEnding.test(text.slice(end, end + around))
    ? [String(Number(value.slice(0, -2)) + 1)]
    : [];
}

/** Endings that make 1600 a century: the 1600s, 1600-tallet, 1600-luvulla. */
export const centuryEnding =
  /^(?:['’]?s\b|[-–]\d{3,4}(?:['’]?s\b|\s?-?(?:tal|luvu|luku))|\s?-?(?:tal|luvu|luku))/;

/** Words for twelve in several languages: "3 dozen" is 36. */
const dozen =
  /^[\s-]?(?:dozen|dutzend|douzaine|docen|dozzin|dúzia|dozijn|dussin|tusina|tucet|tuzin|tucat|düzine|дюжин|duzin|δωδεκάδ|دزينة|दर्जन|lusin|ダース|打(?!\p{L}))/iu;

const dimension = /^(?:[ -]?D(?![\p{L}\p{N}])|[ -]?dimension)/u;

function isInList(text: string, span: string, start: number, end: number): boolean {
  if (text[end] === ',' && /^,\s\d/.test(text.slice(end, end + 3))) return true;
  if (text[start - 2] === ',' && /\d,\s$/.test(text.slice(Math.max(0, start - 3), start))) return true;
  if (!span.includes(',')) return false;
  const isPair = /^\d+,(?:\d{1,2}|\d{4,})$/.test(span);
  return isPair && /[([]/.test(text[start - 1] ?? '') && /[)\]]/.test(text[end] ?? '');
}

function isIdle(text: string, span: string, start: number): boolean {
  if (span === '00') return text[start - 1] === ':';
  return (
    (span === '24' && text.startsWith('24/7', start)) || (span === '7' && text.endsWith('24/7', start + 1))
  );
}

function dates(text: string): { start: number; end: number }[] {
  return [...text.matchAll(date)].map(({ index, 0: span }) => ({ start: index, end: index + span.length }));
}

const maxSummandLength = 40;

function largest({ values }: NumberMatch): bigint {
  const whole = values.map((value) => value.split('.')[0]!).filter(({ length }) => length < maxSummandLength);
  return whole.map(BigInt).reduce((most, value) => (value > most ? value : most), 0n);
}

/**
 * Joins numbers with falling scale signs into one number, such as 1億2,000万 or 1 亿 2000 万. `ascii` is the text with ASCII digits; it
 * has the same length.
 */
function joined(found: NumberMatch[], text: string, ascii: string): NumberMatch[] {
  const out: NumberMatch[] = [];
  for (const next of found) {
    const before = out.at(-1);
    const isNext = before !== undefined && next.start - before.end <= 3;
    const scale = isNext ? scaleSigns[ascii.slice(before.end, next.start).trim()] : undefined;
    const own =
      scale === undefined ? 0 : (scaleSigns[ascii.slice(next.end, next.end + 2).trim()[0] ?? ''] ?? 0);
    if (before === undefined || scale === undefined || scale <= own) {
      out.push(next);
      continue;
    }
    const sum = largest(before) + largest(next);
    out[out.length - 1] = {
      ...before,
      span: text.slice(before.start, next.end),
      end: next.end,
      values: [String(sum)],
      parts: [...before.parts, ...next.parts],
    };
  }
  return out;
}

/**
 * Returns the numbers of a text: digits in any script, except those within names such as `utf8` and `ES2015`.
 * @param text with everything except prose blanked out
 */
export function findNumbers(text: string): NumberMatch[] {
  const ascii = withAsciiDigits(text);
  const inDates = dates(ascii);
  let nextDate = 0;
  const found: NumberMatch[] = [];
  for (const { index: start, 0: span } of ascii.matchAll(number)) {
    const end = start + span.length;
    if (isInIdentifier(ascii, start, end)) continue;
    while (nextDate < inDates.length && inDates[nextDate]!.end <= start) nextDate += 1;
    const inDate = (inDates[nextDate]?.start ?? Number.POSITIVE_INFINITY) <= start;
    const plain = readings(span);
    const point =
      ascii[start - 1] === '.' && /(?:^|[^\w.])\.$/.test(ascii.slice(Math.max(0, start - 2), start));
    const values = [...plain];
    for (const value of plain) values.push(...otherClock(value, ascii, start, end));
    for (const value of plain) values.push(...fullYears(value, ascii, end, inDate));
    if (point) values.push(canonical('0', span));
    const exponents = plain.length > 0 ? scales(ascii, end) : [];
    // "10万" is 100,000 and never 10: otherwise "10,000", which may also be 10 with three decimals, would equal it.
    const isScaled = exponents.length > 0 && isOneScale.test(ascii.slice(end, end + around));
    if (isScaled) values.length = 0;
    for (const value of plain) for (const exponent of exponents) values.push(shifted(value, exponent));
    if (/^\d{1,6}$/.test(span) && dozen.test(ascii.slice(end, end + around)))
      values.push(String(12 * Number(span)));
    const parts =
      plain.length === 1 && /^\d+$/.test(span) ? plain : span.split(/\D/).map((part) => canonical(part));
    if (parts.length > 2 && /^[\d.]+$/.test(span) && !inDate) values.unshift(span);
    const inTime = span.length <= 2 && (ascii[end] === ':' || ascii[start - 1] === ':');
    found.push({
      span: text.slice(start, end),
      start,
      end,
      isScaled,
      values,
      parts,
      inDate,
      inTime,
      idle: isIdle(ascii, span, start),
      inList: isInList(ascii, span, start, end),
      isDimension:
        span.length === 1 &&
        /^[1-4][ -]?[Dd]/.test(ascii.slice(start, end + 2)) &&
        dimension.test(ascii.slice(end, end + around)),
      ...(inDate ? undefined : timeWithPoint(ascii, span, start)),
    });
  }
  return joined(found, text, ascii);
}
