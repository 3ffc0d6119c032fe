import { describe, expect, it } from 'vitest';
import { truncateRuns } from '#server/formats/pdf/fitting/styled-text.ts';
import { type Rectangle, transformRectangle } from '#server/formats/pdf/geometry.ts';
import type { PageContent, ShownText } from '#server/formats/pdf/page-content.ts';
import { blockOf, pageOf, paint, type Rendered, rectangle, render, type Source } from './pdf-blocks.ts';
import { text } from './pdf-page.ts';
import { shownLines } from './pdf-shown.ts';

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  Math.min(one.right, other.right) > Math.max(one.left, other.left) &&
  Math.min(one.top, other.top) > Math.max(one.bottom, other.bottom);

/** Sets one block on a page. A line of text at the top of the page defines margins of 72 points. */
async function setOne(
  source: Source,
  target: string,
  content: Partial<PageContent> = {},
  languages: { sourceLanguage?: string; targetLanguage?: string } = {},
): Promise<Rendered & { place: Rectangle; box: Rectangle }> {
  const block = blockOf(source);
  const set = await render([{ source: block, target }], { ...languages, page: pageOf(content) });
  return { ...set, place: set.places.get(block.id)!, box: block.box };
}

const sizes = async ({ bytes }: { bytes: Uint8Array }): Promise<number[]> =>
  (await shownLines(bytes)).map(({ size }) => Number(size.toFixed(1)));

const english = ['The quick brown fox jumps over the lazy dog and', 'runs away into the forest.'];
const longer =
  'Le renard brun et rapide saute par-dessus le chien paresseux et s’enfuit loin dans la forêt, où il dort longtemps.';

it('a translation that fits stays in its box, at its size and on its baselines, without a finding', async () => {
  const { bytes, findings, place, box } = await setOne({ lines: english }, english.join(' '));
  const lines = await shownLines(bytes);
  expect(lines.map(({ text, size, y }) => ({ text, size, y }))).toEqual([
    { text: english[0], size: 10, y: 700 },
    { text: english[1], size: 10, y: 688 },
  ]);
  expect(lines[0]!.x).toBeCloseTo(box.left);
  expect(place.right).toBeLessThanOrEqual(box.right + 1);
  expect(findings).toEqual([]);
});

