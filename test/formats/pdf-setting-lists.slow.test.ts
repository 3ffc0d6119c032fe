import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Frame } from '#server/formats/pdf/fitting/fit.ts';
import { groupsOf } from '#server/formats/pdf/model/groups.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, madePdf } from './pdf-made.ts';
import { shownLines, shownTexts } from './pdf-shown.ts';

const longer = 'Une rubrique de la liste, dont la traduction est bien plus longue que la ligne de la page';
const shorter = 'Une autre';

/** Sets a list of three items, of which the first becomes longer than the width of the page. */
async function setList(sign: string, page: Record<string, unknown> = {}) {
  const rows = ['An item of the list, which has almost the width of the page', 'Another one', 'A third one'];
  const content = rows.map((row, index) => at(40, 300 - 12 * index, sign) + at(55, 300 - 12 * index, row));
  const bytes = await madePdf({ content: content.join(' '), page });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }, index) => ({
    regionId,
    cellId,
    target: [index === 0 ? longer : shorter],
  }));
  const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  return { lines: await shownLines(result.bytes), findings: result.findings };
}

describe('the items of a list', () => {
  it('move down with their bullets before one of them becomes smaller than the others', async () => {
    const { lines, findings } = await setList('\\225');
    expect(lines.map(({ text }) => text.startsWith('•'))).toEqual([true, false, true, true]);
    expect(new Set(lines.map(({ size }) => size))).toEqual(new Set([10]));
    expect(lines.map(({ x }) => Math.round(x))).toEqual([40, 55, 40, 40]);
    expect(findings).toEqual([]);
  });

  it('of one line with numbers move too, if nothing is at their right side', async () => {
    const { lines } = await setList('1.');
    expect(lines.map(({ y }) => Math.round(y))).toEqual([300, 288, 276, 264]);
    const field = { Type: 'Annot', Subtype: 'Widget', FT: 'Tx', Rect: [335, 270, 390, 320] };
    const { lines: rows } = await setList('1.', { Annots: [field] });
    expect(rows.map(({ y }) => Math.round(y))).toEqual([300, 288, 276]);
  });

  it('of two lists side by side move on their own', async () => {
    const rows = [0, 1, 2, 3].map((row) => 300 - 12 * row);
    const content = rows.map((y, row) =>
      [40, 220].map((x) => at(x, y, '\\225') + at(x + 15, y, `Item ${row + 1} of the list`)).join(''),
    );
    const bytes = await madePdf({ content: content.join(' ') });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, rectangles }) => ({
      regionId,
      cellId,
      target: [rectangles![0]![0] < 200 && rectangles![0]![3] > 300 ? longer : shorter],
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const lines = (await shownLines(result.bytes)).map(({ size, text, y }) => [text, Math.round(y), size]);
    expect(new Set(lines.map(([, , size]) => size))).toEqual(new Set([10]));
    const right = lines.filter(([text]) => /Une autre.*• Une autre|^• Une autre$/.test(String(text)));
    expect(lines.map(([, y]) => y)).toEqual(expect.arrayContaining(rows));
    expect(lines.length).toBeGreaterThan(rows.length);
    expect(right.length).toBeGreaterThan(0);
    expect(result.findings).toEqual([]);
  });

  it('of several lines move down with their numbers', async () => {
    const items = [
      ['(a)', 'The first item of the list has more than one', 'line of text on this page.'],
      ['(b)', 'The second item of the list has more than one', 'line too.'],
    ];
    const content = items.map(([label, first, second], index) => {
      const y = 300 - 30 * index;
      return at(40, y, label!) + at(65, y, first!) + at(65, y - 12, second!);
    });
    const bytes = await madePdf({ content: content.join(' ') });
    const { segments } = await extract(bytes);
    const long = 'La première rubrique de cette liste, dont la traduction est longue. '.repeat(3).trim();
    const translations = segments.map(({ regionId, cellId }, index) => ({
      regionId,
      cellId,
      target: [
        index === 0 ? long : 'La deuxième rubrique de la liste, qui a deux lignes de texte, elle aussi',
      ],
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const lines = await shownLines(result.bytes);
    const second = lines.find(({ text }) => text.includes('La deuxième'))!;
    expect(second.y).toBeLessThan(265);
    expect(second.text).toMatch(/^\(b\)/);
  });
});

describe('texts of one list', () => {
  let count = 0;
  const frameOf = (frame: Partial<Frame>): Frame =>
    ({
      id: String(++count),
      text: { runs: [{ text: 'x'.repeat(count) }] },
      ...{ style: 'plain', alignment: 'center', size: 10, isCell: false, container: null },
      ...frame,
    }) as Frame;
  const box = (left: number, right: number, baseline: number) => ({
    baseline,
    box: { left, right, bottom: baseline - 2, top: baseline + 8 },
  });

  it('may have slightly different edges', () => {
    const frames = [box(100, 200.9, 60), box(100, 201.1, 48), box(100, 201, 36), box(110, 201, 24)].map(
      frameOf,
    );
    expect(groupsOf(frames)).toEqual([frames.slice(0, 3), frames.slice(3)]);
  });

  const cell = (left: number, baseline: number, style = 'head') =>
    frameOf({
      ...box(left + 5, left + 50, baseline),
      style,
      look: style,
      isCell: true,
      container: { left, right: left + 100, bottom: baseline - 5, top: baseline + 10 },
    });

  it('are the cells of the head of a table, and those of each column of its body', () => {
    const head = [0, 100, 200].map((left) => cell(left, 100));
    const body = [0, 100].map((left) => [80, 60, 40].map((baseline) => cell(left, baseline, 'body')));
    expect(groupsOf([...head, ...body.flat()])).toEqual([head, ...body]);
  });

  it('are the cells and the labels of one column that look alike', () => {
    const labels = [100, 70, 40].map((baseline, index) =>
      frameOf({ ...box(0, 40, baseline), style: `${index === 1}`, singleLine: true, isCell: index === 1 }),
    );
    expect(groupsOf(labels)).toEqual([labels]);
  });

  it('are the labels of a row of a form', () => {
    const labels = [0, 150, 400].map((left) => frameOf({ ...box(left, left + 40, 60), singleLine: true }));
    expect(groupsOf(labels)).toEqual([labels]);
  });

  it('are those of a label that a page repeats, also with other numbers, and the texts around it', () => {
    const entries = [60, 400, 700].flatMap((baseline) =>
      ['Bill in full', `Phone: ${baseline}`].map((text, line) =>
        frameOf({
          ...box(100, 160, baseline - 12 * line),
          text: { runs: [{ text }], paragraphs: [] } as unknown as Frame['text'],
        }),
      ),
    );
    const name = frameOf(box(100, 160, 376));
    const other = frameOf(box(100, 160, 200));
    const [all, ...apart] = groupsOf([...entries, name, other]);
    expect(new Set(all)).toEqual(new Set([...entries, name]));
    expect(apart).toEqual([[other]]);
  });
});

it('a text after a label takes the free space to its right when it moves with its column', async () => {
  const bytes = new Uint8Array(readFileSync(join(import.meta.dirname, '../corpus/pdf/form-signed.pdf')));
  const { segments } = await extract(bytes);
  const isValue = (text: string) => text.startsWith('GREEN check, "S');
  const translations = segments.map(({ regionId, cellId, source }) => ({
    regionId,
    cellId,
    target: isValue(`${source}`) ? [`${source} Celle-ci est plus longue.`] : source,
  }));
  const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const sizeIn = async (pdf: Uint8Array) =>
    (await shownTexts(pdf)).find(({ text }) => text.includes('Signature verified'))?.size;
  expect(await sizeIn(result.bytes)).toBe(await sizeIn(bytes));
});

it('the sign before a right-aligned line stays next to it', async () => {
  const rows = ['Boden one', 'Bad dog and an egg', 'Bean and a bean', 'Beanpod'];
  // In Helvetica, these letters are all equally wide, apart from the first one.
  const widthOf = (text: string) => 1.11 + 5.56 * text.length - 2.78 * (text.split(' ').length - 1);
  const content = rows.map((row, index) => {
    const x = 380 - widthOf(row);
    return (index === 1 ? at(x - 6, 300 - 30 * index, '\\225') : '') + at(x, 300 - 30 * index, row);
  });
  const bytes = await madePdf({ content: content.join(' ') });
  const { segments } = await extract(bytes);
  for (const target of ['Un chien et un œuf de poule, bien sûr', 'Chien']) {
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: `${source}`.includes('dog') ? [target] : source,
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const shown = await shownTexts(result.bytes);
    const [sign, text] = [/•/, /hien/].map((part) => shown.find((one) => part.test(one.text))!);
    expect([text!.size, Math.round(text!.right)]).toEqual([10, 380]);
    expect(text!.x - sign!.x).toBeCloseTo(6, 0);
  }
});
