import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { readLigatures } from '#server/formats/pdf/reading/fonts/ligatures.ts';
import { type Made, readMade, textOf } from './pdf-made.ts';
import { serif, text as shownText } from './pdf-page.ts';

/** The widths of letters, in thousandths of an em, as in Calibri. */
const widths: Record<string, number> = { t: 335, f: 305, i: 229, l: 229, h: 525, T: 487, ' ': 226 };
const usual = 500;

interface Glyph {
  text: string;
  width: number;
  /** What /ToUnicode states; null for no entry. */
  stated: string | null;
}

/**
 * Shows words in a simple font that numbers its glyphs from 33, as macOS writes them.
 * @param ligatures the glyphs that a bracketed text stands for: `corpora[ti]on`
 */
async function show(
  words: string,
  ligatures: Record<string, Omit<Glyph, 'text'>>,
  { encoding, width }: { encoding?: (string | number)[]; width?: number } = {},
): Promise<string> {
  const glyphs: Glyph[] = [];
  const codes = [...words.matchAll(/\[(\w+)\]|./g)].map(([text, ligature]) => {
    const index = glyphs.findIndex((glyph) => glyph.text === text);
    if (index >= 0) return 33 + index;
    const letter = { stated: text, width: width ?? widths[text] ?? usual };
    return 32 + glyphs.push({ text, ...(ligature ? ligatures[ligature]! : letter) });
  });
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
  const entries = glyphs.flatMap(({ stated }, index) =>
    stated === null
      ? []
      : [`<${hex(33 + index, 2)}> <${Array.from(stated, (one) => hex(one.codePointAt(0)!, 4)).join('')}>`],
  );
  const font: Made = ({ context }) =>
    context.register(
      context.obj({
        Type: 'Font',
        Subtype: encoding ? 'Type1' : 'TrueType',
        BaseFont: 'Unknown',
        FirstChar: 33,
        LastChar: 32 + glyphs.length,
        Widths: glyphs.map((glyph) => glyph.width),
        ...(encoding && { Encoding: { Differences: encoding } }),
        ToUnicode: context.register(
          context.stream(
            `1 begincodespacerange <00> <ff> endcodespacerange ${entries.length} beginbfchar\n${entries.join('\n')}\nendbfchar`,
          ),
        ),
      } as Record<string, unknown> as Record<string, string>),
    );
  const page = await readMade({
    content: `BT /G 4 Tf 9 50 Td <${codes.map((code) => hex(code, 2)).join('')}> Tj ET`,
    resources: { Font: { G: font } },
  });
  const { kept } = findBlocks(page);
  return page.texts.map(textOf).join('') + kept.map(({ reason }) => ` (${reason})`).join('');
}

const sentence = 'The corpora[ti]on and the other par[ti]es agree to the condi[ti]ons';

describe('ligatures of a simple font that numbers its glyphs', () => {
  it('without a character are read by their width and their words, not as the ASCII letters of their codes', async () => {
    expect(await show(sentence, { ti: { stated: null, width: 557 } })).toBe(
      sentence.replaceAll(/[[\]]/g, ''),
    );
    const after = 'the use of the So[ft]ware a[ft]er the agreement, and the wri[tt]en le[tt]er';
    expect(await show(after, { ft: { stated: null, width: 616 }, tt: { stated: null, width: 634 } })).toBe(
      after.replaceAll(/[[\]]/g, ''),
    );
  });

  it('are read with less evidence if only one ligature has their width', async () => {
    const order =
      'Die Bestellbestä[ti]gung, die wir ihnen bestä[ti]gt haben und noch bestä[ti]gen, und die Versandbestä[ti]gung kommen automa[ti]sch, und jeder fand die Tafel viel';
    const shown = await show(order, { ti: { stated: null, width: 557 } });
    expect(shown).toBe(order.replaceAll(/[[\]]/g, ''));
  });

  it('are read as the page shows their word elsewhere', async () => {
    const brand = 'the makers of Xylofti know that Xylo[ft]i is a brand';
    expect(await show(brand, { ft: { stated: null, width: 640 } })).toBe(brand.replaceAll(/[[\]]/g, ''));
    const alone = brand.replace('Xylofti', 'it');
    expect(await show(alone, { ft: { stated: null, width: 640 } })).toContain('(undecodable)');
  });

  it('stay unknown if their width is not that of the letters, and their text is kept and reported', async () => {
    expect(await show(sentence, { ti: { stated: null, width: 900 } })).toBe(
      `${sentence.replaceAll('[ti]', '\ufffd')} (undecodable)`,
    );
  });

  it('stay unknown if the words do not tell the letters', async () => {
    expect(
      await show('the agreement of the other company x[ti]z', { ti: { stated: null, width: 557 } }),
    ).toMatch(/x\ufffdz \(undecodable\)$/);
  });
});

it('a ligature of Calibri is read by the number of its glyph, even if the words do not tell the letters', async () => {
  const read = async (name: string, advance: number) => {
    const shown = shownText('xi so\ufffdz', 9, 50, { font: { ...serif, name } });
    Object.assign(shown.glyphs[5]!, { symbol: 332, advance });
    await readLigatures([shown]);
    return textOf(shown);
  };
  expect(await read('Calibri-Bold', 0.64)).toBe('xi softz');
  expect(await read('Calibri-Bold', 0.3)).toBe('xi so\ufffdz');
  expect(await read('Cambria-Bold', 0.64)).toBe('xi so\ufffdz');
});

describe('ligatures that a font states as one of their letters', () => {
  const text = 'the de[fi]nition is a [fi]nal and speci[fi]c one that gives the other word';

  it('have the letters of the name in the encoding', async () => {
    const names = ['t', 'h', 'e', 'space', 'd', 'fi', 'n', 'i', 'o', 's', 'a', 'l'];
    expect(
      await show(
        'the definition is a lad'.replace('fi', '[fi]'),
        { fi: { stated: 'i', width: 300 } },
        {
          encoding: [33, ...names],
        },
      ),
    ).toBe('the definition is a lad');
  });

  it('are read by their width and their words, without a name', async () => {
    expect(await show(text, { fi: { stated: 'i', width: 527 } })).toBe(text.replaceAll(/[[\]]/g, ''));
  });

  it('are that letter if they are not wider, or if all letters have one width', async () => {
    const stated = text.replaceAll('[fi]', 'i');
    expect(await show(text, { fi: { stated: 'i', width: 260 } })).toBe(stated);
    expect(await show(text, { fi: { stated: 'i', width: 600 } }, { width: 600 })).toBe(stated);
  });
});

it('an ideograph is not doubled, although macOS states its radical or compatibility character before it', async () => {
  const doubled = { yin: { stated: '⾳音', width: 1000 }, ye: { stated: '⻚页', width: 1000 } };
  const compatible = { nian: { stated: '\uf98e年', width: 1000 }, yi: { stated: '⼀', width: 1000 } };
  expect(await show('[yin]乐[ye][nian]大[yi]', { ...doubled, ...compatible })).toBe('音乐页年大一');
});
