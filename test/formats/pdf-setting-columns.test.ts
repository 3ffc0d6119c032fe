import { describe, expect, it } from 'vitest';
import { type Frame, lastBaselineOf } from '#server/formats/pdf/fitting/fit.ts';
import type { Rectangle } from '#server/formats/pdf/geometry.ts';
import type { PageContent, Paint } from '#server/formats/pdf/page-content.ts';
import { fitBlocks } from '#server/formats/pdf/writing/typeset-blocks.ts';
import { blockOf, pageOf, paint, rectangle, render, type Source } from './pdf-blocks.ts';
import { shownLines } from './pdf-shown.ts';

const lines = [
  'The quick brown fox jumps over the lazy dog and',
  'runs away into the forest, where it finds a quiet',
  'place to sleep until the next morning comes along.',
];
const sentence = lines.join(' ');
const wall = (left: number, right: number): Paint => paint(rectangle(left, 0, right, 792));
/** Painted walls at both sides of the paragraphs. */
const walls = [wall(20, 70), wall(300, 320)];

interface Paragraph {
  lines?: string[];
  target: string;
  /** The distance from the previous baseline to that of this paragraph. */
  drop?: number;
  source?: Partial<Source>;
}

/** Sets paragraphs below each other from the top of a page, which ends below the last paragraph. */
async function setColumn(paragraphs: readonly Paragraph[], content: Partial<PageContent> = {}) {
  let y = 712;
  const items = paragraphs.map(({ lines: own = lines, target, drop = 12, source }, index) => {
    y -= drop;
    const block = blockOf({ alignment: 'justified', lines: own, y, id: `b${index}`, ...source });
    y = block.lines.at(-1)!.baseline;
    return { source: block, target };
  });
  const floor: Rectangle = { left: 20, right: 320, bottom: 0, top: y - 3 };
  const paints = [...walls, { ...wall(20, 320), box: floor }, ...(content.paints ?? [])];
  const { bytes, places, findings } = await render(items, { page: pageOf({ ...content, paints }) });
  const shown = await shownLines(bytes);
  return {
    findings,
    shown,
    sizes: new Set(shown.map(({ size }) => size.toFixed(2))),
    tops: items.map(({ source }) => places.get(source.id)!.top),
    sources: items.map(({ source }) => source.box.top),
  };
}

