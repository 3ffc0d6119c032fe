import { type PDFDict, PDFName, PDFNumber, PDFStream } from '@cantoo/pdf-lib';
import { decodeStream, get, getArray, getDict, getName } from '../../objects.ts';

/** The maximum length of a procedure that is read, in bytes. Letters are shorter than pictures. */
const maxBytes = 4000;
/** The length of the operators before the data of a bitmap, in bytes. */
const maxHead = 300;
/** The operators of pdf.js in an outline. */
const drawn = { m: 0, l: 1, c: 2, h: 4 } as const;
/** An image of one bit per pixel without a filter, as TeX writes them. */
const bitmap =
  /([-.\d]+) 0 0 ([-.\d]+) ([-.\d]+) ([-.\d]+) cm\s+BI\s((?:\/\w+ ?(?:\d+|true|\[[01] [01]\])\s+)+)ID\s/;

/**
 * Returns a function that returns the outline of a glyph of a Type 3 font by its code: operators of pdf.js with their
 * operands, in thousandths of the font's glyph space; undefined if the procedure is missing or draws anything else.
 *
 * @param isDown whether y grows downwards in the glyph space
 */
export function type3Outlines(font: PDFDict, isDown: boolean): (code: number) => number[] | undefined {
  const names = namesOf(font);
  const known = new Map<number, number[] | undefined>();
  const read = (code: number): number[] | undefined => {
    const name = names.get(code);
    const source = name && procedureOf(font, name);
    if (source === undefined) return undefined;
    const steps = outlineOfBitmap(source) ?? outlineOfPath(source);
    return steps?.flatMap(({ operator, points }) => [
      operator,
      ...points.flatMap(([x, y]) => [x / 1000, (isDown ? -y : y) / 1000]),
    ]);
  };
  return (code) => {
    if (!known.has(code)) known.set(code, read(code));
    return known.get(code);
  };
}

function namesOf(font: PDFDict): Map<number, PDFName> {
  const names = new Map<number, PDFName>();
  let code = 0;
  for (const item of getArray(getDict(font, 'Encoding'), 'Differences') ?? [])
    if (item instanceof PDFNumber) code = item.asNumber();
    else if (item instanceof PDFName) names.set(code++, item);
  return names;
}

/**
 * Returns the characters of the codes that a font of type 3 maps to nothing: those of the other codes with the same
 * procedure; empty if they are unknown.
 */
export function sharedCharacters(font: PDFDict): Map<number, string> | undefined {
  const table = get(font, 'ToUnicode');
  const source = table instanceof PDFStream ? Buffer.from(decodeStream(table)).toString('latin1') : '';
  if (!/>\s*<>/.test(source)) return undefined;
  const names = namesOf(font);
  const codes = [...source.matchAll(/<([\da-f]+)>\s*<((?:[\da-f]{4})*)>\s*$/gim)].map(
    ([, code, character]) => {
      const name = names.get(Number.parseInt(code!, 16));
      const text = Buffer.from(character!, 'hex').swap16().toString('utf16le').trimEnd();
      return { code: Number.parseInt(code!, 16), character, text, glyph: name && procedureOf(font, name) };
    },
  );
  const mapped = codes.filter(({ character, glyph }) => character !== '' && glyph !== undefined);
  const byGlyph = Map.groupBy(mapped, ({ glyph }) => glyph);
  return new Map(
    codes.flatMap(({ code, character, glyph }) => {
      const texts = new Set(byGlyph.get(glyph)?.map(({ text }) => text));
      return character === '' ? [[code, texts.size === 1 ? [...texts][0]! : ''] as const] : [];
    }),
  );
}

/** An operator that paints: PDF 32000-1, table 51. */
const painting = /(?<![^\s)>\]])(?:[fBbSs]\*?|F|sh|Do|BI|T[jJ]|['"])(?!\S)/;

const empty = new WeakMap<PDFDict, boolean>();

/** Whether the letters of a Type 3 font draw nothing: such a text makes shapes of letters searchable. */
export function drawsNothing(font: PDFDict): boolean {
  const known = empty.get(font);
  if (known !== undefined) return known;
  const procedures = (getName(font, 'Subtype') === 'Type3' && getDict(font, 'CharProcs')?.keys()) || [];
  const isEmpty = procedures.every((name) => !painting.test(procedureOf(font, name) ?? 'f'));
  empty.set(font, isEmpty && procedures.length > 0);
  return empty.get(font)!;
}

function procedureOf(font: PDFDict, name: PDFName): string | undefined {
  const procedure = getDict(font, 'CharProcs')?.lookup(name);
  const bytes = procedure instanceof PDFStream ? decodeStream(procedure) : undefined;
  return bytes && bytes.length <= maxBytes ? Buffer.from(bytes).toString('latin1') : undefined;
}

interface Step {
  operator: number;
  points: [x: number, y: number][];
}

/** Returns an outline that consists only of filled paths. */
function outlineOfPath(source: string): Step[] | undefined {
  const [, path] = /\sd1\s([-+.\d\smlch]+)f\*?\s*$/.exec(source) ?? [];
  if (path === undefined) return undefined;
  const steps: Step[] = [];
  let numbers: number[] = [];
  for (const token of path.split(/\s+/)) {
    const operator = drawn[token as keyof typeof drawn];
    if (operator === undefined) numbers.push(Number(token));
    else {
      const points = Array.from({ length: numbers.length / 2 }, (_, at): [number, number] => [
        numbers[2 * at]!,
        numbers[2 * at + 1]!,
      ]);
      steps.push({ operator, points });
      numbers = [];
    }
  }
  return steps;
}

/** Returns the outline of a bitmap: a rectangle for each run of pixels of a row. */
function outlineOfBitmap(source: string): Step[] | undefined {
  const found = bitmap.exec(source.slice(0, maxHead));
  if (!found) return undefined;
  const [width, height, left, bottom] = found.slice(1, 5).map(Number) as [number, number, number, number];
  const value = (key: string) => new RegExp(`/${key} ?(\\S+)`).exec(found[5]!)?.[1];
  const [columns, rows] = [Number(value('W')), Number(value('H'))];
  const ink = value('D') === '[1' ? 1 : 0;
  const data = found.index + found[0].length;
  const bytesOfRow = Math.ceil(columns / 8);
  if (!(columns > 0 && rows > 0) || data + bytesOfRow * rows > source.length) return undefined;
  const steps: Step[] = [];
  for (let row = 0; row < rows; row++) {
    const [top, low] = [row, row + 1].map((at) => bottom + height * (1 - at / rows)) as [number, number];
    const isInk = (column: number) =>
      column < columns &&
      ((source.charCodeAt(data + row * bytesOfRow + (column >> 3)) >> (7 - (column & 7))) & 1) === ink;
    for (let column = 0; column < columns; column++) {
      if (!isInk(column)) continue;
      const from = column;
      while (isInk(column)) column++;
      const [start, end] = [from, column].map((at) => left + (width * at) / columns) as [number, number];
      steps.push({ operator: drawn.m, points: [[start, low]] });
      for (const point of [
        [start, top],
        [end, top],
        [end, low],
      ] as [number, number][])
        steps.push({ operator: drawn.l, points: [point] });
      steps.push({ operator: drawn.h, points: [] });
    }
  }
  return steps;
}
