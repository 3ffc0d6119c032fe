import { describe, expect, it } from 'vitest';
import { roomBeside } from '#server/formats/pdf/fitting/fit.ts';
import { FreeSpace } from '#server/formats/pdf/fitting/free-space.ts';
import type { Rectangle } from '#server/formats/pdf/geometry.ts';
import type { PageContent, ShownText } from '#server/formats/pdf/page-content.ts';
import { fitBlocks } from '#server/formats/pdf/writing/typeset-blocks.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { blockOf, pageOf, paint, rectangle, render, type Source } from './pdf-blocks.ts';
import { at, madePdf } from './pdf-made.ts';
import { shownLines, shownTexts } from './pdf-shown.ts';

async function setLabel(
  source: Source,
  target: string,
  content: Partial<PageContent> = {},
  sharesEdge = false,
) {
  const block = { ...blockOf(source), sharesEdge };
  const title = { source: { lines: ['A title'], x: 500, y: 770 }, target: 'Titre' };
  const { bytes, places, findings } = await render([{ source: block, target }, title], {
    page: pageOf(content),
  });
  return {
    lines: (await shownLines(bytes)).filter(({ text }) => text !== 'Titre'),
    place: places.get(block.id)!,
    box: block.box,
    findings,
  };
}

describe('a label', () => {
  it('keeps away from the line of an arrow, not from the box around the line', async () => {
    const target = 'Nom de famille et prénom';
    const arrow = rectangle(120, 650, 300, 750);
    const along = [rectangle(120, 650, 210, 660), rectangle(210, 660, 300, 750)];
    const free = await setLabel({ lines: ['Name'] }, target, { paints: [paint(arrow, 'stroke', along)] });
    expect(free.lines).toHaveLength(1);
    const blocked = await setLabel({ lines: ['Name'] }, target, { paints: [paint(arrow, 'stroke')] });
    expect(blocked.lines.length).toBeGreaterThan(1);
  });

  it('grows below an object that only the box of its font touches', async () => {
    const label = blockOf({ lines: ['Name'] });
    const tall = { ...label, box: { ...label.box, top: label.box.top + 3 } };
    const above = paint(rectangle(label.box.right + 5, 708, 400, 740));
    const { bytes } = await render([{ source: tall, target: 'Nom de famille et prénom' }], {
      page: pageOf({ paints: [above] }),
    });
    expect(await shownLines(bytes)).toMatchObject([{ text: 'Nom de famille et prénom', size: 10 }]);
  });

  it('keeps its size although other texts of its style on the page are made smaller', () => {
    const items = [{ block: blockOf({ lines: ['Name'] }), target: ['Nom'] }];
    const { texts } = fitBlocks(pageOf(), items, { sourceLanguage: 'en', targetLanguage: 'fr' })
      .directions[0]!;
    texts.share(new Map(texts.fittings.map(({ frame }) => [frame.style, 0.9])));
    expect([texts.fittings[0]!.fit.scale, [...texts.needs()]]).toEqual([1, []]);
  });

  it('grows over its line although a text at the end of the line below ends farther left', async () => {
    const [label, last, first] = [
      blockOf({ lines: ['Full name:'] }),
      blockOf({ lines: ['Last'], x: 130, y: 689.5 }),
      blockOf({ lines: ['First'], x: 180, y: 689.5 }),
    ];
    const { bytes } = await render([
      { source: label, target: 'Nom de famille et tous les prénoms' },
      { source: last, target: 'Nom' },
      { source: first, target: 'Prénom' },
    ]);
    expect(await shownLines(bytes)).toContainEqual(
      expect.objectContaining({ text: 'Nom de famille et tous les prénoms', size: 10 }),
    );
  });

  it('grows over a text below it if only the boxes of their fonts overlap', () => {
    const block = blockOf({ lines: ['Name'] });
    const { baseline, right } = block.lines[0]!;
    const deep = { ...block, box: { ...block.box, bottom: baseline - 4 } };
    const items = [{ block: deep, target: ['Nom'] }];
    const { texts } = fitBlocks(pageOf(), items, { sourceLanguage: 'en', targetLanguage: 'fr' })
      .directions[0]!;
    const roomOver = (top: number) => {
      const space = new FreeSpace(pageOf().box);
      space.add(rectangle(right - 5, baseline - 14, 400, top), { solid: true });
      return roomBeside(texts.fittings[0]!.frame, space, false).right;
    };
    expect(roomOver(baseline - 1.8)).toBeGreaterThan(right + 100);
    expect(roomOver(baseline)).toBeCloseTo(right);
  });

  it('stays over a large picture with the same start', async () => {
    const source = { lines: ['All of these words are over a shape'] };
    const { box } = blockOf(source);
    const shape = paint(rectangle(box.left - 5, box.bottom - 20, box.left + 70, box.bottom + 3.2));
    const { place } = await setLabel(source, 'Tous ces mots sont au-dessus', { paints: [shape] });
    expect(place.left).toBeCloseTo(box.left);
  });

  it('over a part of a sloped shape grows over its other parts, but not over those of another shape', async () => {
    const source = { lines: ['Words over a shape'], y: 700 };
    const { box } = blockOf(source);
    const parts = [690, 675, 660].map((y) => rectangle(60, y, 260, y + 15));
    const wall = paint(rectangle(box.right + 5, 600, 500, 760));
    const shape = (own: typeof parts) => paint(rectangle(60, 660, 260, 705), 'fill', own);
    const target = 'Des mots au-dessus de la forme, et encore';
    const over = await setLabel(source, target, { paints: [shape(parts), wall] });
    expect(over.lines.map(({ size }) => size)).toEqual([10, 10, 10]);
    const apart = await setLabel(source, target, {
      paints: [shape(parts.slice(0, 1)), shape(parts.slice(1)), wall],
    });
    expect(apart.lines[0]!.size).toBeLessThan(10);
  });

  it('uses all of its box but the outline, before it is cut', async () => {
    const source = { lines: ['Trace'], style: { size: 4 } };
    const { box } = blockOf(source);
    const container = rectangle(box.left - 2.5, box.bottom - 0.5, box.right + 2.5, box.top + 0.5);
    const { findings, place } = await setLabel({ ...source, container }, 'Trace 1');
    expect(findings).toEqual([]);
    expect(place.right).toBeLessThanOrEqual(container.right);
    expect(place.left).toBeGreaterThanOrEqual(container.left);
  });

  it('leaves its edge before it is tiny, and an edge that it shares with others only then', async () => {
    const source = { lines: ['Initial'], x: 200 };
    const { box } = blockOf(source);
    const wall = [paint(rectangle(box.right + 20, 690, 400, 750), 'fill')];
    const free = await setLabel(source, 'Dénomination', { paints: wall });
    expect(free.lines).toMatchObject([{ size: 10 }]);
    expect(free.place.left).toBeLessThan(box.left - 10);
    const shared = await setLabel(source, 'Désignation', { paints: wall }, true);
    expect(shared.place.left).toBe(box.left);
    const tiny = await setLabel(source, 'Dénomination brève', { paints: wall }, true);
    expect(tiny.place.left).toBeLessThan(box.left - 10);
    expect(tiny.lines[0]!.size).toBe(10);
  });

  it('in the centre moves off it before a word is broken', async () => {
    const source = { lines: ['abort', 'run'], alignment: 'center' as const, x: 200 };
    const { box } = blockOf(source);
    const paints = [
      paint(rectangle(box.right + 1, 600, 400, 750)),
      paint(rectangle(60, 600, 400, box.bottom - 1)),
    ];
    const { lines, findings } = await setLabel(source, 'abandonner', { paints });
    expect(lines.map(({ text, size }) => [text, size])).toEqual([['abandonner', 10]]);
    expect(findings).toEqual([]);
  });

  it('grows upwards before it stands on the arrow at the end of its last line', async () => {
    const source = { lines: ['Add the numbers on the', 'lines that are above'] };
    const { box, lines } = blockOf(source);
    const arrow = rectangle(
      lines[1]!.right + 3,
      lines[1]!.baseline,
      lines[1]!.right + 13,
      lines[1]!.baseline + 9,
    );
    const floor = paint(rectangle(20, 600, 400, box.bottom - 1));
    const beside = paint(rectangle(box.right + 1, 600, 400, 750));
    const { place, findings } = await setLabel(
      source,
      'Additionnez tous les nombres de toutes les lignes qui précèdent la présente ligne, et aussi tous ceux des pages',
      {
        paints: [floor, beside, paint(rectangle(20, 600, box.left - 1, 750))],
        annotations: [{ kind: 'widget', box: arrow }],
      },
    );
    expect(place.right).toBeLessThanOrEqual(arrow.left);
    expect(place.top).toBeGreaterThan(box.top + 5);
    expect(findings.map(({ code }) => code)).not.toContain('text_truncated');
  });
});