describe('a translation that is too long for its box', () => {
  const label = { lines: ['Name'], x: 200 };

  it('takes free space to the right first', async () => {
    const set = await setOne(label, 'Nom de famille et prénom');
    expect(await sizes(set)).toEqual([10]);
    expect(set.place.left).toBeCloseTo(set.box.left);
    expect(set.findings).toEqual([]);
  });

  it('takes free space below next, if there is something beside it', async () => {
    const set = await setOne(label, 'Nom de famille', { paints: [paint(rectangle(250, 650, 400, 750))] });
    expect(await sizes(set)).toEqual([10, 10]);
    expect(set.findings).toEqual([]);
  });

  it('takes the other side if there is no room elsewhere', async () => {
    const around = [paint(rectangle(250, 650, 400, 750)), paint(rectangle(100, 690, 400, 697))];
    const set = await setOne(label, 'Nom de famille', { paints: around });
    expect(await sizes(set)).toEqual([10]);
    expect(set.place.left).toBeLessThan(set.box.left);
  });

  it('becomes slightly smaller, so that its lines are not too close to each other', async () => {
    const source = { lines: english, leading: 14 };
    const { bytes, findings, place } = await setOne(source, longer, {
      paints: [paint(rectangle(50, 600, 400, 676)), paint(rectangle(290, 600, 400, 750))],
    });
    const lines = await shownLines(bytes);
    expect(lines).toHaveLength(3);
    for (const { size } of lines) expect(size).toBeGreaterThan(9.2);
    const leading = (lines[0]!.y - lines[1]!.y) / lines[0]!.size;
    // Letters of 10 points would have 1.03.
    expect(leading).toBeGreaterThan(1.07);
    expect(leading).toBeLessThan(1.4);
    expect(place.bottom).toBeGreaterThanOrEqual(675);
    expect(findings.map(({ code }) => code)).toEqual(['text_shrunk']);
  });

  const walls = (source: Source) => {
    const { box } = blockOf(source);
    return {
      paints: [
        paint(rectangle(box.right + 1.5, box.bottom - 20, 600, box.top + 20)),
        paint(rectangle(20, box.bottom - 20, box.left - 1, box.top + 20)),
        paint(rectangle(20, box.bottom - 20, 600, box.bottom - 1)),
      ],
    };
  };

  it('becomes smaller where nothing is free, with a finding that tells the sizes', async () => {
    const source = { lines: english, id: 'p1.b7' };
    const set = await setOne(source, longer, walls(source));
    const [size] = await sizes(set);
    expect(size).toBeLessThan(10);
    expect(size).toBeGreaterThan(6);
    expect(set.place.bottom).toBeGreaterThan(set.box.bottom - 1);
    expect(set.place.top).toBeLessThan(set.box.top + 1);
    expect(set.findings).toEqual([
      {
        severity: 'info',
        code: 'text_shrunk',
        message: `set at ${size} pt instead of 10 pt: the translation is too long for its place`,
        unitId: 'p1.b7',
      },
    ]);
  });

  it.each([
    ['60 % of its size', 10, 6],
    ['5 points', 7, 5],
    ['its own size, if that is less', 4, 4],
  ])('becomes no smaller than %s, and ends with an ellipsis', async (_, size, least) => {
    const source = { lines: english, style: { size } };
    const target = longer.repeat(4);
    const set = await setOne(source, target, walls(source));
    const lines = await shownLines(set.bytes);
    const text = lines.map(({ text }) => text).join(' ');
    expect(new Set(await sizes(set))).toEqual(new Set([least]));
    expect(text).toMatch(/…$/);
    expect(target.startsWith(text.slice(0, -1))).toBe(true);
    expect(set.findings.map(({ code }) => code)).toEqual(
      size === least ? ['text_truncated'] : ['text_truncated', 'text_shrunk'],
    );
    expect(set.findings[0]!.message).toBe(
      `the translation is cut after ${text.length - 1} of ${target.length} characters, because no more text fits at the minimum size of ${least} pt`,
    );
    for (const { box } of walls(source).paints) expect(overlap(set.place, box)).toBe(false);
  });

  it.each<[string, number[], number[], string | undefined]>([
    ['none', [1, 2], [], undefined],
    ['one', [1], [2], '1 sign is not shown'],
    ['two', [], [1, 2], '2 signs are not shown'],
  ])('says how many of its signs are cut off: %s', async (_, first, last, lost) => {
    const block = blockOf({ lines: english });
    const box = rectangle(0, 0, 5, 5);
    for (const tag of [1, 2])
      block.moved.set(tag, { parts: [], bars: [{ box, color: '1 0 0 rg' }], width: 5 });
    const signs = (tags: number[]) => tags.map((tag) => ({ tag, type: 'void' as const }));
    const target = [...signs(first), ` ${longer.repeat(4)} `, ...signs(last)];
    const page = pageOf(walls({ lines: english }));
    const { findings, operators } = await render([{ source: block, target }], { page });
    const [finding] = findings.filter(({ code }) => code === 'text_truncated');
    expect(finding!.message.split('; ')[1]).toBe(lost);
    expect(operators.match(/1 0 0 rg/g) ?? []).toHaveLength(first.length);
  });

  it('keeps a sign before the ellipsis', () => {
    const { style } = blockOf({ lines: english });
    const sign = { text: '\ufffc', style, moved: { parts: [], width: 5 } };
    const runs = [{ text: 'Word ', style }, sign, { text: ' and more', style }];
    expect(truncateRuns(runs, 6, style)).toEqual([runs[0], sign, { text: '…', style }]);
    expect(truncateRuns(runs, 5, style)).toEqual([{ text: 'Word…', style }]);
  });

  it('is not broken inside a word while a smaller size avoids it', async () => {
    const source = { lines: ['Steamship'], container: rectangle(70, 680, 125, 712) };
    const set = await setOne(source, 'Dampfschifffahrt', {}, { targetLanguage: 'de' });
    expect((await shownLines(set.bytes)).map(({ text }) => text)).toEqual(['Dampfschifffahrt']);
    expect((await sizes(set))[0]).toBeLessThan(10);
  });
});

