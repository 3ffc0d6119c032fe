import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { advanceIn, type FontName } from '#server/formats/typesetting/fonts.ts';
import { type Made, readMade, textOf } from './pdf-made.ts';

/** The numbers of glyphs in Arial and Times New Roman, as files with character maps show them. */
const microsoft = (character: string): number =>
  new Map([
    ['é', 112],
    ['°', 131],
    ['“', 179],
    ['”', 180],
    ['’', 182],
    ['€', 188],
    ['Í', 203],
  ]).get(character) ?? character.charCodeAt(0) - 29;
const adobe = (character: string): number => character.charCodeAt(0) - 31;

interface Shown {
  numberOf: (character: string) => number;
  /** The widths of the glyphs, in em. */
  widthOf: (character: string) => number;
}

const widthsOf = (font: FontName) => (character: string) => advanceIn(font, character)!;

/** Shows a text in a composite font without a character map, whose codes are the numbers of its glyphs. */
async function composite(text: string, { numberOf, widthOf }: Shown): Promise<string> {
  const widths = [...text].flatMap((one) => [numberOf(one), [Math.round(1000 * widthOf(one))]]);
  const font: Made = ({ context }) => {
    const system = { Registry: 'Adobe', Ordering: 'Identity', Supplement: 0 };
    const own = {
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: 'Unknown',
      CIDSystemInfo: system,
      W: widths,
    };
    const descendant = context.register(
      context.obj(own as Record<string, unknown> as Record<string, string>),
    );
    const all = { Type: 'Font', Subtype: 'Type0', BaseFont: 'Unknown', Encoding: 'Identity-H' };
    return context.register(context.obj({ ...all, DescendantFonts: [descendant] }));
  };
  const codes = [...text].map((one) => numberOf(one).toString(16).padStart(4, '0')).join('');
  return show(codes, font);
}

/** Shows a text in a simple font whose encoding names its glyphs by their numbers. */
async function simple(text: string, { numberOf, widthOf }: Shown, prefix = 'g'): Promise<string> {
  const letters = [...new Set(text)];
  const font = ({ context }: Parameters<Made>[0]) =>
    context.register(
      context.obj({
        Type: 'Font',
        Subtype: 'Type1',
        BaseFont: 'Unknown',
        FirstChar: 1,
        LastChar: letters.length,
        Widths: letters.map((one) => Math.round(1000 * widthOf(one))),
        Encoding: { Differences: [1, ...letters.map((one) => `${prefix}${numberOf(one)}`)] },
      } as Record<string, unknown> as Record<string, string>),
    );
  const codes = [...text].map((one) => (letters.indexOf(one) + 1).toString(16).padStart(2, '0')).join('');
  return show(codes, font);
}

async function show(codes: string, font: Made): Promise<string> {
  const page = await readMade({
    content: `BT /G 10 Tf 9 50 Td <${codes}> Tj ET`,
    resources: { Font: { G: font } },
  });
  const { kept } = findBlocks(page);
  return page.texts.map(textOf).join('') + kept.map(({ reason }) => ` (${reason})`).join('');
}

const text = 'SeatingPlane,ThisIsADrawing';
const unread = (length: number) => `${'\ufffd'.repeat(length)} (undecodable)`;

describe('a font without a character map', () => {
  it.each<FontName>(['arimo', 'tinosBold', 'openSans'])(
    'is read if its glyphs have the numbers of Arial and the widths of %s',
    async (font) => {
      const shown = { numberOf: microsoft, widthOf: widthsOf(font) };
      expect(await composite(text, shown)).toBe(text);
      expect(await simple(text, shown)).toBe(text);
    },
  );

  it('has the characters after ASCII only if its widths are those of Arial or Times New Roman', async () => {
    const quoted = 'Sécurité“Í”d’étéà20°etde5€'.replace('à', '');
    const shown = (font: FontName) => ({ numberOf: microsoft, widthOf: widthsOf(font) });
    expect(await composite(quoted, shown('arimo'))).toBe(quoted);
    expect(await composite(quoted, shown('openSans'))).toMatch(/^S\ufffdcurit\ufffd.*\(undecodable\)$/);
  });

  it('is read by similar widths if it has many glyphs, also in the order of Adobe', async () => {
    const wider = (character: string) =>
      1.05 * widthsOf('arimo')(character) + (/[aeo]/.test(character) ? 0.02 : 0);
    const many = `${text}WithMoreLettersForEvidence`;
    for (const numberOf of [microsoft, adobe])
      expect(await composite(many, { numberOf, widthOf: wider })).toBe(many);
    expect(await composite('Seating', { numberOf: microsoft, widthOf: wider })).toBe(unread(7));
  });

  it('stays unread if its glyphs are numbered in another order, or have one width', async () => {
    const order = [...new Set(text)];
    const numberOf = (character: string) => 36 + order.indexOf(character);
    expect(await composite(text, { numberOf, widthOf: widthsOf('arimo') })).toBe(unread(text.length));
    expect(await composite(text, { numberOf: microsoft, widthOf: () => 0.6 })).toBe(unread(text.length));
  });

  it('stays unread if a drawn glyph has the number of the space', async () => {
    const numberOf = (character: string) => (character === 'w' ? 3 : microsoft(character));
    expect(await composite(text, { numberOf, widthOf: widthsOf('arimo') })).toBe(unread(text.length));
  });

  it('does not have the characters with the hexadecimal numbers of its glyphs, unless all have the length of codes', async () => {
    const widthOf = widthsOf('arimo');
    const shown = (numberOf: Shown['numberOf']) => simple('Hand', { numberOf, widthOf });
    expect(await shown((character) => 950 + microsoft(character))).toBe(unread(4));
    expect(await shown((character) => 1000 + microsoft(character))).not.toContain('\ufffd');
  });
});