describe('paragraphs of a column', () => {
  it('have one size and one distance between all lines, however much each has grown', async () => {
    const { shown, sizes } = await setColumn([
      { target: `${sentence} Then it goes home.` },
      { target: sentence },
      { lines: lines.slice(0, 1), target: 'One line, which becomes longer than it was before, as all text.' },
      { target: sentence },
    ]);
    expect(sizes.size).toBe(1);
    const drops = shown.slice(1).map(({ y }, index) => shown[index]!.y - y);
    expect(Math.max(...drops) - Math.min(...drops)).toBeLessThan(0.2);
  });

  it('give each other room: one that is longer pushes those below it, which need less', async () => {
    const { findings, tops, sources } = await setColumn([
      { target: `${sentence} ${lines[0]}` },
      { target: lines[0]! },
      { target: sentence },
    ]);
    expect(findings).toEqual([]);
    expect(tops[0]).toBeCloseTo(sources[0]!);
    expect(tops[1]).toBeLessThan(sources[1]! - 10);
    // The second one has become shorter by two lines, the first one longer by one.
    expect(tops[2]).toBeCloseTo(sources[2]! + 12);
  });

  it('share the lack of space: slightly smaller letters, closer lines, and closer paragraphs', async () => {
    const { shown, findings } = await setColumn([
      { target: `${sentence} ${lines[0]}` },
      { target: sentence, drop: 24 },
      { target: sentence, drop: 24 },
    ]);
    expect(shown).toHaveLength(10);
    for (const { size } of shown) expect(size).toBeGreaterThanOrEqual(9.7);
    const drop = (from: number, to: number) => shown[from]!.y - shown[to]!.y;
    expect(drop(3, 4) / drop(0, 1)).toBeLessThan(24 / 12);
    expect(drop(0, 1)).toBeGreaterThan(10.5);
    expect(findings).toEqual([]);
  });

  it('keep the distance between their lines if they get a smaller size that other texts need', () => {
    const items = [700, 652, 604, 556].map((y, index) => ({
      block: blockOf({ lines, y, id: `b${index}` }),
      target: [`${sentence} ${sentence} ${sentence}`],
    }));
    const { directions } = fitBlocks(pageOf({ paints: walls }), items, {
      sourceLanguage: 'en',
      targetLanguage: 'en',
    });
    const { texts } = directions[0]!;
    texts.share(new Map(texts.fittings.map(({ frame }) => [frame.style, 0.97])));
    for (const { fit, frame } of texts.fittings) {
      expect(fit.scale).toBe(0.97);
      expect(fit.leading).toBeGreaterThanOrEqual(0.97 * frame.leading.normal);
    }
  });

  it('get wider letters with a smaller common size', () => {
    const block = { ...blockOf({ lines: ['Date of birth'], id: 'b1' }), kind: 'heading' as const };
    const { left, bottom, right, top } = block.box;
    const paints = [
      paint(rectangle(right + 18, bottom - 20, 600, top + 20)),
      paint(rectangle(20, bottom - 20, left - 1, top + 20)),
      paint(rectangle(20, bottom - 20, 600, bottom - 1)),
    ];
    const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const items = [{ block, target: ['Date de naissance'] }];
    const { texts } = fitBlocks(pageOf({ paints }), items, languages).directions[0]!;
    const widthOf = () => texts.fittings[0]!.frame.stretch;
    const narrow = widthOf();
    texts.share(new Map(texts.fittings.map(({ frame }) => [frame.style, 0.9])));
    expect(narrow).toBeLessThan(0.96);
    expect(texts.fittings[0]!.fit.scale).toBe(0.9);
    expect(widthOf()).toBeCloseTo(Math.min(1, narrow / 0.9));
  });

  it('hang below their first lines, also those of an entry that has one line in the source', async () => {
    const hanging = { target: sentence, source: { indent: -20 } };
    const { shown } = await setColumn([
      hanging,
      { lines: lines.slice(0, 1), target: `${lines[0]} ${lines[1]}` },
      hanging,
    ]);
    const starts = [...new Set(shown.map(({ x, y }) => JSON.stringify([Math.round(x), y])))];
    expect(starts.map((start) => JSON.parse(start)[0])).toEqual([72, 92, 92, 72, 92, 72, 92, 92]);
  });

  it('are also sentences of one line, if one of them would become very narrow: it gets a second line', async () => {
    const long = 'The quick brown fox jumps over the lazy dog and runs away, again.';
    const setAt = async (ends: string[]) => {
      const items = ends.map((end, row) => ({
        source: blockOf({ lines: [long], style: { size: 8 }, y: 700 - 18 * row, id: `b${row}` }),
        target: `${long}${end}`,
      }));
      const { bytes } = await render(items, { page: pageOf({ box: rectangle(0, 0, 372, 792) }) });
      return shownLines(bytes);
    };
    const [first, second, third, last] = await setAt([' Then he was asleep.', '', '']);
    expect([first, second, third, last].map((line) => line!.text).join(' ')).toBe(
      `${long} Then he was asleep. ${long} ${long}`,
    );
    expect(first!.y - second!.y).toBeLessThan(12);
    expect(second!.y - third!.y).toBeGreaterThan(12);
    expect(await setAt([' Oh.', '', ''])).toHaveLength(3);
  });

  it('end at the last line of their source, also if an object cuts off its box', () => {
    const box = rectangle(50, 560, 290, 600);
    const frame = { box: { ...box, bottom: 580 }, descent: 2, uncut: { box } } as Frame;
    expect(lastBaselineOf(frame)).toBe(562);
  });

  it('move over a drawing on which they lie in the source', async () => {
    const highlight = { ...paint(rectangle(100, 652, 200, 662)), kind: 'fill' as const };
    const { tops, sources } = await setColumn(
      [{ target: `${sentence} ${lines[0]}` }, { target: lines[0]! }, { target: sentence }],
      { paints: [highlight] },
    );
    expect(tops[1]).toBeLessThan(sources[1]! - 10);
  });

  const longer = `${sentence} ${lines[0]}`;
  const short = { target: lines[0]! };
  it.each<[what: string, content: Partial<PageContent>, second?: Partial<Source>]>([
    [
      'an image is between them',
      { paints: [{ ...wall(72, 280), kind: 'image', box: rectangle(72, 664, 280, 670) }] },
    ],
    [
      'a field is beside a first line',
      { annotations: [{ kind: 'widget', box: rectangle(284, 663, 294, 673) }] },
    ],
    ['only one is in a box', {}, { container: rectangle(70, 630, 300, 674) }],
  ])('stay where they are if %s', async (_, content, source = {}) => {
    const { tops, sources } = await setColumn([{ target: longer }, { ...short, source }, short], content);
    // A smaller text has a lower top on the same baseline.
    expect(Math.abs(tops[1]! - sources[1]!)).toBeLessThan(2);
  });

  it('stay where they are in a table, where a text beside begins on the same line', async () => {
    const cells = [0, 1, 2].flatMap((row) =>
      [72, 330].map((x) => ({
        source: { lines, x, y: 700 - 36 * row, id: `${x} ${row}` },
        target: row === 0 && x === 72 ? longer : lines[0]!,
      })),
    );
    const { places } = await render(cells, { page: pageOf({ paints: [wall(300, 320)] }) });
    for (const row of [0, 1, 2])
      expect(Math.abs(places.get(`72 ${row}`)!.top - places.get(`330 ${row}`)!.top)).toBeLessThan(2);
  });
});

