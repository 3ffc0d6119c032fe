import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { afterAll, describe, expect, test } from 'vitest';
import { obstacleTo } from '#server/formats/ocr/tesseract.ts';
import { fileErrorOf, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { truncatedJpeg } from '../formats/scanned-pdf.ts';

const missing = obstacleTo('en');
if (missing) console.warn(`hostile scans are not tested: ${missing}`);

const fileWork = openFileWork();
afterAll(() => fileWork.close());

type Entries = Record<string, string | number>;

interface Hostile {
  bytes?: Uint8Array;
  entries?: Entries;
  content?: string;
  size?: [number, number];
}

const gray: Entries = { Width: 40, Height: 40, ColorSpace: 'DeviceGray', BitsPerComponent: 8 };
const noise = Uint8Array.from({ length: 3_000 }, (_, at) => (at * 7_919 + (at % 13) * 31) & 255);
const whole = 'q 150 0 0 200 0 0 cm /Scan Do Q';

/** Makes a PDF of one page, whose only content is an image. */
async function pdfOf({
  bytes = deflateSync(new Uint8Array(1_600)),
  entries = {},
  content = whole,
  size = [150, 200],
}: Hostile): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage(size);
  const image = document.context.stream(bytes, {
    ...{ Type: 'XObject', Subtype: 'Image', Filter: 'FlateDecode' },
    ...gray,
    ...entries,
  });
  const reference = document.context.register(image);
  image.dict.set(PDFName.of('SMask'), reference);
  if (!('SMask' in entries)) image.dict.delete(PDFName.of('SMask'));
  page.node.setXObject(PDFName.of('Scan'), reference);
  const form = document.context.stream(content, { Type: 'XObject', Subtype: 'Form' });
  const formReference = document.context.register(form);
  form.dict.set(
    PDFName.of('Resources'),
    document.context.obj({ XObject: { Scan: reference, Form: formReference } }),
  );
  page.node.setXObject(PDFName.of('Form'), formReference);
  page.node.set(PDFName.of('Contents'), document.context.register(document.context.stream(content)));
  return document.save({ useObjectStreams: false });
}

const filters =
  'DCTDecode JPXDecode JBIG2Decode CCITTFaxDecode FlateDecode LZWDecode RunLengthDecode ASCII85Decode ASCIIHexDecode Unknown'.split(
    ' ',
  );
const jpeg = (width: number, height: number, declared: Entries = {}): Hostile => ({
  bytes: truncatedJpeg(width, height),
  entries: { Filter: 'DCTDecode', Width: width, Height: height, ...declared },
});

const files: [string, Hostile][] = [
  ...filters.map((Filter): [string, Hostile] => [
    `noise in ${Filter}`,
    { bytes: noise, entries: { Filter } },
  ]),
  ...filters.map((Filter): [string, Hostile] => [
    `nothing in ${Filter}`,
    { bytes: new Uint8Array(), entries: { Filter } },
  ]),
  ...['Indexed', 'Pattern', 'Separation', 'Lab', 'DeviceN', 'Unknown'].map(
    (ColorSpace): [string, Hostile] => [
      `the color space ${ColorSpace} without its parameters`,
      { entries: { ColorSpace } },
    ],
  ),
  ...[0, 3, 64, -8].map((BitsPerComponent): [string, Hostile] => [
    `${BitsPerComponent} bits a component`,
    { entries: { BitsPerComponent } },
  ]),
  ...[0, -1, 1_000_000_000, 0.5].map((Width): [string, Hostile] => [
    `a width of ${Width}`,
    { entries: { Width } },
  ]),
  ...[0, -1, 1_000_000_000].map((Height): [string, Hostile] => [
    `a height of ${Height}`,
    { entries: { Height } },
  ]),
  ['a width that is a name', { entries: { Width: 'Wide' } }],
  ['a JPEG of 60,000 by 60,000 pixels', jpeg(60_000, 60_000, { Width: 100, Height: 100 })],
  ['a JPEG of 65,535 by 1 pixels', jpeg(65_535, 1)],
  ['a JPEG of 1 by 65,535 pixels', jpeg(1, 65_535)],
  ['a JPEG of other pixels than declared', jpeg(16, 16, { Width: 7_000, Height: 5_000 })],
  [
    '400 million zeros',
    { bytes: deflateSync(new Uint8Array(400_000_000)), entries: { Width: 20_000, Height: 20_000 } },
  ],
  ['an image that is its own mask', { entries: { SMask: 1 } }],
  ['a mask with a depth', { entries: { ImageMask: 'true' } }],
  ['a matrix of zeros', { content: 'q 0 0 0 0 0 0 cm /Scan Do Q' }],
  ['a matrix of large numbers', { content: `q 1${'0'.repeat(37)} 0 0 1${'0'.repeat(37)} 0 0 cm /Scan Do Q` }],
  ['a matrix without numbers', { content: 'q /a /b /c /d /e /f cm /Scan Do Q' }],
  ['an image outside of the page', { content: 'q 150 0 0 200 90000 90000 cm /Scan Do Q' }],
  ['a page of 1 by 14,400 points', { size: [1, 14_400] }],
  ['a page of 14,400 by 14,400 points', { size: [14_400, 14_400] }],
  ['a page without size', { size: [0, 0] }],
  ['50,000 images on top of each other', { content: whole.repeat(50_000) }],
  ['20,000 saved states', { content: 'q '.repeat(20_000) + whole }],
  ['20,000 restored states', { content: 'Q '.repeat(20_000) + whole }],
  ['a form in itself', { content: `${whole} /Form Do` }],
  [
    'an inline image without an end',
    { content: `${whole} BI /W 9000 /H 9000 /BPC 8 /CS /G ID ${'x'.repeat(100)}` },
  ],
  ['an image that does not exist', { content: `${whole} /Other Do` }],
];

describe.skipIf(missing)('fifty hostile scans', () => {
  test('are refused or recognized within the limits of the sandbox', { timeout: 900_000 }, async () => {
    expect(files.length).toBeGreaterThanOrEqual(50);
    let refused = 0;
    for (const [name, hostile] of files) {
      const bytes = await pdfOf(hostile);
      const started = performance.now();
      const payload = { format: 'pdf' as const, bytes, page: 1, language: 'en' };
      const result = await fileWork
        .run('recognize_page', payload, { tenantId: name })
        .catch((error: unknown) => {
          const problem = fileErrorOf(error);
          if (!problem) throw new Error(`${name}: ${String(error)}`, { cause: error });
          return { refused: problem.reason, message: problem.message };
        });
      const seconds = (performance.now() - started) / 1000;
      expect([name, seconds < 240]).toEqual([name, true]);
      if (seconds > 10) console.log(`${name}: ${seconds.toFixed(1)} s`);
      if ('refused' in result) {
        refused++;
        expect([name, result.refused]).toEqual([name, expect.stringMatching(/^(unreadable|too_large)$/)]);
      } else expect([name, result.lines]).toEqual([name, []]);
    }
    console.log(`${refused} of ${files.length} scans were refused`);
    expect(refused).toBeGreaterThan(10);
  });
});
