import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { textByPdfjs } from './golden-pdf-readers.ts';
import { blockOf, render, type Source, widthOf } from './pdf-blocks.ts';
import { at, form, helvetica, madePdf, object, withOpenPdf } from './pdf-made.ts';
import { paintOperators, shownLines, shownTexts } from './pdf-shown.ts';

const open = (tag: number) => ({ tag, type: 'open' as const });
const close = (tag: number) => ({ tag, type: 'close' as const });

/**
 * The texts of a block's spans. For each, the font, the size, and the height above the first baseline, as PDF.js reads
 * them.
 */
async function piecesOf(source: Source, target: InlineContent, targetLanguage = 'fr') {
  const { bytes } = await render([{ source, target }], { targetLanguage });
  return (await shownTexts(bytes)).map(({ text, font, size, y }) => ({
    text: text.trim(),
    font,
    size: Number(size.toFixed(2)),
    rise: Number((y - 700).toFixed(2)),
  }));
}

const wide = ['A line that is long enough for all of what is set in its place here and more'];

describe('the style of a block', () => {
  it.each([
    ['serif', false, false, 'Tinos-Regular'],
    ['serif', true, true, 'Tinos-BoldItalic'],
    ['sans', true, false, 'Arimo-Bold'],
    ['mono', false, true, 'Cousine-Italic'],
  ] as const)('%s, bold %s, italic %s has a font of its own', async (family, bold, italic, font) => {
    const pieces = await piecesOf({ lines: wide, style: { family, bold, italic } }, [
      'Été Ελλάδα Жизнь Việt',
    ]);
    expect(new Set(pieces.map((piece) => piece.font))).toEqual(new Set([font]));
  });

  it('light has a light font, if it is neither bold nor has serifs', async () => {
    const fontOf = async (style: Source['style'], text = 'Été Ελλάδα Жизнь Việt', language = 'fr') => {
      const source = { lines: wide, style: { light: true, ...style } };
      return (await piecesOf(source, [text], language)).map(({ font }) => font).join();
    };
    expect(await fontOf({ family: 'sans' })).toBe('NotoSans-Light');
    expect(await fontOf({ family: 'sans', italic: true })).toBe('NotoSans-LightItalic');
    expect(await fontOf({ family: 'serif' })).toBe('Tinos-Regular');
    expect(await fontOf({ family: 'sans', bold: true })).toBe('Arimo-Bold');
    expect(await fontOf({ family: 'sans' }, 'Etéสวัสดี', 'th')).toBe('Arimo-Regular,NotoSansThai-Regular');
  });

  it.each([
    ['hi', 'नमस्ते', 'NotoSansDevanagari-Bold'],
    ['th', 'สวัสดี', 'NotoSansThai-Bold'],
  ])('has the bold font of its script in %s', async (language, target, font) => {
    const [piece] = await piecesOf({ lines: wide, style: { bold: true } }, [target], language);
    expect(piece!.font).toBe(font);
  });

  it.each([
    // The widths of H, a and e in the metrics of the standard 14 fonts.
    ['serif', 'Times', 722 + 444 + 444],
    ['sans', 'Helvetica', 722 + 556 + 556],
    ['mono', 'Courier', 3 * 600],
  ] as const)('in %s is as wide as %s', (family, _, wanted) => {
    expect(widthOf('Hae', { family, bold: false, italic: false, size: 1000 })).toBeCloseTo(wanted, -0.5);
  });
});