describe('the right edge of justified paragraphs', () => {
  const right = Math.max(...lines.map((line) => blockOf({ lines: [line] }).box.right));
  const set = async (alignment: 'left' | 'justified', target: string) => {
    const items = [708, 660].map((y, index) => ({
      source: blockOf({ alignment, lines, y, id: `b${index}` }),
      target,
    }));
    const floor = paint(rectangle(20, 0, 600, 630));
    const { bytes, findings } = await render(items, { page: pageOf({ paints: [floor] }) });
    const ends = (await shownLines(bytes)).map((line) => line.right);
    return { findings, widest: Math.max(...ends) - right };
  };

  it('stays, although there is free space next to them', async () => {
    const longer = `${sentence} ${sentence} Then the fox goes home.`;
    expect((await set('left', longer)).widest).toBeGreaterThan(10);
    expect((await set('justified', longer)).widest).toBeLessThan(1);
  });

  it('stays, although a single line of their column, such as an address, goes past it', async () => {
    const address = `https://example.org/${'x'.repeat(100)}`;
    const items = [
      { source: blockOf({ alignment: 'justified', lines, y: 708 }), target: `${sentence} ${sentence}` },
      { source: blockOf({ lines: [address], y: 672 }), target: address },
      { source: blockOf({ alignment: 'justified', lines, y: 660 }), target: sentence },
    ];
    expect(items[1]!.source.box.right).toBeGreaterThan(right + 50);
    const { bytes } = await render(items, { page: pageOf() });
    const ends = (await shownLines(bytes))
      .filter(({ text }) => !text.includes('https'))
      .map((line) => line.right);
    expect(Math.max(...ends) - right).toBeLessThan(1);
  });

  it('stays, and so does the size, if slightly narrower letters suffice', async () => {
    const slightly = sentence.replace('quick', 'quicker');
    const { findings, widest } = await set('justified', slightly);
    expect([findings, widest < 1]).toEqual([[], true]);
  });
});