it('a sign that is kept at the end of a short last line leaves the words of the label whole: it is set above the sign, not beside it', async () => {
  const source = { lines: ['Phone', 'no.'], style: { size: 7 }, leading: 9.4 };
  const { lines, box } = blockOf(source);
  const left = lines[1]!.right + 1;
  const sign = rectangle(left, box.bottom, left + 8, lines[0]!.baseline - 3);
  const set = await setLabel(source, 'Phone no.', { annotations: [{ kind: 'widget', box: sign }] });
  expect(set.lines.map(({ text, size }) => [text, size])).toEqual([['Phone no.', 7]]);
  expect(set.place.bottom).toBeGreaterThan(sign.top - 0.5);
});

describe('a text that grows downwards', () => {
  it('leaves a part of the distance to the cell below it', async () => {
    const lines = ['The quick brown fox jumps over the lazy dog and', 'runs away into the forest.'];
    const blocks = [
      blockOf({ id: 'text', lines, leading: 14 }),
      { ...blockOf({ id: 'cell', lines: ['A cell'], y: 660 }), kind: 'table_cell' as const },
    ];
    const target =
      'Le renard brun et rapide saute par-dessus le chien paresseux et s’enfuit loin dans la forêt.';
    const { places } = await render(
      [
        { source: blocks[0]!, target: `${target} ${target}` },
        { source: blocks[1]!, target: 'Une case' },
      ],
      { page: pageOf({ paints: [paint(rectangle(290, 600, 400, 750))] }) },
    );
    const gap = blocks[0]!.box.bottom - blocks[1]!.box.top;
    expect(places.get('text')!.bottom - blocks[1]!.box.top).toBeGreaterThan(0.45 * gap);
  });

  it('leaves the distance of a letter to the number of a heading that is not translated', async () => {
    const lines = ['The quick brown fox jumps over the lazy dog and', 'runs away into the forest.'];
    const source = blockOf({ id: 'text', lines, leading: 14 });
    const number: ShownText = {
      ...source.glyphs[0]!.text,
      glyphs: [...'6.2.4.'].map((text, index) => ({ text, x: index * 0.5, advance: 0.5 })),
      matrix: [10, 0, 0, 10, 72, 650],
    };
    const target = 'Le renard brun et rapide saute par-dessus le chien paresseux dans la forêt. '.repeat(3);
    const { places } = await render([{ source, target }], {
      page: pageOf({ texts: [number], paints: [paint(rectangle(290, 600, 400, 750))] }),
    });
    expect(places.get('text')!.bottom).toBeGreaterThan(658 + 9.5);
  });
});

