import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasPdftotext } from '#test/formats/golden-pdf-readers.ts';
import { at, type Made, madePdf } from '#test/formats/pdf-made.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

type Colour = readonly [red: number, green: number, blue: number];
const [red, green, blue, yellow]: [Colour, Colour, Colour, Colour] = [
  [220, 30, 30],
  [30, 160, 60],
  [30, 60, 200],
  [240, 200, 40],
];
const [black, white]: [Colour, Colour] = [
  [0, 0, 0],
  [255, 255, 255],
];

/**
 * Pictures of 16 by 16 pixels that consist of four squares, with the colors of the squares row by row. One is encoded
 * by OpenJPEG, the other as a region in MMR.
 */
const pictures = {
  JPXDecode: {
    bytes: `AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAEAAAABAAAwcHAAAAAAAPY29scgEAAAAAABAAAAGOanAyY/9P/1EALwAAAAAAEAAAABAAAAAAAAAAAAAAABAAAAAQAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAAEBAAB/1wABEBA/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAABFgAB/5PPtZwUAFtD2M54jXWb8eBbwDCPMU4j7lNEhL7HAAAYR5inEfcpokJEs4AwjzFOI+5TRISJZwBhHmKcR9ymiQl8YOAAAMI5x/j9FOEfcpokJfbFgAADCOcf4/RThISJZwBhHmKcR9ymiQl/z7UQEVBTGQquM0DTC6nSAABhIS+rtCEAAAAAYRrD7H6KcI+5TRIS8VnwAAwjnH+P0U4R9ymiPuU0R9ymiPuU0R9ymiQl/3/PtVARUFStzMfMXT3AAwjzFOI+5TRIS/gn6gAAAAMI1h9j9FOEfcpokJeKz4AAYSEvAFoAAMI5x/j9FOEfcpoj7lNEhLxWfAADCOcf4/RThH3KaJCX/3//2Q==`,
    entries: { ColorSpace: 'DeviceRGB', BitsPerComponent: 8 },
    shows: [red, green, blue, yellow],
  },
  JBIG2Decode: {
    bytes: 'AAAAADAAAQAAABMAAAAQAAAAEAAAAAAAAAAAAAAAAAAAASYAAQAAAB4AAAAQAAAAEAAAAAAAAAAAAAEzF//yai///+ACACA=',
    entries: { ColorSpace: 'DeviceGray', BitsPerComponent: 1 },
    shows: [white, black, black, white],
  },
} as const;

/** A PDF page with a sentence and, below it, the picture with a width and height of 200 points. */
async function pdfWith(filter: keyof typeof pictures): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, entries } = pictures[filter];
  const picture: Made = (document) => {
    const stream = document.context.stream(Buffer.from(bytes, 'base64'), {
      Type: 'XObject',
      Subtype: 'Image',
      Width: 16,
      Height: 16,
      Filter: filter,
      ...entries,
    });
    return document.context.register(stream);
  };
  const content = `${at(100, 350, 'What the picture shows')} q 200 0 0 200 100 100 cm /P Do Q`;
  return new Uint8Array(await madePdf({ content, resources: { XObject: { P: picture } } }));
}

/** The centers of the picture's four squares, as fractions of the page's width and height. */
const places = [
  [150, 150],
  [250, 150],
  [150, 250],
  [250, 250],
].map(([x, y]) => [x! / 400, y! / 400] as const);

/** The colors at these places of the page, as the browser shows it. */
const shownColours = (page: Page): Promise<Colour[]> =>
  page.getByRole('img', { name: 'Page 1', exact: true }).evaluate((element, points) => {
    const canvas = element as HTMLCanvasElement;
    return points.map(([x, y]) => {
      const pixel = canvas.getContext('2d')?.getImageData(x * canvas.width, y * canvas.height, 1, 1).data;
      return [pixel?.[0] ?? 0, pixel?.[1] ?? 0, pixel?.[2] ?? 0] as const;
    });
  }, places);

/** The colors at these places of the page, as poppler paints it. */
function popplerColours(pdf: Uint8Array): Colour[] {
  const image = execFileSync('pdftoppm', ['-r', '72', '-singlefile', '-'], { input: pdf });
  // The file consists of "P6", width, height and 255, followed by three bytes for each pixel.
  const pixels = image.subarray(image.length - 3 * 400 * 400);
  return places.map(([x, y]) => {
    const from = 3 * (Math.round(y * 400) * 400 + Math.round(x * 400));
    return [pixels[from]!, pixels[from + 1]!, pixels[from + 2]!];
  });
}

/** The largest difference between the colors at the same place, from 0 to 255. */
const distance = (one: readonly Colour[], other: readonly Colour[]): number =>
  Math.max(...one.flatMap((colour, at) => colour.map((value, part) => Math.abs(value - other[at]![part]!))));

test.skipIf(withoutBrowser).each(['JPXDecode', 'JBIG2Decode'] as const)(
  'a picture in a PDF is shown whatever it is encoded in, before and after the translation: %s',
  async (filter) => {
    const { shows } = pictures[filter];
    const pdf = await pdfWith(filter);
    if (hasPdftotext) expect(distance(popplerColours(pdf), shows)).toBeLessThan(6);
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, new File([pdf], 'picture.pdf'));
    const policies: unknown[] = [];
    page.on('worker', async (worker) => {
      policies.push(
        (await app.request(new URL(worker.url()).pathname)).headers.get('content-security-policy'),
      );
    });
    await page.goto(`/app/edit/documents/${id}`);
    for (const side of ['Translation', 'Source']) {
      await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: side }).check();
      await page.getByRole('img', { name: 'Page 1', exact: true }).waitFor();
      await expect
        .poll(async () => distance(await shownColours(page), shows), { timeout: 10_000 })
        .toBeLessThan(6);
    }
    // The policy of the worker that reads an untrusted file: it may compile the application's decoders, and has no
    // other access.
    expect(policies).toEqual([
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    ]);
  },
);
