import { PDFString } from '@cantoo/pdf-lib';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { type Made, madePdf } from './pdf-made.ts';
import { type Shown, shownLines, shownTexts } from './pdf-shown.ts';

const bold: Made = ({ context }) =>
  context.register(
    context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica-Bold', Encoding: 'WinAnsiEncoding' }),
  );
const line = (text: string, x: number, y: number, font = '/F 8 Tf') =>
  `BT ${font} ${x} ${y} Td (${text}) Tj ET`;
const column = (lines: readonly string[], x: number, top: number, font?: string) =>
  lines.map((text, index) => line(text, x, top - 10 * index, font)).join('\n');

const start = [
  'Every reader of this page sees that the',
  'paragraph in the first column has no end',
  'here, because its last sentence and the',
];
const end = ['rest of its words are in the other one. It', 'has a second sentence of few words.'];
const whole = `${start.join(' ')} ${end.join(' ')}`;
const before = ['A whole paragraph is above this one, and', 'it has two lines.'];

const columns = (first: readonly string[] = start, second: readonly string[] = end) =>
  [column(before, 40, 340), column(first, 40, 310), column(second, 220, 340)].join('\n');
const pages = (first: readonly string[] = start, second: readonly string[] = end) => [
  { content: [column(before, 40, 90), column(first, 40, 60), line('12', 120, 20)].join('\n') },
  { content: [column(second, 40, 340), column(before, 40, 300), line('13', 120, 20)].join('\n') },
];

async function segmentsOf(bytes: Uint8Array) {
  const { segments } = await extract(bytes);
  return segments.map((segment) => ({ ...segment, text: plainText(segment.source) }));
}
const textsOf = async (...of: Parameters<typeof madePdf>) =>
  (await segmentsOf(await madePdf(...of))).map(({ text }) => text);

describe('a paragraph with parts', () => {
  it('is one segment if it continues in the next column, with a rectangle for each part', async () => {
    const segments = await segmentsOf(await madePdf({ content: columns() }));
    expect(segments.map(({ text }) => text)).toEqual([before.join(' '), whole]);
    expect(segments[1]).toMatchObject({ regionId: 'p1.b2_p1.b3', page: 1, place: 'page 1' });
    const [left, right] = segments[1]!.rectangles!;
    expect(left![0]).toBeCloseTo(40, 0);
    expect(right![0]).toBeCloseTo(220, 0);
  });

  it('is one segment if it continues on the next page, as its place shows', async () => {
    const segments = await segmentsOf(await madePdf(...pages()));
    expect(segments.map(({ text }) => text)).toEqual([before.join(' '), whole, before.join(' ')]);
    expect(segments[1]).toMatchObject({
      regionId: 'p1.b2_p2.b1',
      page: 1,
      place: 'page 1, continues on page 2',
    });
    expect(segments[1]!.rectangles).toHaveLength(1);
  });

  it('may have a caption in between', async () => {
    const caption = ['Figure 2. A picture above the text with', 'a caption of two lines.'];
    const second = [column(caption, 220, 340), column(end, 220, 300)].join('\n');
    const content = [column(before, 40, 340), column(start, 40, 310), second].join('\n');
    expect(await textsOf({ content })).toEqual([before.join(' '), whole, caption.join(' ')]);
  });

  it('joins the halves of a word, and keeps the hyphen of a compound', async () => {
    const divided = (last: string, next: string) =>
      textsOf({ content: columns([...start.slice(0, 2), last], [next]) });
    expect((await divided('here, and its last words are para-', 'graphs again.'))[1]).toMatch(
      / paragraphs again\.$/,
    );
    expect((await divided('here, and its last word is a self-', 'test again.'))[1]).toMatch(
      / self-test again\.$/,
    );
  });

  it('may end with a conjunction or a comma before a capital letter', async () => {
    const [, text] = await textsOf({ content: columns(start, ['German words are in the other column.']) });
    expect(text).toBe(`${start.join(' ')} German words are in the other column.`);
  });

  it.each<[name: string, first: string[], second: string[]]>([
    ['its sentence ends', [...start.slice(0, 2), 'here, as its last sentence has an end.'], end],
    ['its last line has room for the next word', [...start.slice(0, 2), 'here, and it'], end],
    [
      'the next text starts with a capital letter',
      [...start.slice(0, 2), 'here, because its last sentence was'],
      ['Rest of its words.'],
    ],
  ])('ends if %s', async (_name, first, second) => {
    expect(await textsOf({ content: columns(first, second) })).toEqual(
      [before, first, second].map((lines) => lines.join(' ')),
    );
    const texts = [before, first, second, before].map((lines) => lines.join(' '));
    expect(await textsOf(...pages(first, second))).toEqual(texts);
  });

  it('ends if the next text looks different, is an item, or is a new paragraph', async () => {
    const after = (content: string) =>
      textsOf({ content: [column(before, 40, 340), column(start, 40, 310), content].join('\n') });
    const texts = [before, start, end].map((lines) => lines.join(' '));
    expect(await after(column(end, 220, 340, '/F 9 Tf'))).toEqual(texts);
    expect(await after([line('\\225', 212, 340), column(end, 220, 340)].join('\n'))).toEqual(texts);
    expect(await after([line(end[0]!, 232, 340), line(end[1]!, 220, 330)].join('\n'))).toEqual(texts);
  });

  it('continues on the next page although a short line is below it, or another look is more frequent', async () => {
    const below = {
      content: [column(before, 40, 110), column(start, 40, 80), line('A remark.', 40, 30)].join('\n'),
    };
    const texts = await textsOf(below, pages()[1]!);
    expect(texts).toEqual([before.join(' '), whole, 'A remark.', before.join(' ')]);
    const gray = `0.3 g ${column([...before, ...before, ...before], 40, 340)} 0 g ${pages()[0]!.content}`;
    expect(await textsOf({ content: gray }, pages()[1]!)).toContain(whole);
  });

  it('continues on the next page with a link, unless this is near the end of the page', async () => {
    const long = [...before.slice(0, 1), ...start, ...start.slice(0, 2), ...start].slice(0, 8);
    const link = (y: number) => ({
      Type: 'Annot',
      Subtype: 'Link',
      Rect: [40, y - 2, 80, y + 8],
      A: { S: 'URI', URI: PDFString.of('https://example.com') },
    });
    const textsWith = (y: number) =>
      textsOf({ content: column(long, 40, 120), page: { Annots: [link(y)] } }, pages()[1]!);
    expect(await textsWith(120)).toContain([...long, ...end].join(' '));
    expect(await textsWith(50)).toContain(end.join(' '));
  });

  it('ends if it is a label with a colon', async () => {
    const texts = [before, ['All the actors of the new order:'], ['architecture of it']];
    const content = columns(texts[1], texts[2]);
    expect(await textsOf({ content })).toEqual(texts.map((lines) => lines.join(' ')));
  });

  it('never contains a text that is on both pages, such as a footer', async () => {
    const footer = 'an example of a text that is at the end of';
    const page = { content: [column(before, 40, 90), column([footer], 40, 30)].join('\n') };
    expect(await textsOf(page, page)).toEqual([before.join(' '), footer, before.join(' '), footer]);
  });

  it('ends at its page if the next page is not selected', async () => {
    const { segments } = await extract(await madePdf(...pages()), { pages: ['1'] });
    expect(segments.map(({ source }) => plainText(source))).toEqual([before.join(' '), start.join(' ')]);
  });
});

