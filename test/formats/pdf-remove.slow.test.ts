import { PDFName, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '#server/formats/pdf/geometry.ts';
import { pageBytes } from '#server/formats/pdf/objects.ts';
import type { ReadPage } from '#server/formats/pdf/open-pdf.ts';
import type { GlyphRange } from '#server/formats/pdf/text-block.ts';
import { auditRemoval } from '#server/formats/pdf/writing/audit.ts';
import { removeText } from '#server/formats/pdf/writing/remove-text.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import {
  form,
  helvetica,
  type Made,
  type MadePage,
  madePdf,
  readAll,
  textOf,
  withOpenPdf,
} from './pdf-made.ts';

/** Encrypted files are excluded, because the service decrypts files before it opens them. */
const names = corpusNames('pdf').filter((name) => name.endsWith('.pdf') && !name.startsWith('encrypted'));

/** Selects the glyphs of a page to remove. */
type Choice = (page: ReadPage) => GlyphRange[];

const everything: Choice = ({ texts }) =>
  texts.map((text) => ({ text, from: 0, to: text.glyphs.length })).filter(({ to }) => to > 0);

const everySecond: Choice = ({ texts }) =>
  texts.flatMap((text, index) =>
    text.glyphs.flatMap((_, from) => ((from + index) % 2 === 0 ? [{ text, from, to: from + 1 }] : [])),
  );

const saying =
  (...words: string[]): Choice =>
  (page) =>
    everything(page).filter(({ text }) => words.includes(textOf(text)));

interface Removal {
  before: ReadPage[];
  ranges: GlyphRange[][];
  /** The saved file, and its pages after reading it again. */
  bytes: Uint8Array;
  after: ReadPage[];
}

async function remove(pdf: Uint8Array, choose: Choice): Promise<Removal> {
  const removed = await withOpenPdf(pdf, async (open) => {
    const before = await readAll(open);
    const ranges = before.map(choose);
    for (const [index, page] of before.entries()) {
      removeText(open.document, page, ranges[index]!);
      auditRemoval(open, page, ranges[index]!);
    }
    return { before, ranges, bytes: await open.document.save({ useObjectStreams: false }) };
  });
  return { ...removed, after: await withOpenPdf(removed.bytes, readAll) };
}

