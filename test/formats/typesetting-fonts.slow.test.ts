import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFRawStream,
  PDFStream,
} from '@cantoo/pdf-lib';
import { Blob, Face, Font } from 'harfbuzzjs';
import { describe, expect, it } from 'vitest';
import { findDirectionMarks } from '#server/formats/typesetting/direction-marks.ts';
import { DocumentFonts } from '#server/formats/typesetting/document-fonts.ts';
import { fontNames, loadFont } from '#server/formats/typesetting/fonts.ts';
import { breakLines, singleLine } from '#server/formats/typesetting/lines.ts';
import { shapeParagraph } from '#server/formats/typesetting/paragraph.ts';

const matrix = [1, 0, 0, 1, 0, 0] as const;

const open = (bytes: Uint8Array): { face: Face; font: Font } => {
  const face = new Face(new Blob(bytes));
  return { face, font: new Font(face) };
};

interface Embedded {
  operators: string;
  bytes: Uint8Array;
  font: Font;
  /** The text, the glyph ID and the width of each code, beginning with code 1. */
  characters: { text: string; glyph: number; width: number }[];
}

/** Sets a text in one line of a document, and reads the first font that the document embeds. */
async function embed(text: string, language: string): Promise<Embedded> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const fonts = new DocumentFonts(document);
  const { operators, fonts: used } = fonts.show(singleLine(shapeParagraph(text, { language })), {
    fontSize: 10,
    matrix,
  });
  fonts.embed();
  const type0 = document.context.lookup([...used.values()][0]!, PDFDict);
  const descendant = type0.lookup(PDFName.of('DescendantFonts'), PDFArray).lookup(0, PDFDict);
  const file = streamOf(descendant.lookup(PDFName.of('FontDescriptor'), PDFDict), 'FontFile2');
  const map = streamOf(descendant, 'CIDToGIDMap');
  const widths = descendant.lookup(PDFName.of('W'), PDFArray).lookup(1, PDFArray).asArray();
  const toUnicode = new TextDecoder().decode(streamOf(type0, 'ToUnicode'));
  return {
    operators,
    bytes: file,
    font: open(file).font,
    characters: [...toUnicode.matchAll(/^<(....)> <([0-9A-F]+)>$/gm)].slice(1).map(([, code, hex]) => ({
      text: String.fromCharCode(...hex!.match(/.{4}/g)!.map((unit) => Number.parseInt(unit, 16))),
      glyph: map[2 * Number.parseInt(code!, 16)]! * 256 + map[2 * Number.parseInt(code!, 16) + 1]!,
      width: Number(widths[Number.parseInt(code!, 16) - 1]!.toString()),
    })),
  };
}

function streamOf(dictionary: PDFDict, key: string): Uint8Array {
  return decodePDFRawStream(dictionary.lookup(PDFName.of(key), PDFStream) as PDFRawStream).decode();
}

/** The outline of a glyph at a position. */
function outline(font: Font, glyph: number, x = 0, y = 0): string[] {
  return font
    .glyphToJson(glyph)
    .map(
      ({ type, values }) => `${type}${values.map((value, index) => value + (index % 2 ? y : x)).join(' ')}`,
    );
}

describe('the fonts', () => {
  it.each(fontNames)(
    '%s is under the Open Font License, or that of Bitstream Vera, and has TrueType outlines',
    (name) => {
      const { face } = open(loadFont(name));
      expect(`${face.getName(13, 'en')} ${face.getName(14, 'en')}`).toMatch(
        /Open Font License|scripts\.sil\.org|\(c\) Bitstream/,
      );
      expect(face.referenceTable('glyf')!.length).toBeGreaterThan(0);
    },
  );
});

