import { type Entity, isInWord, passesLuhn } from './numbers.ts';

/** A national number of a person. */
interface NationalNumber {
  /** Its letters and digits without separators. */
  form: RegExp;
  /** Whether check digits and dates are right. Missing if the number has none. */
  check?: (compact: string) => boolean;
  /** How it is usually written, if a number is recognized only in this form or behind a word such as “Tax ID”. */
  written?: RegExp;
}

/** Returns the weighted sum of digits. Letters count as in base 36. */
function weigh(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number.parseInt(digits[at]!, 36), 0);
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);

/** Whether two digits each are a day of a year. */
function isDate(year: string, month: string, day: string): boolean {
  const [m, d] = [Number(month), Number(day)];
  return year !== '' && m >= 1 && m <= 12 && d >= 1 && d <= 31;
}

const at = (text: string, ...places: [number, number][]) =>
  places.map(([from, to]) => text.slice(from, to)) as [string, string, string];

/** ISO 7064 mod 11,10: the German tax number. */
function passesMod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

const dihedral = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const permuted = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** Verhoeff's check digit: Aadhaar. */
function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place++)
    check = Number(dihedral[check]![Number(permuted[place % 8]![Number(digits.at(-1 - place))])]);
  return check === 0;
}

/** A digit that is the weighted sum modulo 11; 10 counts as 0 or is never given. */
const mod11 = (digits: string, weights: number[], place: number, ten = 0) => {
  const rest = weigh(digits, weights) % 11;
  return (rest === 10 ? ten : rest) === Number(digits[place]);
};

/** A digit by which the weighted sum becomes a multiple of 11; 10 and 11 count as 0. */
const to11 = (digits: string, weights: number[], place: number) => {
  const rest = 11 - (weigh(digits, weights) % 11);
  return (rest > 9 ? 0 : rest) === Number(digits[place]);
};