describe('the translation of a paragraph with parts', () => {
  const target =
    'Words of another language are set here in the first column, and they fill each line of it, also the last one, before they continue in the second column, where they end.';

  async function translated(
    bytes: Uint8Array,
    own: InlineContent | string = target,
    output?: 'docx' | 'bilingual',
  ) {
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: regionId.includes('_') ? (typeof own === 'string' ? [own] : own) : source,
    }));
    const options = { sourceLanguage: 'en', targetLanguage: 'fr', ...(output && { output }) };
    return rebuild(bytes, translations, options);
  }
  const textOf = (shown: readonly Shown[]) => shown.map(({ text }) => text).join(' ');

  it('fills the lines of the first column and ends in the second one, without a lost word', async () => {
    const { bytes, rectangles } = await translated(await madePdf({ content: columns() }));
    const shown = (await shownTexts(bytes)).sort((one, other) => other.y - one.y);
    const [left, right] = [shown.filter(({ x, y }) => x < 200 && y < 315), shown.filter(({ x }) => x > 200)];
    expect(`${textOf(left)} ${textOf(right)}`.replace(/ +/g, ' ')).toBe(target);
    expect(left).toHaveLength(3);
    expect(left.at(-1)!.right).toBeGreaterThan(160);
    const places = rectangles!.find(({ regionId }) => regionId === 'p1.b2_p1.b3')!;
    expect(places.rectangles.map(([x]) => Math.round(x!))).toEqual([40, 220]);
  });

  it('continues on the next page', async () => {
    const { bytes } = await translated(await madePdf(...pages()));
    const first = (await shownLines(bytes)).filter(({ y }) => y < 65 && y > 30);
    const second = (await shownTexts(bytes, 2))
      .filter(({ y }) => y > 310)
      .sort((one, other) => other.y - one.y);
    expect(`${textOf(first)} ${textOf(second)}`.replace(/ +/g, ' ')).toBe(target);
    expect(first).toHaveLength(3);
    expect(first.at(-1)!.right).toBeGreaterThan(160);
  });

  it('has each word once if it is in two columns and on the next page, however long it is', async () => {
    const third = ['many words of it are in a third part. It', 'has a second sentence of few words.'];
    const middle = [
      'rest of its words are in the other one',
      'with a second line of words that has no',
      'end here, because its last line and the',
    ];
    const source = await madePdf({ content: columns(start, middle) }, { content: column(third, 40, 340) });
    for (const count of [1, 3, 6, 9, 11, 13, 17, 21, 30, 45, 60, 90]) {
      const words = Array.from({ length: count }, (_, index) => `w${index}`);
      const { bytes } = await translated(source, words.join(' '));
      const shown = [...(await shownTexts(bytes)), ...(await shownTexts(bytes, 2))];
      const found = shown.flatMap(({ text }) => text.match(/w\d+/g) ?? []);
      expect(found.sort()).toEqual(words.toSorted());
    }
  });

  it.each(['Kurz.', 'Ja, gut so.'])(
    'is in one part if it is far shorter than its source: %s',
    async (own) => {
      const { bytes } = await translated(await madePdf(...pages()), own);
      expect((await shownTexts(bytes)).map(({ text }) => text).join(' ')).toContain(own);
      const next = (await shownTexts(bytes, 2)).filter(({ y }) => y > 310);
      expect(next).toEqual([]);
    },
  );

  it('is one paragraph of a Word file', async () => {
    const { bytes } = await translated(await madePdf(...pages()), target, 'docx');
    const xml = strFromU8(unzipSync(bytes)['word/document.xml']!);
    expect(xml.match(/<w:p>/g)).toHaveLength(3);
    expect(xml).toContain(`>${target}<`);
  });

  it('keeps the style of words that go to another part', async () => {
    const words = [
      line(start[0]!, 40, 310),
      line('bold words in the first column with no', 40, 300, '/B 8 Tf'),
      line(start[2]!, 40, 290),
    ];
    const content = [column(before, 40, 340), ...words, column(end, 220, 340)].join('\n');
    const own: InlineContent = [
      `${target.slice(0, 145)} `,
      { tag: 1, type: 'open', format: 'bold' },
      'bold end',
      { tag: 1, type: 'close', format: 'bold' },
      ` ${target.slice(145)}`,
    ];
    const { bytes } = await translated(await madePdf({ content, resources: { Font: { B: bold } } }), own);
    const inBold = (await shownTexts(bytes)).filter(({ font }) => /Bold/.test(font));
    expect(textOf(inBold)).toBe('bold end');
    for (const { x } of inBold) expect(x).toBeGreaterThan(200);
  });

  it.each([
    ['one word', 'Donaudampfschiff'],
    ['no word', '   '],
    ['a word that is longer than both columns', 'x'.repeat(300)],
    ['only signs of two units', '🎉'.repeat(60)],
    ['a line break', `${target.slice(0, 60)}\n${target.slice(60)}`],
  ])('may have %s', async (_name, own) => {
    const { bytes } = await translated(await madePdf({ content: columns() }), own);
    const shown = (await shownTexts(bytes)).filter(({ x, y }) => x > 200 || y < 315);
    const left = shown.filter(({ x }) => x < 200).sort((one, other) => other.y - one.y);
    const right = shown.filter(({ x }) => x > 200).sort((one, other) => other.y - one.y);
    const text = [...left, ...right].map((piece) => piece.text).join('');
    expect(text.replace(/[\s\u2010]/gu, '')).toBe(own.replace(/\s/gu, ''));
  });

  it('may come from a version that had a segment for each part', async () => {
    const bytes = await madePdf(...pages());
    const translations = ['p1.b2', 'p2.b1'].map((regionId) => ({
      regionId,
      cellId: null,
      target: [`the words of ${regionId}`],
    }));
    const options = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const { bytes: rebuilt } = await rebuild(bytes, translations, options);
    expect(textOf(await shownTexts(rebuilt))).toContain('the words of p1.b2');
    expect(textOf(await shownTexts(rebuilt, 2))).toContain('the words of p2.b1');
  });

  it('has one finding of a kind, with the id of its segment', async () => {
    const below = [column(before, 40, 275), column(before, 220, 315)].join('\n');
    const content = `${columns()}\n${below}`;
    const { findings } = await translated(await madePdf({ content }), `${target} `.repeat(60));
    const cuts = findings.filter(({ code }) => code === 'text_truncated');
    expect(cuts.map(({ unitId }) => unitId)).toEqual(['p1.b2_p1.b4']);
  });

  it('is not on two pages if a part has links, which cannot move to another page', async () => {
    const [first, second] = pages() as [{ content: string }, { content: string }];
    const A = { S: 'URI', URI: PDFString.of('https://example.org/') };
    const Annots = [{ Type: 'Annot', Subtype: 'Link', Rect: [40, 338, 70, 348], A }];
    const texts = await textsOf(first, { ...second, page: { Annots } });
    expect(texts).toEqual([before, start, end, before].map((lines) => lines.join(' ')));
  });
});
