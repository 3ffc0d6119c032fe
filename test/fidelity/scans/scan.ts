import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { seededRandom } from '#test/bench/seeded-random.ts';
import { runPoppler } from '../eye/poppler.ts';

/** How a page is printed and scanned. */
export interface Scanning {
  /** Pixels per inch. */
  dpi: number;
  /** By how many degrees the lines rise to the right. */
  skew: number;
  /** The standard deviation of the noise, of 255 shades. */
  noise: number;
  /** The color of the paper as red, green and blue. Default: almost white. */
  paper?: readonly [number, number, number];
}

/** A gray image of a page: one byte a pixel. */
interface GrayPage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Makes a scan of a PDF: each page becomes one image, skewed, blurred and with noise. The same input gives the same scan. */
export async function scanOf(pdf: Uint8Array, scanning: Scanning): Promise<Uint8Array> {
  const pages = picturesOf(pdf, scanning.dpi);
  const document = await PDFDocument.create();
  for (const [index, page] of pages.entries()) {
    const colors = scanned(page, scanning, index);
    const { width, height } = page;
    const image = document.context.stream(deflateSync(colors), {
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: height,
      ColorSpace: 'DeviceRGB',
      BitsPerComponent: 8,
      Filter: 'FlateDecode',
    });
    const size: [number, number] = [(width * 72) / scanning.dpi, (height * 72) / scanning.dpi];
    const added = document.addPage(size);
    added.node.setXObject(PDFName.of('Scan'), document.context.register(image));
    const content = document.context.stream(`q ${size[0]} 0 0 ${size[1]} 0 0 cm /Scan Do Q`);
    added.node.set(PDFName.of('Contents'), document.context.register(content));
  }
  return document.save({ useObjectStreams: false });
}

function picturesOf(pdf: Uint8Array, dpi: number): GrayPage[] {
  const directory = mkdtempSync(join(tmpdir(), 'scan-'));
  try {
    const path = join(directory, 'page.pdf');
    writeFileSync(path, pdf);
    runPoppler('pdftoppm', ['-r', `${dpi}`, '-gray', path, join(directory, 'page')]);
    return readdirSync(directory)
      .filter((name) => name.endsWith('.pgm'))
      .sort()
      .map((name) => readPgm(readFileSync(join(directory, name))));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function readPgm(bytes: Buffer): GrayPage {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 60).toString('latin1'))!;
  return { width: Number(head[1]), height: Number(head[2]), pixels: bytes.subarray(head[0].length) };
}

function scanned(
  { width, height, pixels }: GrayPage,
  { skew, noise, paper = [250, 249, 246] }: Scanning,
  seed: number,
) {
  const random = seededRandom(1000 * skew + noise + seed + width);
  const [cosine, sine] = [Math.cos((skew * Math.PI) / 180), Math.sin((skew * Math.PI) / 180)];
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 255 : pixels[y * width + x]!;
  const colors = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [dx, dy] = [x - width / 2, y - height / 2];
      const [sourceX, sourceY] = [cosine * dx - sine * dy + width / 2, sine * dx + cosine * dy + height / 2];
      const [left, top] = [Math.floor(sourceX), Math.floor(sourceY)];
      const [right, down] = [sourceX - left, sourceY - top];
      const shade =
        (at(left, top) * (1 - right) + at(left + 1, top) * right) * (1 - down) +
        (at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right) * down;
      // The sum of three random numbers is almost normally distributed; its standard deviation is 0.5.
      const noisy = (random() + random() + random() - 1.5) * 2 * noise;
      for (const channel of [0, 1, 2]) {
        const ink = 30 + ((paper[channel]! - 30) * shade) / 255;
        colors[3 * (y * width + x) + channel] = Math.max(0, Math.min(255, ink + noisy));
      }
    }
  return colors;
}