describe('a translation keeps away from', () => {
  const source = { lines: ['Name'], id: 'p1.b1' };
  const target = 'Nom de famille, prénom et tous les autres noms de la personne qui demande';
  const beside = rectangle(150, 650, 250, 750);
  const text: ShownText = {
    place: { use: 0, start: 0, end: 0 },
    order: 0,
    glyphs: [...'12345'].map((digit, index) => ({ text: digit, x: index * 0.5, advance: 0.5 })),
    font: { name: 'Times', family: 'serif', bold: false, italic: false, ascent: 0.8, descent: 0.2 },
    matrix: [10, 0, 0, 10, 150, 700],
    color: '',
    optionalContent: [],
    kept: null,
  };

  it.each<[what: string, content: Partial<PageContent>, box: Rectangle]>([
    ['an image', { paints: [paint(beside)] }, beside],
    ['a rule', { paints: [paint(rectangle(150, 650, 150, 750), 'stroke')] }, rectangle(149, 650, 151, 750)],
    ['a field', { annotations: [{ kind: 'widget', box: beside }] }, beside],
    ['an icon of an annotation', { annotations: [{ kind: 'other', box: beside }] }, beside],
    ['text that is not translated', { texts: [text] }, rectangle(150, 698, 175, 708)],
  ])('%s', async (_, content, box) => {
    const { place } = await setOne(source, target, content);
    expect(overlap(place, box)).toBe(false);
    expect(place.right).toBeGreaterThan(110);
  });

  it.each<[what: string, content: Partial<PageContent>]>([
    ['a link', { annotations: [{ kind: 'link', box: beside }] }],
    ['text that nobody sees', { texts: [{ ...text, kept: 'invisible' }] }],
    ['what it stands on', { paints: [paint(rectangle(60, 600, 550, 750), 'fill')] }],
    [
      'what a box hides',
      {
        paints: [
          paint(rectangle(150, 650, 150, 750), 'stroke'),
          { ...paint(rectangle(60, 600, 550, 760), 'fill'), order: 1 },
        ],
      },
    ],
    ['the background of the page', { paints: [paint(rectangle(0, 0, 612, 792))] }],
  ])('everything but %s', async (_, content) => {
    const { bytes, place } = await setOne(source, target, content);
    expect(await shownLines(bytes)).toHaveLength(1);
    expect(place.right).toBeGreaterThan(300);
  });

  it('no annotation that is over its source, such as a stamp', async () => {
    const stamp = rectangle(85, 690, 200, 720);
    const over = await setOne(source, target, { annotations: [{ kind: 'other', box: stamp }] });
    expect((await shownLines(over.bytes)).map(({ text }) => text)).toEqual([target]);
    expect(over.findings).toEqual([]);
    const column = await setOne({ lines: english }, english.join(' '), {
      annotations: [{ kind: 'other', box: rectangle(150, 684, 165, 696) }],
    });
    expect(await shownLines(column.bytes)).toHaveLength(english.length);
    expect(column.place.left).toBeCloseTo(72, 0);
  });

  it('no image on which a part of its source lies, such as a background with a covered edge', async () => {
    const block = blockOf({ lines: english });
    block.glyphs = [{ text: { ...text, matrix: [10, 0, 0, 10, 72, 700] }, from: 0, to: 5 }];
    const page = pageOf({ paints: [paint(rectangle(0, 600, 100, 740))] });
    const { bytes } = await render([{ source: block, target: longer }], { page });
    for (const { x } of await shownLines(bytes)) expect(x).toBeCloseTo(block.box.left, 0);
  });

  it('the margin of the page', async () => {
    const { place } = await setOne(source, target.repeat(4));
    expect(place.right).toBeLessThanOrEqual(612 - 55);
  });

  it('the edges of its table cell, upwards too', async () => {
    const cell = rectangle(70, 680, 140, 720);
    const set = await setOne({ ...source, container: cell }, target);
    const { left, right, bottom, top } = set.place;
    expect(left).toBeGreaterThanOrEqual(cell.left);
    expect(right).toBeLessThanOrEqual(cell.right);
    expect(bottom).toBeGreaterThanOrEqual(cell.bottom);
    expect(top).toBeLessThanOrEqual(cell.top);
    expect(top).toBeGreaterThan(set.box.top);
  });

  it.each<[what: string, box: Rectangle]>([
    ['at the end of its last line', rectangle(200, 684, 215, 696)],
    ['at the start of its lines', rectangle(70, 684, 80, 710)],
  ])('a check box %s', async (_, box) => {
    const { place, bytes } = await setOne({ lines: english }, english.join(' '), {
      annotations: [{ kind: 'widget', box }],
    });
    expect(overlap(place, box)).toBe(false);
    expect((await shownLines(bytes)).map(({ text }) => text).join(' ')).toBe(english.join(' '));
  });

  it('a blank in front of its first line, and its other lines start where those of the source do', async () => {
    const lines = ['hereby declare that all of this is true and', 'correct to the best of my knowledge'];
    const indented = { lines, indent: 60 };
    const spanish = 'declaro por la presente que todo lo anterior es cierto y correcto según mi leal saber';
    const { bytes, box } = await setOne(indented, spanish, {
      annotations: [{ kind: 'widget', box: rectangle(72, 698, 130, 709) }],
    });
    const [first, second] = await shownLines(bytes);
    expect(first!.x - box.left).toBeCloseTo(60);
    expect(second!.x).toBeCloseTo(box.left);
  });

  it('no check box of an option in the middle of a line', async () => {
    const options = { lines: ['Kind of paper:    white    colored    other'] };
    const fields = [140, 175].map((x) => ({ kind: 'widget' as const, box: rectangle(x, 698, x + 9, 708) }));
    const { place, box } = await setOne(options, 'Type de papier :    blanc    autre', {
      annotations: fields,
    });
    expect(place.left).toBeCloseTo(box.left, 0);
  });

  it('no check box, if its text would be lost otherwise', async () => {
    const container = rectangle(70, 697, 110, 709);
    const box = rectangle(90, 698, 100, 708);
    const { bytes, findings } = await setOne({ lines: ['Telephone'], container }, 'Telephones', {
      annotations: [{ kind: 'widget', box }],
    });
    expect((await shownLines(bytes))[0]!.text).toBe('Telephones');
    expect(findings.map(({ code }) => code)).not.toContain('text_truncated');
  });
});