describe('a paragraph that begins next to a box and continues below it', () => {
  const beside = ['The quick brown fox', 'jumps over a lazy', 'dog and runs away', 'into the forest and'];
  const below = ['sleeps there until the next morning comes along. Then it goes', 'home again.'];
  const text = [...beside, ...below].join(' ');
  const box = paint(rectangle(200, 662, 340, 712));

  /** @param paints what is next to the paragraph; its lines have the baselines 700, 688 and so on */
  async function setParagraph(target: string, paints: Paint[]) {
    const source = blockOf({ lines: [...beside, ...below], x: 72, y: 700 });
    const set = await render([{ source, target }], { page: pageOf({ paints: [wall(400, 420), ...paints] }) });
    return { ...set, shown: await shownLines(set.bytes) };
  }
  const widthOf = ({ x, right }: { x: number; right: number }) => right - x;

  it('has narrow lines as far as the box, and wide ones below', async () => {
    const { shown, findings } = await setParagraph(`${text} And then it sleeps for the whole day.`, [box]);
    expect(findings).toEqual([]);
    const [narrow, wide] = [true, false].map((isBeside) => shown.filter(({ y }) => y > 660 === isBeside));
    expect(narrow!.length).toBe(4);
    for (const line of narrow!) expect(line.x + widthOf(line)).toBeLessThan(200);
    expect(Math.max(...wide!.map(widthOf))).toBeGreaterThan(150);
  });

  it('keeps the lines on the right of a picture there, and the lines below it at the left', async () => {
    const source = blockOf({ lines: [...beside, ...below], x: 72, y: 700, alignment: 'justified' });
    const end = source.box.right;
    for (const line of source.lines.slice(0, 4)) Object.assign(line, { left: end - 120, right: end });
    const page = pageOf({ paints: [wall(400, 420), paint(rectangle(72, 662, end - 130, 712))] });
    const shown = await shownLines((await render([{ source, target: `${text} ${text}` }], { page })).bytes);
    const lefts = shown.map(({ x, y }) => [y > 660, Math.round(x)]);
    expect(new Set(lefts.map(String))).toEqual(new Set([`true,${Math.round(end - 120)}`, 'false,72']));
  });

  it('becomes smaller if it does not fit, and keeps its shape', async () => {
    const floor = paint(rectangle(20, 0, 400, 634));
    const { shown, findings } = await setParagraph(`${text} ${text}`, [box, floor]);
    expect(findings.map(({ code }) => code)).toEqual(['text_shrunk']);
    for (const line of shown.filter(({ y }) => y > 662)) expect(line.right).toBeLessThan(200);
    expect(Math.min(...shown.map(({ y }) => y))).toBeGreaterThan(634);
  });

  it('has only narrow lines if it does not fit, and does not go over the box', async () => {
    const floor = paint(rectangle(20, 0, 400, 640));
    const { shown } = await setParagraph(`${text} ${text} ${text} ${text}`, [box, floor]);
    for (const line of shown.filter(({ y }) => y > 662)) expect(line.right).toBeLessThan(200);
    expect(Math.min(...shown.map(({ size }) => size))).toBeGreaterThanOrEqual(5);
  });

  it('keeps its last lines at the right of a picture below the others', async () => {
    const end = ['jumps over a lazy', 'dog'];
    const first = [
      'The quick brown fox runs away into the forest and',
      'sleeps there until the next morning and',
    ];
    const source = blockOf({ lines: [...first, ...end], x: 72, y: 700 });
    for (const line of source.lines.slice(2))
      Object.assign(line, { left: line.left + 130, right: line.right + 130 });
    const page = pageOf({ paints: [wall(330, 340), paint(rectangle(72, 600, 195, 685))] });
    const target = `${[...first, ...end].join(' ')} and then it sleeps for the whole day`;
    const shown = await shownLines((await render([{ source, target }], { page })).bytes);
    const [above, beside] = [true, false].map((isAbove) => shown.filter(({ y }) => y > 684 === isAbove));
    expect(above!.map(({ x }) => Math.round(x))).toEqual([72, 72]);
    expect(beside!.length).toBeGreaterThan(1);
    for (const { x } of beside!) expect(x).toBeCloseTo(202);
  });

  it('is a usual paragraph if nothing is next to it', async () => {
    const { shown } = await setParagraph(text, []);
    expect(shown.length).toBeLessThan(5);
  });
});

describe('paragraphs in a box', () => {
  const container = rectangle(60, 560, 275, 720);
  const cell = (texts: string[], y: number) => ({
    ...blockOf({ lines: texts, y, container }),
    kind: 'table_cell' as const,
  });

  it('below each other have one size and move with each other', async () => {
    const texts = [
      'The quick brown fox jumps over the lazy dog and',
      'sleeps in the forest until the morning.',
    ];
    const tops = [700, 664, 628];
    const items = tops.map((y) => ({ source: cell(texts, y), target: texts.join(' ') }));
    items[0]!.target += ' Then it goes home again and sleeps.';
    const shown = await shownLines((await render(items)).bytes);
    expect(shown).toHaveLength(7);
    expect(new Set(shown.map(({ size }) => size)).size).toBe(1);
    expect(shown[3]!.y).toBeLessThan(tops[1]! - 6);
  });
});
