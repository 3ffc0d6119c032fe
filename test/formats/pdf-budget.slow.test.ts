import { describe, expect, it } from 'vitest';
import { flatten } from '#server/formats/flatten.ts';
import { Meter } from '#server/formats/pdfjs/budget.ts';
import { openPdfjs } from '#server/formats/pdfjs/open-pdfjs.ts';
import { fontsOfForms, nestedForms, pageTree, spaces } from '#test/abuse/hostile-files.ts';
import { corpusFile } from '#test/corpus/files.ts';

describe('the work a PDF may cause is in proportion to its size', () => {
  it.each([
    ['ten billion draws of a letter in nested forms', nestedForms(), 'the number of pages and forms', '1,0'],
    ['forms a thousand deep', nestedForms(1000, 1), 'the depth of nested forms', '50'],
    ['a million pages that are one', pageTree(), 'the number of pages of the PDF', '1,0'],
    ['a form of 60 MB of spaces, drawn a million times', spaces(), 'the unpacked size in bytes', '21,'],
    ['a font that is read anew each time', fontsOfForms(), 'the number of fonts', '3'],
    [
      'a million operators in a few kilobytes',
      nestedForms(1, 1, `BT /T 9 Tf ${'9 Tc '.repeat(1_000_000)}(a) Tj ET`),
      'the number of drawing operators',
      '2',
    ],
  ])('%s: refused, with the limit and what to do', async (_, file, what, limit) => {
    await expect(flatten('pdf', file)).rejects.toMatchObject({
      name: 'FileError',
      reason: 'too_large',
      message: expect.stringMatching(
        new RegExp(`^${what}.* is over the limit of ${limit}.*; split the file`),
      ),
    });
  });

  it('the same file is refused at the same count', () => {
    const meter = new Meter(2500);
    for (let stream = 0; stream < 1050; stream++) meter.countStream(1, { start: 0, end: 10 });
    expect(meter.rejection).toBeUndefined();
    expect(() => meter.countStream(1, { start: 0, end: 10 })).toThrow('1,050');
    expect(meter.counts).toMatchObject({ streams: 1051, bytes: 10_500 });
    // All further counts fail, too, because PDF.js ignores errors in single forms.
    expect(() => meter.countOperator(1, {})).toThrow('1,050');
  });

  it('forms that are drawn on every page, and two files at a time, are read', async () => {
    const pages = nestedForms(4, 5);
    const texts = await Promise.all([flatten('pdf', pages), flatten('pdf', nestedForms(3, 2))]);
    expect(texts.map((text) => text.replace(/\s+/g, '').length)).toEqual([125, 4]);
  });
});

it('a damaged file that is opened during the reading of another one leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const first = await openPdfjs(corpusFile('pdf/single-column.pdf'));
    const reading = first.use(() => new Promise((resolve) => setTimeout(resolve, 200)));
    await expect(openPdfjs(Buffer.from('%PDF-1.4\nnothing else\n'))).rejects.toMatchObject({
      reason: 'unreadable',
    });
    await reading;
    await first.close();
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});
