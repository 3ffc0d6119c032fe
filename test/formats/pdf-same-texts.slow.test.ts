import { describe, expect, it } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { isSameText } from '#server/formats/pdf/fitting/same-text.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, type Made, type MadePage, madePdf, withOpenPdf } from './pdf-made.ts';
import { type Shown, shownTexts } from './pdf-shown.ts';

const font =
  (BaseFont: string, more: Record<string, unknown> = {}): Made =>
  ({ context }) =>
    context.register(
      context.obj({
        Type: 'Font',
        Subtype: 'Type1',
        BaseFont,
        Encoding: 'WinAnsiEncoding',
        ...more,
      } as Record<string, string>),
    );
const resources = { Font: { K: font('Courier'), B: font('Helvetica-Bold') } };
const show = (name: string, x: number, y: number, text: string, size = 10): string =>
  `BT /${name} ${size} Tf ${x} ${y} Td (${text}) Tj ET `;

/** Translates a page. @param change returns the translation of the strings of a text */
async function translated(page: MadePage, change: (text: string) => string) {
  const bytes = await madePdf({ resources, ...page });
  const { segments } = await extract(bytes);
  const result = await rebuild(
    bytes,
    segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: source.map((item) => (typeof item === 'string' ? change(item) : item)),
    })),
    { sourceLanguage: 'en', targetLanguage: 'fr' },
  );
  const [before, after] = [await shownTexts(bytes), await shownTexts(result.bytes)];
  return { segments, before, after, result };
}
const find = (shown: readonly Shown[], start: string): Shown =>
  shown.find(({ text }) => text.startsWith(start))!;

const paragraph = [
  'The quick brown fox jumps over the lazy dog and',
  'runs away into the forest, where it finds a quiet',
  'place to sleep until the next morning comes along.',
];
const shownAt = (top: number, texts: readonly string[]): string =>
  texts.map((text, row) => at(40, top - 12 * row, text)).join('');