describe('the spans of a block', () => {
  const source: Source = {
    lines: wide,
    spans: {
      1: { bold: true },
      2: { italic: true, bold: true },
      3: { size: 6, rise: 3.5 },
      4: { family: 'mono' },
    },
  };

  it('keep their styles, nested ones too', async () => {
    const target = ['Un ', open(1), 'gras ', open(2), 'penché', close(2), ' gras', close(1), ' fin'];
    expect(await piecesOf(source, target)).toEqual([
      { text: 'Un', font: 'Tinos-Regular', size: 10, rise: 0 },
      { text: 'gras', font: 'Tinos-Bold', size: 10, rise: 0 },
      { text: 'penché', font: 'Tinos-BoldItalic', size: 10, rise: 0 },
      { text: 'gras', font: 'Tinos-Bold', size: 10, rise: 0 },
      { text: 'fin', font: 'Tinos-Regular', size: 10, rise: 0 },
    ]);
  });

  it('keep the size and height of a footnote mark, in proportion where the block shrinks', async () => {
    const target = ['Note', open(3), '12', close(3), ' après'];
    expect((await piecesOf(source, target))[1]).toMatchObject({ text: '12', size: 6, rise: 3.5 });
    const small = { ...source, container: { left: 71, right: 90, bottom: 697, top: 710 }, lines: ['Not'] };
    const [note, mark] = await piecesOf(small, ['Note', open(3), '12', close(3)]);
    expect(note!.size).toBeLessThan(10);
    expect(mark!.size / note!.size).toBeCloseTo(0.6);
    expect((mark!.rise - note!.rise) / note!.size).toBeCloseTo(0.35);
  });

  it('of a footnote mark in right-to-left text keep it raised behind its word, to the left', async () => {
    const block = blockOf({ lines: ['Note 12'], spans: { 3: { size: 6, rise: 3.5 } } });
    const target: InlineContent = ['ملاحظة', open(3), '12', close(3), ' هنا'];
    const { bytes } = await render([{ source: block, target }], { targetLanguage: 'ar' });
    const texts = await shownTexts(bytes);
    const mark = texts.find(({ text }) => text.trim() === '12')!;
    const words = texts.filter((text) => text !== mark);
    expect(mark.y - words[0]!.y).toBeCloseTo(3.5);
    expect(words.some(({ x }) => x >= mark.right - 0.1)).toBe(true);
    expect(words.some(({ right }) => right <= mark.x + 0.1)).toBe(true);
  });

  it('show the text of void tags, and end a line at a break', async () => {
    const target = [
      'Un',
      { tag: 5, type: 'void' as const, text: '\n' },
      'deux',
      { tag: 6, type: 'void' as const },
    ];
    const { bytes } = await render([{ source, target }]);
    expect((await shownLines(bytes)).map(({ text }) => text)).toEqual(['Un', 'deux']);
  });

  it('have their colors, and the text after them is black again', async () => {
    const colored = { ...source, spans: { 1: { color: '1 0 0 rg' } } };
    const { bytes } = await render([{ source: colored, target: ['a', open(1), 'b', close(1), 'c'] }]);
    expect(await paintOperators(bytes)).toEqual([
      { operator: 'fill', value: '#000000' },
      { operator: 'fill', value: '#ff0000' },
      { operator: 'fill', value: '#000000' },
    ]);
  });

  it('have their outlines, in proportion to their size, and the text after them has none', async () => {
    const outlined: Source = {
      lines: wide,
      spans: { 1: { outline: { color: '1 0 0 rg', width: 0.05, isFilled: false } } },
    };
    const { bytes } = await render([{ source: outlined, target: ['A ', open(1), 'b', close(1), ' c'] }]);
    expect((await paintOperators(bytes)).filter(({ operator }) => operator !== 'fill')).toEqual([
      { operator: 'stroke', value: '#ff0000' },
      { operator: 'width', value: 0.05 * 10 },
      { operator: 'mode', value: 1 },
      { operator: 'mode', value: 0 },
    ]);
  });

  it('join Arabic letters across a change of style', async () => {
    const joined = await render([{ source, target: ['عر', open(4), 'بي', close(4)] }], {
      targetLanguage: 'ar',
    });
    expect((await textByPdfjs(joined.bytes)).replace(/\s/g, '')).toBe('عربي'.normalize('NFKC'));
  });
});

describe('the alpha of a text in a form', () => {
  it('is that of its translation, and not of the words around it', async () => {
    const inForm = {
      Font: { F: helvetica },
      ExtGState: { Faint: object({ ca: 0.3 }), Full: object({ ca: 1 }) },
    };
    const shown = `${at(40, 300, 'See the')} /Faint gs ${at(77, 300, 'rules')} /Full gs ${at(104, 300, 'of the club')}`;
    const bytes = await madePdf({
      content: `/X Do ${at(40, 200, 'Statutes')}`,
      resources: {
        XObject: { X: form(shown, inForm) },
        ExtGState: { LinguaLoopAlpha1: object({ ca: 1, LW: 7 }) },
      },
    });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: source.map((item) => (typeof item === 'string' ? item.toUpperCase() : item)),
    }));
    const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const { texts } = await withOpenPdf(result.bytes, (pdf) => pdf.readPage(1));
    const shownIn = (state: RegExp) =>
      texts
        .filter(({ color }) => state.test(color))
        .flatMap(({ glyphs }) => glyphs.map(({ text }) => text))
        .join('');
    expect(shownIn(/^\/LinguaLoopAlpha0\.3 gs/).trim()).toBe('RULES');
    expect(shownIn(/^(?!.* gs)/)).toMatch(/SEE THE.*OF THE CLUB.*STATUTES/);
    // A state of the page with such a name stays.
    const document = await PDFDocument.load(result.bytes);
    const states = document.getPage(0).node.Resources()!.lookup(PDFName.of('ExtGState'), PDFDict);
    expect(states.lookup(PDFName.of('LinguaLoopAlpha1'), PDFDict).has(PDFName.of('LW'))).toBe(true);
  });
});

