import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import { enclose } from '#server/formats/pdf/writing/add-content.ts';
import { auditRemoval } from '#server/formats/pdf/writing/audit.ts';
import { removeText } from '#server/formats/pdf/writing/remove-text.ts';
import { nestedForms } from '#test/abuse/hostile-files.ts';
import {
  at,
  form,
  helvetica,
  type MadePage,
  madePdf,
  object,
  readMade,
  textOf,
  withOpenPdf,
} from './pdf-made.ts';

describe('files that are no proper PDFs', () => {
  it.each([
    ['ten billion paintings of a form', nestedForms()],
    ['forms a thousand deep', nestedForms(1000, 1)],
  ])('%s are refused', async (_, bytes) => {
    const pdf = await openPdf(bytes);
    await expect(pdf.readPage(1)).rejects.toMatchObject({ reason: 'too_large' });
    await pdf.close();
  });

  it('two files that are read by turns do not disturb each other', async () => {
    const one = await openPdf(await madePdf({ content: 'BT /F 9 Tf (one) Tj ET' }));
    const other = await openPdf(await madePdf({ content: 'BT /F 9 Tf (other) Tj ET' }));
    const pages = await Promise.all([one.readPage(1), other.readPage(1), one.readPage(1)]);
    expect(pages.map(({ texts }) => textOf(texts[0]!))).toEqual(['one', 'other', 'one']);
    await Promise.all([one.close(), other.close()]);
  });
});

/** A page with operators of all kinds. */
const content = `q 1 0 0 1 9 9 cm BT /F 12 Tf 14 TL 2 Tc (One (two)) Tj [(th) -20 (ree)] TJ 0 -20 Td (four) ' 1 2 (five six) " ET Q
/GS gs 0.5 g 10 10 50 20 re f 0 0 m 10 10 l 20 0 20 10 30 10 c S q 5 5 90 90 re W n /X Do Q
BI /W 4 /H 4 /BPC 8 /CS /G ID 0123456789abcdef EI /Span <</ActualText (x) /MCID 1>> BDC BT /F 8 Tf <48656C6C6F> Tj ET EMC`;
const resources: MadePage['resources'] = {
  ExtGState: { GS: object({ ca: 0.5 }) },
  XObject: { X: form('BT /F 9 Tf 9 50 Td (in a form) Tj T* (again) Tj ET', { Font: { F: helvetica } }) },
};

/** Reads a page, removes all of its text, and verifies the result. */
async function readAndRemove(page: MadePage): Promise<void> {
  await withOpenPdf(await madePdf(page), async (pdf) => {
    const read = await pdf.readPage(1);
    const ranges = read.texts
      .map((text) => ({ text, from: 0, to: text.glyphs.length }))
      .filter(({ to }) => to > 0);
    removeText(pdf.document, read, ranges);
    auditRemoval(pdf, read, ranges);
  });
}

describe('content streams with damage', () => {
  const bytes = Buffer.from(content, 'latin1');
  const damage = fc.array(
    fc.record({
      at: fc.nat(bytes.length - 1),
      remove: fc.integer({ min: 0, max: 8 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 4 }),
        fc
          .constantFrom(
            ...'( ) < >> [ ] q BT ET BI EI 1e9 - % Tj "'.split(' '),
            ' Q ',
            ' 0 ',
            '/X Do',
            ' 0 Tf',
          )
          .map((text) => new Uint8Array(Buffer.from(text))),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it('are read, and what is removed of them is removed exactly', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async (places) => {
        let damaged: Uint8Array = bytes;
        for (const { at, remove, insert } of places)
          damaged = Buffer.concat([damaged.subarray(0, at), insert, damaged.subarray(at + remove)]);
        await readAndRemove({ content: damaged, resources });
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it.each<[string, (index: number) => string]>([
    [
      'each in disorder',
      (index) =>
        `BT /F 9 Tf ${index % 397} ${(index * 7) % 391} Td (${index}) Tj ET 1 g ${index % 300} ${(index * 13) % 391} 100 100 re f`,
    ],
    ['each in a state saved within the others', (index) => `q 0 0 400 ${300 + (index % 100)} re W n`],
  ])(
    'a page with 20,000 operators, %s, takes time in proportion to them',
    async (_, operators) => {
      const many = (count: number): MadePage => ({
        content: `${Array.from({ length: count }, (_, index) => operators(index)).join('\n')} ${at(9, 9, 'Text')}`,
      });
      const time = async (count: number): Promise<number> => {
        const start = process.cpuUsage().user;
        await readAndRemove(many(count));
        return process.cpuUsage().user - start;
      };
      await time(1000);
      expect((await time(20_000)) / (await time(4000))).toBeLessThan(15);
    },
    60_000,
  );
});

describe('an enclosed stream leaves no trace', () => {
  it.each([
    ['of its states', '1 0 0 1 5 5 cm 0.5 w'],
    ['with restores without a save', 'Q Q 2 0 0 2 0 0 cm q'],
    ['with saves without a restore', 'q q 3 0 0 3 0 0 cm Q q 2 0 0 2 0 0 cm'],
    ['with text and marked content left open', '/Span BMC /Span BMC EMC BT /F 9 Tf 5 5 Td (A) Tj'],
    ['with a string without an end', 'q (abc'],
  ])('%s', async (_, inner) => {
    const enclosed = Buffer.from(enclose(Buffer.from(inner))).toString('latin1');
    expect(enclosed).toContain(inner.replace(' (abc', ''));
    const after = ' BT /F 10 Tf (after) Tj ET 10 10 m 20 10 l S';
    const { texts, paints } = await readMade({ content: enclosed + after });
    expect(textOf(texts.at(-1)!)).toBe('after');
    expect(texts.at(-1)!.matrix).toEqual([10, 0, 0, 10, 0, 0]);
    expect(paints.at(-1)!.box.top).toBeCloseTo(10.5);
    expect(texts.every(({ kept }) => kept === null)).toBe(true);
  });

  it('nor do its faults, at which readers stop', () => {
    const enclosed = Buffer.from(enclose(Buffer.from('q [(a) 7 l 1 2 m 3 4 l S'))).toString('latin1');
    expect(enclosed.replace(/\s+/g, ' ')).toBe('q q 1 2 m 3 4 l S Q Q ');
  });
});
