import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it, test } from 'vitest';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, madePdf, withOpenPdf } from './pdf-made.ts';
import { type Shown, shownTexts } from './pdf-shown.ts';

const dots = (x: number, y: number, count: number): string => at(x, y, '.'.repeat(count));

/** A contents page: an entry, its dots up to x = 340, and its page number that ends at x = 361 on each row. */
const contents = madePdf({
  content: [
    `${at(40, 300, 'Introduction')}${dots(95.5, 300, 88)}${at(355.56, 300, '7')}`,
    `${at(40, 280, 'Roles of the members')}${dots(140.2, 280, 72)}${at(350, 280, '12')}`,
    `${at(60, 260, 'Fees')}${dots(84.5, 260, 92)}${at(348.9, 260, 'xiv')}`,
  ].join('\n'),
});

/** The texts of each row from the left, after a translation. */
async function rowsOf(targets: Record<string, string>, targetLanguage: string): Promise<Shown[][]> {
  const bytes = await contents;
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    regionId,
    cellId,
    target: [targets[String(source[0])]!],
  }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage });
  expect(rebuilt.findings).toEqual([]);
  const rows = Map.groupBy(await shownTexts(rebuilt.bytes), ({ y }) => Math.round(y));
  return [300, 280, 260].map((y) => rows.get(y)!.toSorted((one, other) => one.x - other.x));
}

const isDots = ({ text }: Shown): boolean => /^[\s.]+$/.test(text);

describe('the dots of a contents page', () => {
  it('are kept, like the numbers, outside of the entries', async () => {
    const { segments } = await extract(await contents);
    expect(segments.map(({ source }) => source)).toEqual([
      ['Introduction'],
      ['Roles of the members'],
      ['Fees'],
    ]);
  });

  it('become fewer for a longer entry, which keeps its size', async () => {
    const long = 'Les rôles et les obligations de tous les membres du conseil';
    const rows = await rowsOf(
      { Introduction: 'Introduction', 'Roles of the members': long, Fees: 'Frais' },
      'fr',
    );
    const [entry, ...rest] = rows[1]!;
    expect(entry).toMatchObject({ text: long, size: 10, x: 40 });
    const [leader] = rest.filter(isDots);
    expect(leader!.x).toBeGreaterThan(entry!.right);
    expect(leader!.x).toBeLessThan(entry!.right + 6);
    expect(rest.at(-1)).toMatchObject({ text: '12', x: 350 });
  });

  it('become more for a shorter entry', async () => {
    const rows = await rowsOf({ Introduction: 'Un', 'Roles of the members': 'Rôles', Fees: 'Fr' }, 'fr');
    const texts = rows.map((row) => row.map(({ text }) => text).join(''));
    for (const [index, entry] of ['Un', 'Rôles', 'Fr'].entries()) {
      const [, dots] = new RegExp(`^${entry} ?([. ]+)(?:7|12|xiv)$`).exec(texts[index]!)!;
      expect(dots!.replaceAll(' ', '').length).toBeGreaterThan([88, 72, 92][index]! + 3);
    }
  });

  it('leave at least two dots', async () => {
    const long = 'Introduction à toutes les dispositions générales du texte, etc.';
    const rows = await rowsOf({ Introduction: long, 'Roles of the members': 'Rôles', Fees: 'Frais' }, 'fr');
    const [entry, leader, number] = rows[0]!;
    expect(entry!.size).toBe(10);
    expect(leader!.text.trim().length).toBeGreaterThanOrEqual(2);
    expect(number!.text).toBe('7');
  });

  it('are between the entry at the right and the number at the left in a right-to-left translation', async () => {
    const rows = await rowsOf(
      { Introduction: 'مقدمة', 'Roles of the members': 'أدوار الأعضاء', Fees: 'رسوم' },
      'ar',
    );
    const ends = rows.map((row) => Math.round(row.at(-1)!.right));
    expect(ends[0]).toBe(ends[1]);
    expect(ends[0]! - ends[2]!).toBe(20);
    for (const [index, number] of ['7', '12', 'xiv'].entries()) {
      const [first, ...others] = rows[index]!;
      expect(first!.x).toBe(40);
      expect(first!.text).toMatch(new RegExp(`^${number} \\.{80,}$`));
      expect(others).toHaveLength(1);
      expect(others[0]!.x - first!.right).toBeGreaterThan(2);
    }
  });
});