describe('a style that a font lacks', () => {
  it('is drawn: bold Chinese with a stroke of its color, of a measured width, and a finding', async () => {
    const source = { lines: wide, id: 'p1.b9', style: { bold: true, color: '0 0 1 rg', size: 20 } };
    const { bytes, findings } = await render([{ source, target: '公司报告' }], { targetLanguage: 'zh-Hans' });
    expect(await paintOperators(bytes)).toEqual([
      { operator: 'fill', value: '#0000ff' },
      { operator: 'stroke', value: '#0000ff' },
      { operator: 'width', value: 0.7 },
      { operator: 'mode', value: 2 },
      { operator: 'mode', value: 0 },
    ]);
    expect(findings).toEqual([
      {
        severity: 'info',
        code: 'font_substituted',
        message: 'the fonts for the target language do not have this style: bold is drawn with a stroke',
        unitId: 'p1.b9',
      },
    ]);
  });

  it('is not drawn with a stroke if the text is translucent', async () => {
    const source = { lines: wide, style: { bold: true, color: '/G gs 0 0 1 rg', size: 20 } };
    const { operators } = await render([{ source, target: '公司报告' }], { targetLanguage: 'zh-Hans' });
    expect(operators).not.toMatch(/Tr/);
  });

  it('is drawn: slanted Thai, upright where the source is upright', async () => {
    const source = { lines: wide, spans: { 1: { italic: true } } };
    const { operators } = await render([{ source, target: ['ไทย ', open(1), 'คน', close(1), ' ไทย'] }], {
      targetLanguage: 'th',
    });
    const slants = [...operators.matchAll(/1 0 (\S+) 1 \S+ \S+ Tm/g)].map(([, slant]) => Number(slant));
    expect(slants).toEqual([0, 0.18, 0]);
  });

  it('is told where no font has a character; a unit that only the fonts of East Asia have is shown', async () => {
    const { findings } = await render([{ source: { lines: wide }, target: '5㎜ a\ue000b' }]);
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'font_substituted']]);
    expect(findings[0]!.message).toMatch(/ \ue000$/u);
  });
});

describe('a block', () => {
  it('is enclosed in its optional content, and leaves no state behind', async () => {
    const source = { lines: wide, optionalContent: ['MC0', 'MC1'] };
    const { operators } = await render([{ source, target: 'Un' }]);
    expect(operators).toMatch(/^q\n\/OC \/MC0 BDC\n\/OC \/MC1 BDC\nBT .* ET\nEMC\nEMC\nQ$/);
  });

  it('of which nothing is left to show shows nothing', async () => {
    const { operators, fonts } = await render([{ source: { lines: wide }, target: ' ' }]);
    expect(operators).not.toContain('BT');
    expect(fonts.size).toBe(0);
  });

  it('has control characters neither as boxes nor as text', async () => {
    const { bytes, findings } = await render([{ source: { lines: wide }, target: 'a\u0001b\u009fc' }]);
    expect((await textByPdfjs(bytes)).trim()).toBe('abc');
    expect(findings).toEqual([]);
  });
});

describe('the fonts of a document', () => {
  it('are embedded once for all blocks of a style', async () => {
    const items = Array.from({ length: 30 }, (_, index) => ({
      source: blockOf({ lines: wide, y: 750 - 20 * index }),
      target: `Bloc ${index}`,
    }));
    const { bytes, fonts } = await render(items);
    expect(fonts.size).toBe(1);
    expect(bytes.length).toBeLessThan(40_000);
  });
});