describe('a text that is the same in both languages', () => {
  it('stays as it is drawn, although other texts have its font', async () => {
    const content = `${at(40, 350, 'The invoice of this month')}${at(40, 300, 'Globex Inc')}${show('K', 40, 250, 'REF SMB2')}`;
    const { before, after, result } = await translated({ content }, (text) =>
      text.replace('The invoice', 'La facture'),
    );
    for (const start of ['Globex', 'REF']) expect(find(after, start)).toEqual(find(before, start));
    expect(find(after, 'La facture').font).toMatch(/Arimo|LiberationSans/);
    expect(result.rectangles).toHaveLength(3);
  });

  it('keeps its lines and its size, although our font has narrower letters', async () => {
    const Widths = Array.from({ length: 96 }, () => 750);
    const wide = { Font: { F: font('Verdana', { FirstChar: 32, LastChar: 127, Widths }) } };
    const content = shownAt(350, [...paragraph.slice(0, 2), 'place to sleep.', 'It is at home there.']);
    const { before, after } = await translated({ content, resources: wide }, (text) => text);
    expect(after).toEqual(before);
  });

  it('moves with its column in its own letters', async () => {
    const content = `${shownAt(350, paragraph)}${show('K', 40, 314, 'A company of engineers')}${shownAt(302, paragraph)}`;
    const { before, after } = await translated({ content }, (text) =>
      text.startsWith('A company') ? text : `${text} ${text.slice(0, 90)}`,
    );
    const [source, moved] = [find(before, 'A company'), find(after, 'A')];
    expect([moved.font, moved.size, moved.x]).toEqual([source.font, source.size, source.x]);
    expect(moved.y).toBeLessThan(313);
  });

  it('moves with the line of an entry that it ends', async () => {
    const content = `${shownAt(350, paragraph)}${at(40, 314, 'A company of engineers')}${show('K', 250, 314, 'May')}${shownAt(302, paragraph)}`;
    const { after } = await translated({ content }, (text) =>
      text === 'May' ? text : `${text} ${text.slice(0, 90)}`,
    );
    const [company, date] = [find(after, 'A company'), after.filter(({ font }) => font === 'Courier')];
    expect(company.y).toBeLessThan(313);
    for (const { y } of date) expect(y).toBeCloseTo(company.y);
  });

  it('is not made smaller with the other texts of its group, and stays in place', async () => {
    const walls = '140 200 2 180 re f ';
    const rows = ['Serial', 'Colour', 'Weight', 'SMB2'].map((text, row) => at(40, 350 - 14 * row, text));
    const { before, after } = await translated({ content: `${walls}${rows.join('')}` }, (text) =>
      text === 'SMB2' ? text : `${text} et encore une description trop longue`,
    );
    expect(find(after, 'SMB2')).toEqual(find(before, 'SMB2'));
    expect(find(after, 'Serial').size).toBeLessThan(10);
  });

  it('stays in both columns in which it continues', async () => {
    const column = (x: number, texts: readonly string[]) =>
      texts.map((text, row) => show('F', x, 350 - 12 * row, text, 7)).join('');
    const content =
      column(30, [...paragraph, 'and then it goes on to the river to see whether']) +
      column(215, ['the water is still there, which it never is when', ...paragraph]);
    const { segments, before, after } = await translated({ content }, (text) => text);
    expect(segments[0]!.regionId).toBe('p1.b1_p1.b2');
    expect(after).toEqual(before);
  });

  it('keeps the place of its link, also if the link has another text', async () => {
    const Rect = [40, 297, 200, 362];
    const Annots = [{ Type: 'Annot', Subtype: 'Link', Rect, A: { S: 'GoTo', D: 'rules' } }];
    const content = `${show('B', 40, 350, 'Globex Inc', 14)}${at(40, 300, 'See the rules')}`;
    const { result } = await translated({ content, page: { Annots } }, (text) => text.replace('See', 'Voir'));
    const [annotation] = await withOpenPdf(result.bytes, async (pdf) => (await pdf.readPage(1)).annotations);
    expect(annotation!.box.top).toBeGreaterThan(355);
    expect(annotation!.box.bottom).toBeLessThan(302);
  });

  it('is set again if it lacks the bold words of its source', async () => {
    const content = `${at(40, 350, 'The terms of')}${show('B', 100, 350, 'Globex')}`;
    const bytes = await madePdf({ content, resources });
    const { segments } = await extract(bytes);
    const target = [segments[0]!.source.map((item) => (typeof item === 'string' ? item : '')).join('')];
    const { bytes: result } = await rebuild(bytes, [{ regionId: 'p1.b1', cellId: null, target }], {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    expect((await shownTexts(result)).some(({ font }) => font === 'Helvetica-Bold')).toBe(false);
  });
});

describe('two texts are the same', () => {
  const bold: InlineContent = [{ tag: 1, type: 'open' }, 'Globex', { tag: 1, type: 'close' }, ' Inc'];
  it.each([
    ['with other spaces', ['Globex\u00a0 Inc '], ['Globex Inc'], true],
    ['with composed letters', ['Caf\u00e9'], ['Cafe\u0301'], true],
    [
      'with or without the hyphen of a divided word',
      ['a well-known foxhole'],
      ['a well\u00adknown fox\u00adhole'],
      true,
    ],
    ['unless a letter differs', ['Globex inc'], ['Globex Inc'], false],
    ['unless a hyphen is added', ['e-mail'], ['email'], false],
    ['unless an apostrophe differs', ['the dog’s'], ["the dog's"], false],
    ['unless words are left out', ['Globex'], ['Globex Inc'], false],
    ['with the same marks', bold, bold, true],
    ['unless a mark is missing', ['Globex Inc'], bold, false],
  ] satisfies [string, InlineContent, InlineContent, boolean][])('%s', (_name, target, source, isSame) => {
    expect(isSameText(target, source)).toBe(isSame);
  });
});