const fiscalOdd = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** The check letter of the Italian codice fiscale. */
function passesFiscalCode(code: string): boolean {
  let sum = 0;
  for (let place = 0; place < 15; place++) {
    const value = Number.parseInt(code[place]!, 36);
    const index = value > 9 ? value - 10 : value;
    sum += place % 2 === 0 ? fiscalOdd[index]! : index;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

/** The check digit of the Mexican CURP. */
function passesCurp(code: string): boolean {
  const order = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
  let sum = 0;
  for (let place = 0; place < 17; place++) sum += order.indexOf(code[place]!) * (18 - place);
  return (10 - (sum % 10)) % 10 === Number(code[17]);
}

/**
 * The numbers of the countries of the supported languages. One with a single check digit, which many other numbers have by
 * chance, needs its usual form or a word before it.
 */
const numbers: Record<string, NationalNumber> = {
  us: { form: /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/, written: /^\d{3}-\d\d-\d{4}$/ },
  gb: { form: /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/ },
  ca: { form: /^[1-79]\d{8}$/, check: passesLuhn, written: /^\d{3}[ -]\d{3}[ -]\d{3}$/ },
  es: {
    form: /^[XYZ\d]\d{7}[A-Z]$/,
    check: (id) =>
      'TRWAGMYFPDXBNJZSQVHLCKE'[
        Number(id.slice(0, -1).replace(/^[XYZ]/, (x) => String('XYZ'.indexOf(x)))) % 23
      ] === id.at(-1),
  },
  mx: { form: /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d$/, check: passesCurp },
  fr: {
    form: /^[12]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d\d|2[AB])\d{6}\d\d$/,
    check: (id) =>
      97 - Number(BigInt(id.slice(0, 13).replace('2A', '19').replace('2B', '18')) % 97n) ===
      Number(id.slice(13)),
  },
  de: { form: /^[1-9]\d{10}$/, check: passesMod11And10, written: /^\d\d \d{3} \d{3} \d{3}$/ },
  deInsurance: {
    form: /^\d{8}[A-Z]\d{3}$/,
    check: (id) => isDate(...at(id, [6, 8], [4, 6], [2, 4])),
  },
  at: {
    form: /^[1-9]\d{9}$/,
    check: (id) => mod11(id, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6], 3) && isDate(...at(id, [8, 10], [6, 8], [4, 6])),
  },
  ch: { form: /^756\d{10}$/, check: (id) => weigh(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0 },
  it: {
    form: /^[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/,
    check: passesFiscalCode,
  },
  br: {
    form: /^(?!(\d)\1{10})\d{11}$/,
    check: (id) => to11(id, down(10, 2), 9) && to11(id, down(11, 2), 10),
  },
  pt: { form: /^[1-3]\d{8}$/, check: (id) => to11(id, down(9, 2), 8), written: /^\d{3} \d{3} \d{3}$/ },
  nl: {
    form: /^\d{9}$/,
    check: (id) => (weigh(id, down(9, 2)) - Number(id[8])) % 11 === 0,
    written: /^\d{4}\.\d\d\.\d{3}$/,
  },
  be: {
    form: /^\d{11}$/,
    check: (id) =>
      [id.slice(0, 9), `2${id.slice(0, 9)}`].some(
        (base) => 97 - (Number(base) % 97) === Number(id.slice(9)),
      ) && isDate(...at(id, [0, 2], [2, 4], [4, 6])),
  },
  cn: {
    form: /^[1-9]\d{5}(?:19|20)\d{9}[\dX]$/,
    check: (id) =>
      isDate(...at(id, [6, 10], [10, 12], [12, 14])) &&
      '10X98765432'[weigh(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === id[17],
  },
  tw: {
    form: /^[A-Z][1289]\d{8}$/,
    check: (id) => {
      const region = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(id[0]!) + 10;
      return (
        (Math.floor(region / 10) + (region % 10) * 9 + weigh(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1])) %
          10 ===
        0
      );
    },
  },
  jp: {
    form: /^\d{12}$/,
    check: (id) => {
      const rest = weigh(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === Number(id[11]);
    },
    written: /^\d{4}[ -]\d{4}[ -]\d{4}$/,
  },
  kr: {
    form: /^\d{6}[1-8]\d{6}$/,
    check: (id) => isDate(...at(id, [0, 2], [2, 4], [4, 6])),
    written: /^\d{6}-\d{7}$/,
  },
  ae: { form: /^784(?:19|20)\d{10}$/, check: passesLuhn },
  sa: { form: /^[12]\d{9}$/, check: passesLuhn, written: /^$/ },
  eg: { form: /^[23]\d{13}$/, check: (id) => isDate(...at(id, [1, 3], [3, 5], [5, 7])) },
  ru: {
    form: /^\d{11}$/,
    check: (id) => (weigh(id, down(9, 1)) % 101) % 100 === Number(id.slice(9)) && weigh(id, down(9, 1)) > 0,
    written: /^\d{3}-\d{3}-\d{3} \d\d$/,
  },
  ruTax: {
    form: /^\d{12}$/,
    check: (id) =>
      (weigh(id, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === Number(id[10]) &&
      (weigh(id, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === Number(id[11]),
  },
  in: { form: /^[2-9]\d{11}$/, check: passesVerhoeff, written: /^\d{4} \d{4} \d{4}$/ },
  // Not “early 1990s”.
  inTax: { form: /^[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]$/, written: /^\w{10}$/ },
  tr: {
    form: /^[1-9]\d{10}$/,
    check: (id) =>
      (weigh(id, [7, -1, 7, -1, 7, -1, 7, -1, 7]) + 100) % 10 === Number(id[9]) &&
      weigh(id, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === Number(id[10]),
  },
  vn: { form: /^0\d{2}[0-3]\d{8}$/, written: /^$/ },
  th: {
    form: /^[1-8]\d{12}$/,
    check: (id) => (11 - (weigh(id, down(13, 2)) % 11)) % 10 === Number(id[12]),
    written: /^\d[ -]\d{4}[ -]\d{5}[ -]\d\d[ -]\d$/,
  },
  id: {
    form: /^[1-9]\d{15}$/,
    check: (id) => isDate(id.slice(10, 12), id.slice(8, 10), String(Number(id.slice(6, 8)) % 40)),
    written: /^\d{16}$/,
  },
  pl: {
    form: /^\d{11}$/,
    check: (id) =>
      weigh(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 &&
      isDate(id.slice(0, 2), String(Number(id.slice(2, 4)) % 20), id.slice(4, 6)),
  },
  ua: {
    form: /^\d{10}$/,
    check: (id) => (weigh(id, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) % 10 === Number(id[9]),
    written: /^$/,
  },
  cz: {
    form: /^\d{9,10}$/,
    check: (id) =>
      (id.length === 9 || Number(id) % 11 === 0) &&
      isDate(id.slice(0, 2), String((Number(id.slice(2, 4)) % 50) % 20), id.slice(4, 6)),
    written: /^\d{6}\/\d{3,4}$/,
  },
  ro: {
    form: /^[1-9]\d{12}$/,
    check: (id) =>
      mod11(id, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 12, 1) && isDate(...at(id, [1, 3], [3, 5], [5, 7])),
  },
  hu: {
    form: /^\d{9}$/,
    check: (id) => weigh(id, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === Number(id[8]),
    written: /^\d{3}-\d{3}-\d{3}$/,
  },
  huTax: { form: /^8\d{9}$/, check: (id) => mod11(id, [1, 2, 3, 4, 5, 6, 7, 8, 9], 9), written: /^$/ },
  gr: {
    form: /^\d{11}$/,
    check: (id) => passesLuhn(id) && isDate(id.slice(4, 6), id.slice(2, 4), id.slice(0, 2)),
  },
  se: {
    form: /^(?:19|20)?\d{10}$/,
    check: (id) =>
      passesLuhn(id.slice(-10)) &&
      isDate(id.slice(-10, -8), id.slice(-8, -6), String(Number(id.slice(-6, -4)) % 60)),
    written: /^(?:\d\d)?\d{6}[-+]\d{4}$/,
  },
  dk: {
    form: /^\d{10}$/,
    check: (id) => isDate(id.slice(4, 6), id.slice(2, 4), id.slice(0, 2)),
    written: /^\d{6}-\d{4}$/,
  },
  no: {
    form: /^\d{11}$/,
    check: (id) => to11(id, [3, 7, 6, 1, 8, 9, 4, 5, 2], 9) && to11(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 10),
  },
  fi: {
    form: /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]$/,
    check: (id) =>
      '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(id.slice(0, 6) + id.slice(7, 10)) % 31] === id[10],
    written: /^\d{6}[-+A-FU-Y]\d{3}\w$/,
  },
  my: {
    form: /^\d{12}$/,
    check: (id) => isDate(...at(id, [0, 2], [2, 4], [4, 6])),
    written: /^\d{6}-\d\d-\d{4}$/,
  },
  ir: {
    form: /^\d{10}$/,
    check: (id) => {
      const rest = weigh(id, down(10, 2)) % 11;
      return (rest < 2 ? rest : 11 - rest) === Number(id[9]);
    },
    written: /^\d{3}-\d{6}-\d$/,
  },
  pk: { form: /^[1-7]\d{12}$/, written: /^\d{5}-\d{7}-\d$/ },
};

/** Words behind which a number of 6 to 20 letters and digits is the number of a person, whatever its form. */
const words =
  /(?:social security|\bSSN|national insurance|\bNINO|\bNI n[or]|\bSIN\b|tax ?id|taxpayer|passport|identity card|\bID card|national id|driving licen[cs]e|personal (?:id|number)|steuer-?(?:id|nummer|identifikationsnummer)|sozialversicherung|rentenversicherung|ausweis|reisepass|führerschein|carte d'identité|sécurité sociale|numéro fiscal|passeport|permis de conduire|\bNIR\b|\bDNI\b|\bNIE\b|\bNIF\b|pasaporte|\bCURP|\bRFC\b|codice fiscale|carta d'identità|passaporto|patente|\bCPF\b|\bRG\b|contribuinte|cartão de cidadão|passaporte|\bBSN\b|burgerservicenummer|paspoort|rijbewijs|rijksregister|ИНН|СНИЛС|паспорт|\bPESEL|dowód|paszport|rodné číslo|\bCNP\b|personnummer|fødselsnummer|\bCPR\b|henkilötunnus|T\.?C\.? kimlik|kimlik no|aadhaar|आधार|\bPAN\b|CCCD|CMND|\bNIK\b|\bKTP\b|MyKad|身份证|身分證|マイナンバー|주민등록번호|บัตรประชาชน|ΑΜΚΑ|ΑΦΜ|РНОКПП|ІПН|رقم الهوية|کد ملی|شناختی کارڈ)[^\d\n]{0,30}$/iu;

/** Yields national numbers of persons. */
export function* findNationalNumbers(text: string): Generator<Entity> {
  const pattern =
    /(?<![\p{L}\p{N}])(?:[A-Z]{2} |[XYZ]-)?[A-Za-zÑñ]{0,6}\d[A-Za-z\d]{0,19}(?:[ ./+-][A-Za-z\d]{1,18}){0,7}/gu;
  for (const { index, 0: piece } of text.matchAll(pattern)) {
    const groups = [...piece.matchAll(/[A-Za-zÑñ\d]+/g)];
    const isNamed = words.test(text.slice(Math.max(0, index - 60), index));
    for (let first = 0; first < groups.length; first++) {
      const last = lastGroup(text, index, piece, groups, first, isNamed && first === 0);
      if (last === undefined) continue;
      const start = index + groups[first]!.index;
      yield { kind: 'national_numbers', start, end: index + groups[last]!.index + groups[last]![0].length };
      first = last;
    }
  }
}

/** Returns the last group of the longest number that begins with a group. */
function lastGroup(
  text: string,
  index: number,
  piece: string,
  groups: RegExpExecArray[],
  first: number,
  isNamed: boolean,
): number | undefined {
  let found: number | undefined;
  for (let last = first; last < groups.length && last < first + 8; last++) {
    const end = groups[last]!.index + groups[last]![0].length;
    const written = piece.slice(groups[first]!.index, end).toUpperCase();
    const compact = written.replace(/[^A-ZÑ\d]/g, '');
    if (compact.length > 20) break;
    if (isInWord(text, index + end)) continue;
    const isPart = isNumber(groups[first - 1]) || isNumber(groups[last + 1]);
    if (isNational(written, compact, isNamed, isPart)) found = last;
    else if (isNamed && found === undefined && last === first && /^[A-Z]{0,3}\d[A-Z\d]{5,}$/.test(compact))
      found = last;
  }
  return found;
}

const isNumber = (group: RegExpExecArray | undefined) => group !== undefined && /\d/.test(group[0]);

/** @param isPart whether other numbers stand directly around it, so that its usual form shows nothing */
function isNational(written: string, compact: string, isNamed: boolean, isPart: boolean): boolean {
  if (compact.length < 8 || compact.length > 18) return false;
  return Object.values(numbers).some(({ form, check, written: usual }) => {
    if (!form.test(compact) && !form.test(written)) return false;
    if (usual && !isNamed && (isPart || !usual.test(written))) return false;
    return !check || check(form.test(compact) ? compact : written);
  });
}
