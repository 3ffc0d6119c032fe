// Code points of the digits zero in the Basic Multilingual Plane; the digits 1 to 9 follow each of them.
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
  0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
  0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];
const ascii = new Map<string, string>(
  zeros.flatMap((zero) =>
    Array.from({ length: 10 }, (_, n): [string, string] => [String.fromCharCode(zero + n), String(n)]),
  ),
);
for (const [other, own] of [
  ['\u060c', ','],
  ['\uff0c', ','],
  ['\uff0e', '.'],
  ['\uff1a', ':'],
  ['\uff0f', '/'],
  ['\u2236', ':'],
  ['\u2019', "'"],
  ['\u066b', '.'],
  ['\u066c', ','],
  ['\u00a0', ' '],
  ['\u202f', ' '],
  ['\u2009', ' '],
  ['\u2007', ' '],
] as const) {
  ascii.set(other, own);
}

/** `text` with ASCII digits and separators; the length does not change. */
export function withAsciiDigits(text: string): string {
  return text.replace(
    /[[\p{Nd}--[0-9]]\u060c\uff0c\uff0e\uff1a\uff0f\u2236\u2019\u066b\u066c\u00a0\u202f\u2009\u2007]/gv,
    (own) => ascii.get(own) ?? own,
  );
}

const han: Record<string, number> = {
  〇: 0,
  零: 0,
  一: 1,
  二: 2,
  两: 2,
  兩: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};
const hanPowers: Record<string, number> = { 十: 1, 百: 2, 千: 3, 万: 4, 萬: 4, 億: 8, 亿: 8, 兆: 12 };
/** A scale after digits, as in 10万, is not a separate number. */
const hanNumeral = /(?<!\p{Nd}\s?[多余餘]?[十百千]?)[〇零一二两兩三四五六七八九十百千万萬億亿兆]{1,30}/gu;

function hanValue(numeral: string): string {
  if (![...numeral].some((sign) => sign in hanPowers)) return [...numeral].map((sign) => han[sign]).join('');
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  for (const sign of numeral) {
    const power = hanPowers[sign];
    if (power === undefined) digit = han[sign]!;
    else if (power < 4) {
      section += (digit ?? 1) * 10 ** power;
      digit = undefined;
    } else {
      total += (section + (digit ?? 0) || 1) * 10 ** power;
      section = 0;
      digit = undefined;
    }
  }
  const value = total + section + (digit ?? 0);
  return Number.isSafeInteger(value) ? String(value) : '';
}

const romanSigns: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
const romanNumeral = /(?<![\p{L}\p{N}])[IVXLC]{1,8}(?:e|er|ème|th)?(?![\p{L}\p{N}])/gu;

function romanValue(numeral: string): string {
  const signs = [...numeral.replace(/[a-zè]+$/, '')].map((sign) => romanSigns[sign]!);
  return String(signs.reduce((sum, value, i) => sum + (value < (signs[i + 1] ?? 0) ? -value : value), 0));
}

/** Returns the whole numbers that a text writes in Chinese or Roman numerals, such as 二十, 二〇二四, XIXe. */
export function otherNumerals(text: string): string[] {
  return [
    ...[...text.matchAll(hanNumeral)].map(([numeral]) => hanValue(numeral)),
    ...[...text.matchAll(romanNumeral)].map(([numeral]) => romanValue(numeral)),
  ];
}

/** Returns a decimal number as text, so that no digit is lost: `1234.5`, without leading or trailing zeros. */
export function canonical(whole: string, fraction = ''): string {
  const left = whole.replace(/^0+(?=\d)/, '') || '0';
  const right = fraction.replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

/** Returns `decimal` multiplied by ten to the power of `exponent`. */
export function shifted(decimal: string, exponent: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const padded = fraction.padEnd(exponent, '0');
  return canonical(whole + padded.slice(0, exponent), padded.slice(exponent));
}

const isGrouped = (groups: readonly string[]): boolean =>
  groups[0]!.length <= 3 && groups.slice(1).every(({ length }) => length === 3);

/** Whether digits are grouped as in India: 1,23,456. */
const isIndian = (groups: readonly string[]): boolean =>
  groups.length > 2 &&
  groups[0]!.length <= 2 &&
  groups.at(-1)!.length === 3 &&
  groups.slice(1, -1).every(({ length }) => length === 2);

/**
 * Returns the possible values of digits with separators: `1,234` is 1234 in English and 1.234 in German. None if they
 * are several numbers, such as `1.2.3` or `31.12.2024`.
 * @param written ASCII digits divided by single separators
 */
export function readings(written: string): string[] {
  if (/^\d+$/.test(written)) return [canonical(written)];
  const groups = written.split(/\D/);
  const separators = written.replace(/\d/g, '');
  const found: string[] = [];
  const same = new Set(separators).size === 1;
  if (same && (isGrouped(groups) || isIndian(groups))) found.push(canonical(groups.join('')));
  // Spanish also writes 4'5 for 4.5; an apostrophe before three digits groups them.
  if (groups.length === 2 && (/[.,]/.test(separators) || (separators === "'" && groups[1]!.length !== 3))) {
    found.push(canonical(groups[0]!, groups[1]!));
  }
  const thousands = groups.slice(0, -1);
  const last = separators.at(-1)!;
  if (
    groups.length > 2 &&
    /[.,]/.test(last) &&
    new Set(separators.slice(0, -1)).size === 1 &&
    separators[0] !== last &&
    (isGrouped(thousands) || isIndian(thousands))
  ) {
    found.push(canonical(thousands.join(''), groups.at(-1)!));
  }
  return found;
}