test('no line of an entry is as long as the row, because each may become the last one, before the number', async () => {
  const first = 'The roles and the duties of all members and of the commission that';
  const bytes = await madePdf({
    content: `${at(40, 300, first)}${at(40, 288, 'they chose')}${dots(90, 288, 78)}${at(312, 288, '12')}`,
  });
  const { segments } = await extract(bytes);
  const target = 'les rôles et '.repeat(11);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [target] }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const shown = await shownTexts(rebuilt.bytes);
  expect(segments).toHaveLength(1);
  for (const { text, right } of shown) if (/[a-z]/.test(text)) expect(right).toBeLessThan(312);
});

test('dots after a sentence stay the same dots', async () => {
  const bytes = await madePdf({ content: `${at(40, 300, 'He went on and on and on')}${dots(160, 300, 4)}` });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({
    regionId,
    cellId,
    target: ['Il continua'],
  }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const shown = (await shownTexts(rebuilt.bytes)).map(({ text }) => text).join('');
  expect(shown.match(/\.+/g)).toEqual(['....']);
});

describe('a short blank', () => {
  it('moves to the right if there is space, at its length', async () => {
    const bytes = await madePdf({ content: `${at(40, 300, 'Initials:')}${at(80, 300, '_'.repeat(9))}` });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId }) => ({
      regionId,
      cellId,
      target: ['Initiales de la personne présente:'],
    }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const shown = await shownTexts(rebuilt.bytes);
    expect(shown.map(({ text }) => text).join('')).toMatch(/^Initiales de la personne présente: ?_{9}$/);
    expect(new Set(shown.map(({ size }) => size))).toEqual(new Set([10]));
  });

  it('keeps most of its length, because the letters of its label are condensed first', async () => {
    const bytes = await madePdf({
      content: `${at(40, 300, 'Date of birth:')}${at(104, 300, '_'.repeat(8))}${at(152, 300, '(day and month)')}`,
    });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: [String(source[0]).startsWith('Date') ? 'Date de la naissance:' : '(jour et mois)'],
    }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const shown = (await shownTexts(rebuilt.bytes)).map(({ text }) => text).join('');
    expect(/_+/.exec(shown)![0].length).toBeGreaterThanOrEqual(4);
  });
});

it('a blank after a shorter translation stays, so that it is aligned with those of other rows', async () => {
  const blank = '_'.repeat(12);
  const bytes = await madePdf({ content: `${at(40, 300, 'Cost per box:')}${at(130, 300, blank)}` });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: ['Prix:'] }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const shown = await shownTexts(rebuilt.bytes);
  expect(shown.flatMap(({ text, x }) => (text.includes('_') ? [[text, x]] : []))).toEqual([[blank, 130]]);
});

it('blanks that end at one place still end there, if their labels leave most of them free', async () => {
  const rows = [140, 100].map(
    (x, row) => `${at(40, 300 - 20 * row, 'Name of it:')}${at(x, 300 - 20 * row, '_'.repeat((300 - x) / 5))}`,
  );
  const bytes = await madePdf({ content: rows.join(' ') });
  const { segments } = await extract(bytes);
  const target = ['Nom de la personne:'];
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const ends = (await shownTexts(rebuilt.bytes)).filter(({ text }) => text.endsWith('_'));
  expect(ends.map(({ text, x }) => Math.round(x + 5.56 * text.length))).toEqual([318, 322]);
});

it('a longer text above a blank gets a second line, and leaves space to write', async () => {
  const question = 'Does your child have any conditions that we should be aware of?';
  const bytes = await madePdf({ content: `${at(40, 300, question)}${at(40, 275, '_'.repeat(30))}` });
  const { segments } = await extract(bytes);
  const target = [
    'Votre enfant souffre-t-il d’une maladie ou d’une allergie que nous devrions connaître avant la fête ?',
  ];
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const shown = (await shownTexts(rebuilt.bytes)).filter(({ text }) => !text.includes('_'));
  expect(new Set(shown.map(({ size }) => size))).toEqual(new Set([10]));
  const rows = new Set(shown.map(({ y }) => Math.round(y)));
  expect(rows.size).toBe(2);
  expect(Math.min(...rows)).toBeGreaterThan(285);
});