it('a label in a row of numbers has the size of the other labels of its list, not of the narrow cells', async () => {
  const asCell = (source: Source, container: Rectangle | null) => ({
    ...blockOf(source),
    kind: 'table_cell' as const,
    container,
  });
  const labels = ['Materials', 'Components', 'Documents', 'Subcontracting'].map((label, row) => {
    const source = { id: `label${row}`, lines: [label], y: 700 - 15 * row };
    return row === 1 ? asCell(source, null) : blockOf(source);
  });
  const heads = [0, 1, 2, 3, 4, 5].map((row) => {
    const container = rectangle(298, 695 - 20 * row, 352, 709 - 20 * row);
    return asCell({ id: `head${row}`, lines: ['Hours used'], x: 300, y: 699 - 20 * row }, container);
  });
  const items = [
    ...labels.map((source) => ({ source, target: 'Matériaux' })),
    ...heads.map((source) => ({ source, target: 'Heures de travail' })),
  ];
  const { bytes } = await render(items);
  const sizes = (await shownLines(bytes)).flatMap(({ size, text }) => (text === 'Matériaux' ? size : []));
  expect(new Set(sizes).size).toBe(1);
  expect(sizes).toHaveLength(4);
});

it('a table cell of one line becomes slightly narrower or smaller before it takes a second line', async () => {
  const source = { lines: ['Central Processor'], container: rectangle(70, 680, 156, 712) };
  const cell = { ...blockOf(source), kind: 'table_cell' as const };
  const { bytes } = await render([{ source: cell, target: 'Central Processors 22' }]);
  const lines = await shownLines(bytes);
  expect(lines).toHaveLength(1);
  expect(lines[0]!.size).toBeGreaterThan(8.8);
});