describe('a sloped text over other texts', () => {
  const [sine, cosine] = [Math.sin(Math.PI / 6), Math.cos(Math.PI / 6)];
  const watermark = blockOf({
    lines: ['DO NOT COPY OR', 'GIVE TO OTHERS'],
    alignment: 'center',
    style: { size: 40 },
    x: 0,
    y: 0,
    matrix: [cosine, sine, -sine, cosine, 130, 250],
  });
  const rows = Array.from({ length: 20 }, (_, row) =>
    blockOf({ lines: ['A short label'], x: 250, y: 600 - 18 * row }),
  );
  const fields = rows.map(({ box }) => ({
    kind: 'widget' as const,
    box: rectangle(box.right + 4, box.bottom, box.right + 16, box.top),
  }));

  it('stays in its place, and leaves the size of those texts', async () => {
    const items = [watermark, ...rows].map((source) => ({
      source,
      target: source === watermark ? 'NE PAS COPIER OU DONNER À AUTRUI' : 'Étiquette',
    }));
    const page = pageOf({ annotations: fields });
    const { bytes, findings, operators, places, watermarks } = await render(items, { page });
    // It is painted first, as in the source.
    expect([watermarks, operators].map((drawn) => drawn.match(/BT/g)?.length)).toEqual([2, rows.length]);
    expect(findings.map(({ code, unitId }) => [code, unitId])).toEqual([['text_shrunk', watermark.id]]);
    const [first, ...others] = [...new Set(await sizes({ bytes }))].toSorted((one, other) => other - one);
    expect(others).toEqual([10]);
    expect(first).toBeGreaterThan(24);
    const [place, area] = [places.get(watermark.id)!, transformRectangle(watermark.matrix, watermark.box)];
    for (const edge of ['left', 'bottom'] as const) expect(place[edge]).toBeGreaterThan(area[edge] - 2);
    for (const edge of ['right', 'top'] as const) expect(place[edge]).toBeLessThan(area[edge] + 2);
  });
});

it('a text that a sloped, untranslated watermark crosses keeps its place and size', async () => {
  const texts = [text('unofficial', 40, 650, { size: 40, degrees: 30 })];
  const source = {
    lines: ['The title of this page with its many words, which ends far away from its start'],
    y: 690,
  };
  const { bytes, place, box } = await setOne(
    source,
    'Le titre de cette page avec beaucoup de mots, qui finit assez loin de son début',
    { texts },
  );
  expect(place.left).toBeCloseTo(box.left);
  expect(await sizes({ bytes })).toContain(10);
});

describe('translations of one style on a page', () => {
  const rules = [0, 1, 2, 3, 4].map((index) => 685 - 24 * index);
  const walls = pageOf({
    paints: [
      paint(rectangle(275, 0, 285, 792)),
      paint(rectangle(20, 0, 71, 792)),
      ...rules.map((y) => paint(rectangle(71, y, 275, y + 0.5), 'fill')),
    ],
  });
  const row = (index: number) => ({ lines: english, id: `b${index}`, y: 700 - 24 * index });
  const slightly =
    'Le renard brun et rapide saute par-dessus le chien paresseux et s’enfuit dans la forêt, où il dort très bien.';
  const sizesOf = async (targets: string[]): Promise<number[]> => {
    const items = targets.map((target, index) => ({ source: row(index), target }));
    const { bytes } = await render(items, { page: walls });
    const lines = await shownLines(bytes);
    return items.map(({ source: { y } }) => lines.find((line) => line.y <= y + 3 && line.y > y - 9)!.size);
  };

  it('get one size where one in four or more shrinks slightly', async () => {
    const [first, ...others] = await sizesOf([slightly, 'Un', 'Deux', 'Trois']);
    expect(first).toBeLessThan(10);
    expect(others).toEqual([first, first, first]);
  });

  it('keep their size where one of five has to shrink a lot', async () => {
    const [first, ...others] = await sizesOf([slightly.repeat(2), ...new Array(4).fill('Un')]);
    expect(first).toBeLessThan(8);
    expect(new Set(others)).toEqual(new Set([10]));
  });
});