/** The text and place of each glyph that is not in the ranges, in painting order. */
function placed({ texts }: ReadPage, ranges: readonly GlyphRange[] = []): [string, number, number][] {
  const removed = new Set(
    ranges.flatMap(({ text, from, to }) => range(from, to).map((at) => text.glyphs[at])),
  );
  return texts.flatMap(({ glyphs, matrix }) =>
    glyphs
      .filter((glyph) => !removed.has(glyph))
      .map(({ text, x }): [string, number, number] => [text, ...apply(matrix, x, 0)]),
  );
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** Compares texts exactly, and places with a tolerance of a hundredth of a point. */
function expectPlaces(actual: [string, number, number][], expected: [string, number, number][]): void {
  expect(actual.map(([text]) => text).join('|')).toBe(expected.map(([text]) => text).join('|'));
  const moved = actual.filter(
    ([, x, y], index) => !(Math.hypot(x - expected[index]![1], y - expected[index]![2]) < 0.01),
  );
  expect(moved).toEqual([]);
}

describe.each(names)('%s', (name) => {
  const bytes = corpusFile(`pdf/${name}`);
  it.each<[string, Choice]>([
    ['every second glyph', everySecond],
    ['everything', everything],
  ])('%s is removed: pdf.js reads exactly the others, where they were', async (_, choose) => {
    const { before, ranges, after } = await remove(bytes, choose);
    for (const [index, page] of before.entries())
      expectPlaces(placed(after[index]!), placed(page, ranges[index]));
    // The places in the streams change with the text between them, and the numbers with the shapes of its letters.
    const objects = (pages: typeof before) =>
      pages.map(({ paints }) =>
        paints.map(({ place: _, path: __, isFaint: ___, order: ____, ...paint }) => paint),
      );
    // If only some letters of a text are removed, their shapes count as objects of the page.
    if (choose === everything) expect(objects(after)).toEqual(objects(before));
    else
      for (const [index, page] of objects(before).entries())
        expect(objects(after)[index]).toEqual(expect.arrayContaining(page));
    expect(after.map(({ annotations }) => annotations)).toEqual(before.map(({ annotations }) => annotations));
  });
});

/** Removes the selected glyphs from the first page of a PDF file. Returns its content stream and its remaining text. */
async function removeMade(
  page: MadePage,
  choose: Choice,
): Promise<{ content: string; left: [string, number, number][] }> {
  const { bytes, after, before, ranges } = await remove(await madePdf(page), choose);
  expectPlaces(placed(after[0]!), placed(before[0]!, ranges[0]));
  const content = await withOpenPdf(bytes, async ({ document }) =>
    Buffer.from(pageBytes(document.getPage(0).node)).toString('latin1'),
  );
  return { content, left: placed(after[0]!) };
}

const part =
  (from: number, to: number): Choice =>
  ({ texts }) => [{ text: texts[0]!, from, to }];

describe('an operator is replaced by an exact advance', () => {
  // Widths in Helvetica in thousandths of an em: A 667, B 667, C 722, space 278.
  it.each<[string, string, Choice, string]>([
    ['Tj', '(AB) Tj', part(0, 2), '[-1334] TJ'],
    ['the start of it', '(ABC) Tj', part(0, 1), '[-667 <4243>] TJ'],
    ['the middle of it', '(ABC) Tj', part(1, 2), '[<41> -667 <43>] TJ'],
    ['the end of it', '(ABC) Tj', part(2, 3), '[<4142> -722] TJ'],
    ['TJ with its adjustments', '[(A) 100 (B) 50] TJ', part(0, 2), '[-1184] TJ'],
    ['a part of TJ', '[(AB) 100 (C)] TJ', part(1, 2), '[<41> -567 <43>] TJ'],
    ['with spacings', '2 Tc 3 Tw (A B) Tj', part(0, 2), '2 Tc 3 Tw [-1645 <42>] TJ'],
    ["'", "(AB) '", part(0, 1), 'T* [-667 <42>] TJ'],
    ['"', '3 2 (A B) "', part(0, 3), '3 Tw 2 Tc T* [-2512] TJ'],
  ])('%s', async (_, shown, choose, expected) => {
    const content = (text: string): string => `BT /F 10 Tf 12 TL 50 50 Td % (c) Tj\n ${text}  (A)Tj(B)' ET`;
    const removed = await removeMade({ content: content(shown) }, choose);
    expect(removed.content).toBe(content(expected));
  });

  it('words without a space between them stay apart', async () => {
    const { content } = await removeMade(
      { content: "BT/F 10 Tf 12 TL(A)'0 g 1 2 3 w(B)'1 1(C)\"1 w ET" },
      everything,
    );
    expect(content).toBe(
      'BT/F 10 Tf 12 TL T* [-667] TJ 0 g 1 2 3 w T* [-667] TJ  1 Tw 1 Tc T* [-822] TJ 1 w ET',
    );
  });

  it('nothing else changes, whatever the bytes are', async () => {
    const image = 'BI /W 2 /H 2 /BPC 8 /CS /G ID \u0000(\u00ffB EI';
    const content = `q\r\n0.50 0 0 RG %c\r\n${image} /Span <</ActualText (x\\)) /MCID 3>> BDC BT /F 010 Tf (A) Tj ET EMC [1 2] 0 d (`;
    const { content: changed } = await removeMade({ content: Buffer.from(content, 'latin1') }, everything);
    expect(changed).toBe(content.replace('(A) Tj', '[-667] TJ'));
  });
});

describe('forms', () => {
  const shared = form('BT /F 10 Tf 5 5 Td (AB) Tj ET', { Font: { F: helvetica } });

  it('change only where they are painted with text that is removed', async () => {
    const content = '/X Do q 1 0 0 1 0 100 cm /X Do Q /X Do';
    const page = { content, resources: { XObject: { X: shared } } };
    const second: Choice = ({ texts }) => [{ text: texts[1]!, from: 0, to: 1 }];
    const { left } = await removeMade(page, second);
    expect(left.map(([text, , y]) => [text, Math.round(y)])).toEqual([
      ['A', 5],
      ['B', 5],
      ['B', 105],
      ['A', 5],
      ['B', 5],
    ]);
  });

  it('within forms are copied with them, also without resources of their own', async () => {
    const inner = form('BT /F 10 Tf (inner) Tj ET');
    const outer = form('BT /F 10 Tf 0 50 Td (outer) Tj ET /Inner Do');
    const page = {
      content: '/Outer Do q 1 0 0 1 100 0 cm /Outer Do Q /Inner Do',
      resources: { XObject: { Outer: outer, Inner: inner } },
    };
    const first: Choice = ({ texts }) => [{ text: texts[1]!, from: 0, to: 5 }];
    const { after } = await remove(await madePdf(page), first);
    expect(after[0]!.texts.map(textOf)).toEqual(['outer', '', 'outer', 'inner', 'inner']);
  });

  it('painted often with the same change share a copy', async () => {
    const page = { content: '/X Do '.repeat(20), resources: { XObject: { X: shared } } };
    const { bytes } = await remove(await madePdf(page), everything);
    await withOpenPdf(bytes, async ({ document }) => {
      const forms = document.context
        .enumerateIndirectObjects()
        .filter(([, object]) => object instanceof PDFRawStream && String(object.dict).includes('/Form'));
      expect(forms.length).toBe(2);
    });
  });

  it('that paint each other in a circle do not bring back what was removed', async () => {
    const circle: Made = (document) => {
      const { context } = document;
      const font = helvetica(document);
      const entries = (name: string, painted: PDFRef) => ({
        Subtype: 'Form',
        BBox: [0, 0, 400, 400],
        Resources: { Font: { F: font }, XObject: { [name]: painted } },
      });
      const outer = context.nextRef();
      const inner = context.register(
        context.stream('/Outer Do BT /F 10 Tf 5 50 Td (inner) Tj ET', entries('Outer', outer)),
      );
      context.assign(
        outer,
        context.stream('BT /F 10 Tf 5 5 Td (outer) Tj ET /Inner Do', entries('Inner', inner)),
      );
      return outer;
    };
    const page = { content: '/X Do', resources: { XObject: { X: circle } } };
    const outerOnly: Choice = ({ texts }) => [{ text: texts[0]!, from: 0, to: 5 }];
    for (const [choice, left] of [
      [everything, ['', '']],
      [outerOnly, ['', 'inner']],
    ] as const) {
      const { after } = await remove(await madePdf(page), choice);
      expect(after[0]!.texts.map(textOf)).toEqual(left);
    }
  });

  it('may have names with spaces, signs and bytes of any value', async () => {
    const content = '/A#20#28#e4#2F#23 Do /B\u00e4 Do';
    const page = {
      content: Buffer.from(content, 'latin1'),
      resources: { XObject: { 'A (ä/#': shared, Bä: shared } },
    };
    const { after } = await remove(await madePdf(page), everything);
    expect(after[0]!.uses.map(({ name }) => name)).toEqual(['A (ä/#.1', 'Bä.2']);
    expect(after[0]!.texts.map(textOf)).toEqual(['', '']);
  });

  it('keep everything of theirs but the content', async () => {
    const x = form(
      'BT /F 10 Tf (A) Tj ET',
      { Font: { F: helvetica } },
      { StructParents: 7, Matrix: [2, 0, 0, 2, 0, 0], Group: { S: 'Transparency' } },
    );
    const { after } = await remove(
      await madePdf({ content: '/X Do', resources: { XObject: { X: x } } }),
      everything,
    );
    const entries = String(after[0]!.uses[0]!.form.dict);
    for (const entry of ['/StructParents 7', '/Matrix [ 2 0 0 2 0 0 ]', '/S /Transparency', '/BBox'])
      expect(entries).toContain(entry);
  });
});

describe('the audit', () => {
  const page = { content: 'BT /F 10 Tf 9 9 Td (AB) Tj (CD) Tj ET BT /F 10 Tf 9 50 Td (EF) Tj ET' };

  async function audited(tamper: (content: string) => string): Promise<void> {
    await withOpenPdf(await madePdf(page), async (pdf) => {
      const read = await pdf.readPage(1);
      const ranges = saying('AB')(read);
      removeText(pdf.document, read, ranges);
      const { node } = pdf.document.getPage(0);
      const content = Buffer.from(pageBytes(node)).toString('latin1');
      const changed = tamper(content);
      node.set(PDFName.of('Contents'), pdf.document.context.register(pdf.document.context.stream(changed)));
      auditRemoval(pdf, read, ranges);
    });
  }

  it('lets text be added after that of the page', async () => {
    const added = (content: string): string => `${content} BT /F 9 Tf (new) Tj ET`;
    await expect(audited(added)).resolves.toBeUndefined();
  });

  it.each<[string, (content: string) => string]>([
    ['text that should be gone', (content) => content.replace('[-1334] TJ', '(AB) Tj')],
    ['text that should be there', (content) => content.replace('(EF) Tj', '')],
    ['another glyph', (content) => content.replace('(CD)', '(CE)')],
    ['a glyph less', (content) => content.replace('(CD)', '(C)')],
    ['a glyph more', (content) => content.replace('(CD)', '(CDE)')],
    ['a wrong advance', (content) => content.replace('-1334', '-1330')],
    ['another place', (content) => content.replace('9 50 Td', '9 50.1 Td')],
    ['another size', (content) => content.replace('/F 10 Tf 9 50', '/F 11 Tf 9 50')],
  ])('finds %s', async (_, tamper) => {
    await expect(audited(tamper)).rejects.toThrow('page 1');
  });
});

const spacing = fc.double({ min: -3, max: 8, noNaN: true }).map((value) => value.toFixed(2));
const text = fc.stringMatching(/^[A-Za-z ()\\]{0,8}$/).map((letters) => letters.replace(/[\\()]/g, '\\$&'));
const operator = fc.oneof(
  text.map((letters) => `(${letters}) Tj`),
  text.map((letters) => `(${letters}) '`),
  fc.tuple(spacing, spacing, text).map(([word, char, letters]) => `${word} ${char} (${letters}) "`),
  fc
    .array(
      fc.oneof(
        text.map((letters) => `(${letters})`),
        fc.integer({ min: -900, max: 900 }).map(String),
      ),
      { maxLength: 5 },
    )
    .map((items) => `[${items.join('')}] TJ`),
  spacing.map((value) => `${value} Tc`),
  spacing.map((value) => `${value} Tw`),
  spacing.map((value) => `${value} TL`),
  spacing.map((value) => `${value} Ts`),
  fc.integer({ min: 20, max: 300 }).map((value) => `${value} Tz`),
  fc.integer({ min: 4, max: 60 }).map((size) => `/F ${size} Tf`),
  fc.tuple(spacing, spacing).map(([x, y]) => `${x} ${y} Td`),
  fc.tuple(spacing, spacing).map(([a, b]) => `${a} ${b} 1 2 50 60 Tm`),
  fc.constantFrom('T*', 'ET BT', 'q 1 0 0 1 3 3 cm', 'Q'),
);

describe('whatever is shown in whatever way', () => {
  it('what is left stays in its place, for pdf.js and for the audit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operator, { minLength: 1, maxLength: 25 }),
        fc.infiniteStream(fc.boolean()),
        async (operators, decisions) => {
          const chosen: Choice = ({ texts }) =>
            texts.flatMap((shown) =>
              shown.glyphs.flatMap((_, from) =>
                decisions.next().value ? [{ text: shown, from, to: from + 1 }] : [],
              ),
            );
          await removeMade({ content: `BT /F 12 Tf 14 TL ${operators.join('\n')} ET` }, chosen);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
