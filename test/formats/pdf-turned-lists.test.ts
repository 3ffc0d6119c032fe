import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { blockOf, pageOf, render } from './pdf-blocks.ts';
import { madePdf } from './pdf-made.ts';
import { shownLines } from './pdf-shown.ts';

const shows = (x: number, y: number, text: string): string => `BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET`;

const arabic = 'بند من القائمة';

async function translated(content: string[], page: Record<string, unknown> = {}, targetLanguage = 'ar') {
  const bytes = await madePdf({ content: content.join('\n'), page });
  const { segments } = await extract(bytes);
  const target = targetLanguage === 'ar' ? arabic : 'Un point de la liste';
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [target] }));
  const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage });
  const lines = await shownLines(rebuilt.bytes);
  return { texts: segments.map(({ source }) => source.join('')), lines };
}

describe('a list that is translated from left to right to right to left', () => {
  const paragraph = [
    shows(50, 350, 'The committee met in spring and agreed on the plan'),
    shows(50, 338, 'that the members had discussed in the winter before,'),
    shows(50, 326, 'with few small changes.'),
  ];
  const items = [
    shows(60, 300, '\\225'),
    shows(75, 300, 'An item of the list'),
    shows(60, 276, '2.'),
    shows(75, 276, 'Another one'),
  ];

  it('has its labels right of its texts, as far from the right edge as they were from the left one', async () => {
    const { texts, lines } = await translated([...paragraph, ...items]);
    expect(texts.slice(1)).toEqual(['An item of the list', 'Another one']);
    const [first, second] = lines.slice(-2);
    expect(first!.text).toContain('•');
    expect(second!.text).toMatch(/2/);
    const edge = Math.max(...lines.map(({ right }) => right));
    for (const { right, text, x } of [first!, second!]) {
      expect(Math.abs(right - edge + 10)).toBeLessThan(1.5);
      expect(x).toBeGreaterThan(150);
      expect(text).toContain('القائمة');
    }
  });

  it('keeps its labels where they are in a language that runs from left to right', async () => {
    const { lines } = await translated([...paragraph, ...items], {}, 'fr');
    for (const { x } of lines.slice(-2)) expect(x).toBeCloseTo(60, 0);
  });
});

describe('an indented text that is set flush right', () => {
  const english = ['The committee met in spring and', 'agreed on the plan that the members', 'had made.'];
  const places = async (sources: Parameters<typeof blockOf>[0][]) => {
    const items = sources.map((source, index) => ({
      source: blockOf({ ...source, id: `b${index}` }),
      target: arabic,
    }));
    const set = await render(items, { targetLanguage: 'ar', page: pageOf() });
    return {
      boxes: items.map(({ source }) => source.box),
      rights: [...set.places.values()].map(({ right }) => right),
    };
  };

  it('is indented from the right edge of its column, be it of one line or of several', async () => {
    const { boxes, rights } = await places([
      { lines: english, y: 700 },
      { lines: ['A short line'], x: 92, y: 650 },
      { lines: ['An indented paragraph', 'of two lines'], x: 92, y: 630 },
    ]);
    expect(rights[1]).toBeCloseTo(boxes[0]!.right - 20, 0);
    expect(rights[2]).toBeCloseTo(boxes[0]!.right - 20, 0);
  });

  it('does not leave its column for a wider one, nor follow a text that it is no part of', async () => {
    const { boxes, rights } = await places([
      { lines: [english.join(' '), english.join(' ')], y: 740 },
      ...[700, 650, 600].map((y) => ({ lines: english, y })),
      { lines: ['A short line'], y: 560 },
      { lines: ['Far inside'], x: 200, y: 540 },
    ]);
    expect(rights[4]).toBeCloseTo(boxes[1]!.right, 0);
    expect(rights[5]).toBeCloseTo(boxes[5]!.right, 0);
  });
});