describe('an embedded font', () => {
  it.each([
    ['devanagari', 'hi', 'क्षत्रिय हिन्दी र्कि'],
    ['arabic', 'ar', 'مُحَمَّدٌ لآلئ'],
  ] as const)('in %s draws each code as the clusters were shaped', async (name, language, text) => {
    const source = open(loadFont(name)).font;
    const { characters, font, operators } = await embed(text, language);
    const drawn: string[] = [];
    let pen = 0;
    for (const [, codes, adjustment] of operators.matchAll(/<([0-9A-F]+)>|(-?\d+)(?=[<\]])/g)) {
      for (const code of codes?.match(/.{4}/g) ?? []) {
        const { glyph, width } = characters[Number.parseInt(code, 16) - 1]!;
        drawn.push(...outline(font, glyph, pen));
        pen += width;
      }
      pen -= Number(adjustment ?? 0);
    }
    const wanted: string[] = [];
    let start = 0;
    for (const { clusters } of singleLine(shapeParagraph(text, { language })).runs)
      for (const { glyphs, advance } of clusters) {
        for (const { id, x, y } of glyphs) wanted.push(...outline(source, id, start + x, y));
        start += Math.round(1000 * advance);
      }
    expect(drawn).toEqual(wanted);
  });

  it('gives right-to-left text in visual order, marks before their letter', async () => {
    const { characters, operators } = await embed('حَب', 'ar');
    expect(characters.map(({ text }) => text)).toEqual(['ب', '\u064eح']);
    expect(operators).toContain('<00010002>');
  });

  const textsOf = async (text: string): Promise<string> => {
    const { characters, operators } = await embed(text, 'ar');
    const codes = [...operators.matchAll(/<([0-9A-F]+)>/g)].flatMap(([, digits]) => digits!.match(/.{4}/g)!);
    return codes.map((code) => characters[Number.parseInt(code, 16) - 1]!.text).join('|');
  };
  const mark = '\u202c\u202b';

  it.each<[rule: string, text: string, texts: string]>([
    ['before marks at the left end of a word', 'حقً حق', `ق|ح| |${mark}|\u064bق|ح`],
    [
      'before a number or a stop that a space is to the left of',
      'حق. 5 حق',
      `ق|ح| |${mark}|5| |${mark}|.|ق|ح`,
    ],
    ['before marks that follow such a stop', 'حقً.', `.|${mark}|\u064bق|ح`],
    ['before brackets that end a word', '(حق)', `${mark}|)|ق|ح|(`],
    ['not before marks inside a word', 'حًق', 'ق|\u064bح'],
    ['in the code of a letter that is too narrow to share its room', 'ح ـًُّ', `${mark}\u0651\u064f\u064bـ| |ح`],
  ])('gives a turning mark %s', async (_, text, texts) => {
    expect(await textsOf(text)).toBe(texts);
  });

  it('gives Latin words inside Arabic one turning mark, before the first', () => {
    const { runs } = singleLine(shapeParagraph('قال Example Corp 5 شيئا', { language: 'ar' }));
    expect([...findDirectionMarks(runs).keys()].map(({ text }) => text)).toEqual(['E']);
  });

  it('starts no two characters of right-to-left text within a tenth of an em of each other', async () => {
    const { characters, operators } = await embed('إِنَّا لَّ ـًّ أَبًّا. (شَيْءٌ) لأً', 'ar');
    const starts: number[] = [];
    let pen = 0;
    for (const [, codes, adjustment] of operators.matchAll(/<([0-9A-F]+)>|(-?\d+)(?=[<\]])/g)) {
      for (const code of codes?.match(/.{4}/g) ?? []) {
        const { text, width } = characters[Number.parseInt(code, 16) - 1]!;
        const last = starts.at(-1);
        if (text !== ' ' && last !== undefined) expect(pen - last).toBeGreaterThan(100);
        // The distance between characters of the same code may be smaller.
        starts.push(pen + (width * ([...text].length - 1)) / [...text].length);
        pen += width;
      }
      pen -= Number(adjustment ?? 0);
      expect(Math.abs(Number(adjustment ?? 0))).toBeLessThan(100);
    }
  });

  it('spreads a long text over several codes', async () => {
    const stack = `a${'\u0301\u0323'.repeat(150)}`;
    const { characters } = await embed(stack, 'en');
    expect(characters.map(({ text }) => text).join('')).toBe(stack);
    for (const { text } of characters) expect(text.length).toBeLessThanOrEqual(100);
    expect(characters.reduce((sum, { width }) => sum + width, 0)).toBe(
      (await embed('a', 'en')).characters[0]!.width,
    );
  });

  it('is followed by another when its codes are used up', { timeout: 60_000 }, async () => {
    const marks = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x300 + index));
    const document = await PDFDocument.create({ updateMetadata: false });
    const fonts = new DocumentFonts(document);
    const used = new Map<string, unknown>();
    for (const first of marks)
      for (const letter of 'abcdef') {
        const text = marks.map((second) => letter + first + second).join('');
        for (const line of breakLines(shapeParagraph(text, { language: 'en' }), 1000))
          for (const [name, ref] of fonts.show(line, { fontSize: 10, matrix }).fonts) used.set(name, ref);
      }
    expect(used.size).toBe(2);
    fonts.embed();
    const loaded = await PDFDocument.load(await document.save({ addDefaultPage: true }));
    const embedded = loaded.context
      .enumerateIndirectObjects()
      .filter(
        ([, object]) =>
          object instanceof PDFDict && object.get(PDFName.of('Subtype')) === PDFName.of('Type0'),
      );
    expect(embedded).toHaveLength(2);
  });
  it('shows nothing and names no font for a line without text', async () => {
    for (const text of ['', '\t']) {
      const fonts = new DocumentFonts(await PDFDocument.create());
      const shown = fonts.show(singleLine(shapeParagraph(text, { language: 'en' })), {
        fontSize: 10,
        matrix,
      });
      expect(shown).toEqual({ operators: '', fonts: new Map() });
    }
  });
});
