import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { RebuildOptions } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { madePdf } from './pdf-made.ts';
import { shownTexts } from './pdf-shown.ts';

/** A page with one line of parts of a size in one font, in which the next part follows the last one. */
function lineOf(parts: readonly (readonly [size: number, text: string])[], BaseFont = 'Helvetica') {
  const shown = parts.map(([size, text]) => `/F ${size} Tf (${text}) Tj`).join(' ');
  return madePdf({
    content: `BT 1 0 0 1 40 300 Tm ${shown} ET`,
    resources: {
      Font: {
        F: ({ context }) => context.register(context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont })),
      },
    },
  });
}

async function sourceOf(bytes: Uint8Array): Promise<string[]> {
  const { segments } = await extract(bytes);
  return segments.map(({ source }) => plainText(source));
}

async function rebuiltWith(bytes: Uint8Array, target: string, options: Partial<RebuildOptions>) {
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [target] }));
  const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };
  return (await rebuild(bytes, translations, { ...languages, ...options })).bytes;
}

/** The parts of the translation, each with its size. */
async function translated(bytes: Uint8Array, target: string, targetLanguage = 'fr') {
  const result = await rebuiltWith(bytes, target, { targetLanguage });
  const shown = (await shownTexts(result)).filter(({ text }) => text.trim() !== '');
  return shown.map(({ text, size }) => [text, Math.round(size * 10) / 10]);
}

const heading = [
  [20, 'L'],
  [16, 'OS '],
  [20, 'A'],
  [16, 'NGELES OF THE '],
  [20, 'W'],
  [16, 'EST'],
] as const;

describe('small capitals', () => {
  it('stand for small letters, of words without a full capital, too', async () => {
    expect(await sourceOf(await lineOf(heading))).toEqual(['Los Angeles of the West']);
    const name = [...heading, [20, ' IEEE'], [16, 'TRAN']] as const;
    expect(await sourceOf(await lineOf(name))).toEqual(['Los Angeles of the West IEEEtran']);
  });

  it('are the small letters of the translation', async () => {
    expect(await translated(await lineOf(heading), 'Été à Gap')).toEqual([
      ['É', 20],
      ['TÉ', 16],
      ['À', 16],
      ['G', 20],
      ['AP', 16],
    ]);
  });

  it('are those of a font for them', async () => {
    const bytes = await lineOf([[20, 'Main results']], 'CMCSC10');
    expect(await sourceOf(bytes)).toEqual(['Main results']);
    expect(await translated(bytes, 'Kern')).toEqual([
      ['K', 20],
      ['ERN', 15.2],
    ]);
  });

  it('are a property of the text in a Word file', async () => {
    const result = await rebuiltWith(await lineOf(heading), 'Été à Gap', { output: 'docx' });
    const body = strFromU8(unzipSync(result)['word/document.xml']!);
    expect(body).toMatch(/<w:smallCaps\/>.*Été à Gap/);
  });

  it.each([
    ['capitals of one size', [[20, 'LOS ANGELES']]],
    [
      'words of two sizes',
      [
        [20, 'LOS '],
        [16, 'ANGELES'],
      ],
    ],
    [
      'small letters',
      [
        [20, 'L'],
        [16, 'os Angeles'],
      ],
    ],
    [
      'much smaller letters',
      [
        [20, 'L'],
        [10, 'OS ANGELES'],
      ],
    ],
    [
      'slightly smaller letters',
      [
        [20, 'L'],
        [18.5, 'OS ANGELES'],
      ],
    ],
    [
      'a unit',
      [
        [20, 'USED CO'],
        [14, 'RATE'],
      ],
    ],
  ] as const)('are not %s', async (_name, parts) => {
    const bytes = await lineOf(parts);
    expect((await sourceOf(bytes)).join(' ')).toBe(parts.map(([, text]) => text).join(''));
  });

  it('are not in a script without them', async () => {
    const [first] = await translated(await lineOf(heading), 'ロサンゼルス', 'ja');
    expect(first).toEqual(['ロサンゼルス', 20]);
  });
});
