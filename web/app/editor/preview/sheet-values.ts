/** A cell without text to translate: its reference, and its value as the number format of the file shows it. */
export interface SheetValue {
  cell: string;
  text: string;
}

/** Larger parts of a file are not read, and more values are not shown. */
const maxPart = 20_000_000;
const maxValues = 5000;

/** The number formats that files need not define, as far as they are in common use. */
const builtIn: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'yyyy-mm-dd',
  16: 'yyyy-mm-dd',
  17: 'yyyy-mm-dd',
  18: 'h:mm',
  19: 'h:mm',
  20: 'h:mm',
  21: 'h:mm',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
};

/**
 * Reads the numbers, dates and results of formulas in a sheet of an XLSX file. The results are those that the program
 * stored which saved the file. Files of other formats have none here.
 * @param sheet the name of the sheet
 * @param language the language in which numbers and dates are written
 */
export async function readValues(
  bytes: Uint8Array<ArrayBuffer>,
  sheet: string,
  language: string,
): Promise<SheetValue[]> {
  const entries = entriesOf(bytes);
  const open = async (name: string) => {
    const entry = entries.get(name);
    return entry ? new TextDecoder().decode(await unpacked(bytes, entry)) : '';
  };
  const book = elements(await open('xl/workbook.xml'), 'sheet').find(({ name }) => name === sheet);
  const target = elements(await open('xl/_rels/workbook.xml.rels'), 'Relationship').find(
    ({ Id }) => Id !== undefined && Id === book?.['r:id'],
  )?.['Target'];
  if (target === undefined) return [];
  const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  const content = await open(path);
  const formats = formatsOf(await open('xl/styles.xml'));
  const values: SheetValue[] = [];
  for (const [, attributes = '', inner = ''] of content.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
    const { r: cell, t: type = 'n', s: style = '0' } = attributesOf(attributes);
    const [, value] = /<v\b[^>]*>([^<]*)<\/v>/.exec(inner) ?? [];
    // Texts are segments, which the grid shows.
    if (cell === undefined || value === undefined || type === 's' || type === 'inlineStr') continue;
    if (values.length === maxValues) break;
    const isNumber = type === 'n' && value.trim() !== '' && Number.isFinite(Number(value));
    values.push({
      cell,
      text: isNumber ? formatted(Number(value), formats[Number(style)] ?? '', language) : shown(value, type),
    });
  }
  return values;
}

/** A file in a ZIP archive: where its local header begins, its packed size, and whether it is compressed. */
interface Entry {
  start: number;
  size: number;
  isPacked: boolean;
}

/** Reads the directory of a ZIP archive; empty if the archive has none. */
function entriesOf(bytes: Uint8Array): Map<string, Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = new Map<string, Entry>();
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) return entries;
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length));
    entries.set(name, {
      start: view.getUint32(at + 42, true),
      size: view.getUint32(at + 20, true),
      isPacked: view.getUint16(at + 10, true) !== 0,
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** @throws Error if the file is longer than `maxPart`, or damaged */
async function unpacked(
  bytes: Uint8Array<ArrayBuffer>,
  { start, size, isPacked }: Entry,
): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  const packed = bytes.subarray(from, from + size);
  if (!isPacked) return packed;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))) {
    length += piece.length;
    if (length > maxPart) throw new Error('the sheet is too large for the preview');
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

const shown = (value: string, type: string) =>
  type === 'b' ? (value === '1' ? 'TRUE' : 'FALSE') : unescaped(value);

function elements(xml: string, name: string): Record<string, string | undefined>[] {
  const found = xml.matchAll(new RegExp(`<(?:\\w+:)?${name}\\b([^>]*)>`, 'g'));
  return Array.from(found, ([, attributes = '']) => attributesOf(attributes));
}

function attributesOf(text: string): Record<string, string | undefined> {
  const found = text.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    Array.from(found, ([, name = '', one, other]) => [name, unescaped(one ?? other ?? '')]),
  );
}

function unescaped(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (all, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return name ? (named[name] ?? all) : code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** The codes of the number formats, by style of a cell. */
function formatsOf(styles: string): string[] {
  const codes = new Map(
    elements(styles, 'numFmt').map((one) => [Number(one['numFmtId']), one['formatCode']]),
  );
  const [, cells = ''] = /<(?:\w+:)?cellXfs\b[^>]*>(.*?)<\/(?:\w+:)?cellXfs>/s.exec(styles) ?? [];
  return elements(cells, 'xf').map(
    ({ numFmtId = '0' }) => codes.get(Number(numFmtId)) ?? builtIn[Number(numFmtId)] ?? '',
  );
}

/** Writes a number by a format such as `#,##0.00 "kg"`, in the way of a language. An unknown format shows the number. */
export function formatted(value: number, code: string, language: string): string {
  const [positive = '', negative] = code.split(';');
  const part = value < 0 && negative !== undefined ? negative : positive;
  // Colors, conditions and languages in brackets show nothing, except for the sign of a currency.
  const plain = part.replace(/\[\$([^\]-]*)[^\]]*\]/g, '"$1"').replace(/\[(?![hms]+\])[^\]]*\]/gi, '');
  const pattern = plain.replace(/"[^"]*"|\\.|[_*]./g, '');
  if (/[ymdhs]/i.test(pattern) && !/[0#?]/.test(pattern)) return dated(value, pattern, language);
  const [digits] = /[0#?][0#?,.]*/.exec(pattern) ?? [];
  if (digits === undefined)
    return new Intl.NumberFormat(language, { maximumFractionDigits: 10 }).format(value);
  const [, decimals = ''] = digits.split('.');
  const isPercent = pattern.includes('%');
  const number = new Intl.NumberFormat(language, {
    style: isPercent ? 'percent' : 'decimal',
    useGrouping: digits.includes(','),
    minimumFractionDigits: decimals.replace(/[^0]/g, '').length,
    maximumFractionDigits: decimals.replace(/[^0#?]/g, '').length,
  }).format(value < 0 && negative !== undefined ? -value : value);
  const at = plain.search(/[0#?]/);
  const literal = (text: string) =>
    Array.from(
      text.matchAll(/"([^"]*)"|\\(.)|([-+$€£¥()\s])/g),
      ([, quoted, escaped, sign]) => quoted ?? escaped ?? sign,
    )
      .join('')
      .replace(/^\s+|\s+$/g, ' ');
  return (literal(plain.slice(0, at)) + number + literal(plain.slice(at))).trim();
}

/** A date as its days since the end of 1899. */
function dated(days: number, pattern: string, language: string): string {
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (Number.isNaN(date.getTime())) return String(days);
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    ...(/[yd]/i.test(pattern) && { dateStyle: 'medium' as const }),
    ...(/[hs]/i.test(pattern) && {
      timeStyle: /s/i.test(pattern) ? ('medium' as const) : ('short' as const),
    }),
    ...(!/[ydhs]/i.test(pattern) && { month: 'long' as const }),
  }).format(date);
}