describe('a blank of underscores', () => {
  const blank = '_'.repeat(12);
  const segmentsOf = async (...lines: string[]) => {
    const content = lines.map((line, index) => at(40, 300 - 12 * index, line)).join(' ');
    return (await extract(await madePdf({ content }))).segments.map(({ source }) => source);
  };

  it('in a sentence is a sign of the sentence, and goes with its words', async () => {
    const lines = [`made on the ${blank} day of`, 'May between the two parties'];
    const content = lines.map((line, index) => at(40, 300 - 12 * index, line)).join(' ');
    const bytes = await madePdf({ content });
    const { segments } = await extract(bytes);
    const sign = { tag: 1, type: 'void', text: blank } as const;
    expect(segments.map(({ source }) => source)).toEqual([
      ['made on the ', sign, ' day of May between the two parties'],
    ]);
    const [{ regionId, cellId }] = segments as [(typeof segments)[number]];
    const target = ['fait entre les deux parties et pour toujours le ', sign, ' mai'];
    const rebuilt = await rebuild(bytes, [{ regionId, cellId, target }], {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    const shown = (await shownTexts(rebuilt.bytes)).map(({ text }) => text).join(' ');
    expect(shown.replace(/\s+/g, ' ')).toMatch(/toujours le ?_{12} ?mai/);
  });

  it('at the start of a line is a sign of the sentence that continues from the line above', async () => {
    const sign = { tag: 1, type: 'void', text: blank } as const;
    expect(await segmentsOf('The company and the tenant agree', `${blank} as stated in it`)).toEqual([
      ['The company and the tenant agree ', sign, ' as stated in it'],
    ]);
    // Here the comma shows the sentence.
    expect(await segmentsOf(`${blank}, of this town, and`, `${blank}, of that town, agree`)).toEqual([
      [sign, ', of this town, and ', { ...sign, tag: 2 }, ', of that town, agree'],
    ]);
    const choices = (await segmentsOf(`${blank} yes`, `${blank} no`)).flat();
    expect(choices.every((content) => typeof content === 'string')).toBe(true);
  });

  it('can have dots instead, but not before a page number or a price', async () => {
    const dots = '.'.repeat(12);
    const sign = { tag: 1, type: 'void', text: dots } as const;
    expect(await segmentsOf(`made on the ${dots} day of May`)).toEqual([
      ['made on the ', sign, ' day of May'],
    ]);
    expect(await segmentsOf('for a time of “two years”.....“or more” as stated')).toHaveLength(1);
    expect(await segmentsOf(`tel. ${dots}`)).toEqual([['tel.']]);
    expect(await segmentsOf('Tools:          .NET of the firm')).toContainEqual(['.NET of the firm']);
    for (const end of ['xii', 'ab 5'])
      expect(await segmentsOf(`a first part ${dots} ${end}`)).not.toContainEqual([
        'a first part ',
        sign,
        ` ${end}`,
      ]);
  });

  it.each([
    ['after a label', `Name: ${blank} of the tenant`],
    ['before another label', `Name ${blank} Date`],
    ['before a distant comma', `Name: ${blank}   , of the tenant`],
    ['at the end of a line', `Signed by the tenant ${blank}`],
  ])('%s is the blank of a form', async (_, line) => {
    expect((await segmentsOf(line)).flat()).not.toContainEqual(expect.objectContaining({ type: 'void' }));
  });
});

describe('the field of a form after its label', () => {
  const text = { FT: 'Tx', Ff: 0 };
  const field = (Rect: number[], entries: Record<string, unknown>) => ({
    ...{ Type: 'Annot', Subtype: 'Widget', F: 4, Rect },
    ...entries,
  });
  const rule = (x: number, end: number, y: number) => `0.5 w ${x} ${y} m ${end} ${y} l S `;

  /** The sizes of the labels and the areas of the fields after a translation to a longer label. */
  async function translatedForm(content: string, Annots: unknown[], target = ['Nom de la personne:']) {
    const bytes = await madePdf({ content, page: { Annots } });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const labels = (await shownTexts(rebuilt.bytes)).filter((shown) => shown.text.startsWith('Nom'));
    return withOpenPdf(rebuilt.bytes, async (pdf) => {
      const page = await pdf.readPage(1);
      return { labels, fields: page.annotations.map(({ box }) => box), paints: page.paints };
    });
  }

  it.each([
    ['over a line', rule(85, 300, 298)],
    ['over underscores', at(85, 300, '_'.repeat(38))],
    ['alone', ''],
  ])('%s becomes shorter, so that the label keeps its size', async (_, line) => {
    const { labels, fields, paints } = await translatedForm(at(40, 300, 'Its name:') + line, [
      field([85, 297, 300, 312], { T: '(name)', ...text }),
    ]);
    expect(labels).toMatchObject([{ text: 'Nom de la personne:', size: 10, x: 40 }]);
    const { right } = labels[0]!;
    expect(fields).toEqual([{ left: expect.any(Number), bottom: 297, right: 300, top: 312 }]);
    expect(fields[0]!.left).toBeGreaterThan(right);
    expect(fields[0]!.left).toBeLessThan(right + 5);
    for (const { box } of paints) expect(box.left).toBeCloseTo(fields[0]!.left, 0);
    const long = ['Nom et prénom de la personne qui demande cette aide:'];
    const same = [field([85, 297, 300, 312], { T: '(name)', ...text })];
    const { labels: lines, fields: shorter } = await translatedForm(
      at(40, 300, 'Its name:') + line,
      same,
      long,
    );
    for (const { right } of lines) expect(right).toBeLessThanOrEqual(shorter[0]!.left);
    expect(300 - shorter[0]!.left).toBeGreaterThanOrEqual(0.749 * 215);
  });

  it('keeps its place with a value, with places for its characters, as a button, and if it is short', async () => {
    const places = [
      [85, 297, 300, 312],
      [85, 257, 300, 272],
      [85, 217, 300, 232],
      [85, 177, 180, 192],
      [85, 137, 300, 152],
      [85, 97, 300, 112],
    ];
    const kinds = [
      { ...text, V: '(Ann)' },
      { ...text, Ff: 1 << 24, MaxLen: 10 },
      { FT: 'Btn', Ff: 1 << 16 },
      text,
      { ...text, MaxLen: 40 },
      { ...text, RV: '(<p>Ann</p>)' },
    ];
    const { labels, fields } = await translatedForm(
      places.map(([, y]) => at(40, y! + 3, 'Its name:')).join(''),
      places.map((place, index) => field(place, { T: `(${index})`, ...kinds[index] })),
    );
    expect(fields.map((box) => [box.left, box.bottom, box.right, box.top])).toEqual(places);
    for (const { right } of labels) expect(right).toBeLessThan(86);
  });

  it('keeps three quarters of its length', async () => {
    const { labels, fields } = await translatedForm(at(40, 300, 'To:'), [
      field([58, 297, 218, 312], { T: '(name)', ...text }),
    ]);
    expect(fields[0]!.left).toBeGreaterThan(86);
    expect(fields[0]!.left).toBeLessThanOrEqual(58 + 40);
    for (const { right } of labels) expect(right).toBeLessThanOrEqual(fields[0]!.left);
  });

  it('keeps its place if it is on two pages', async () => {
    const one = { content: at(40, 300, 'Its name:') };
    const document = await PDFDocument.load(await madePdf(one, one));
    const { context } = document;
    const shared = context.register(context.obj(field([85, 297, 300, 312], { T: '(n)', ...text }) as never));
    for (const { node } of document.getPages()) node.set(PDFName.of('Annots'), context.obj([shared]));
    const bytes = await document.save({ useObjectStreams: false });
    const { segments } = await extract(bytes);
    const target = ['Nom de la personne:'];
    const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    for (const { right } of await shownTexts(rebuilt.bytes)) expect(right).toBeLessThan(86);
  });
});