it('a cell of one line outside of a box has no second line: its letters become narrower', async () => {
  const source = { lines: ['Closing inventory of the year (E + F - G)'], y: 600 };
  const cell = { ...blockOf(source), kind: 'table_cell' as const };
  const wall = paint(rectangle(cell.box.right + 5, 500, 600, 700));
  const target = 'Inventaire de clôture annuelle (E + F - G)';
  const { bytes } = await render([{ source: cell, target }], { page: pageOf({ paints: [wall] }) });
  expect(await shownLines(bytes)).toMatchObject([{ text: target, size: 10, y: 600 }]);
});

it('a short label before a line to fill in becomes slightly smaller before it takes a second line', async () => {
  const blank = paint(rectangle(150, 699, 400, 700), 'stroke');
  const { lines } = await setLabel({ lines: ['Date of closure'] }, 'Date de clôtures', { paints: [blank] });
  expect(lines).toHaveLength(1);
  expect(lines[0]!.size).toBeGreaterThan(8.8);
});

it('a cell without vertical rules stays over the rule below it', async () => {
  const source = {
    ...blockOf({ lines: ['A refund'], alignment: 'center', x: 100 }),
    kind: 'table_cell' as const,
  };
  const rule = paint(rectangle(80, 696, 170, 696.5), 'fill');
  const target = 'Un remboursement client';
  const { places } = await render([{ source, target }], { page: pageOf({ paints: [rule] }) });
  expect(places.get(source.id)!.left).toBeGreaterThan(79.5);
  expect(places.get(source.id)!.right).toBeLessThan(170.5);
  const without = await render([{ source, target }], { page: pageOf() });
  expect(without.places.get(source.id)!.right).toBeGreaterThan(170.5);
});

it('a label grows over the spaces that are in one text with the number after them', async () => {
  const price = `${' '.repeat(60)}$ 7.00`;
  const bytes = await madePdf({ content: `${at(40, 300, 'Shorten the coat')}${at(114, 300, price)}` });
  const { segments } = await extract(bytes);
  const target = ['Raccourcir le manteau d’hiver'];
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const [label] = (await shownTexts(rebuilt.bytes)).filter(({ text }) => text.startsWith('Rac'));
  expect(label).toMatchObject({ text: target[0], size: 10, turn: [10, 0, 0, 10] });
});
