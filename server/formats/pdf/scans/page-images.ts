import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { overLimit } from '../../file-error.ts';
import { loadPdfjs } from '../../pdfjs/budget.ts';
import { identity, type Matrix, multiply } from '../geometry.ts';

/** An image as it is painted on a page. */
export interface PageImage {
  width: number;
  height: number;
  /** Maps the unit square, in which the image is upright, to the page's user space. */
  matrix: Matrix;
  /** Returns the color of a pixel as 0xRRGGBB; undefined if the pixel is transparent. */
  colorAt(x: number, y: number): number | undefined;
}

/** The form in which pdf.js delivers an image. */
interface DecodedImage {
  width: number;
  height: number;
  data: Uint8Array | Uint8ClampedArray;
  /** The bits of a pixel: 1 for 1, 2 for 24, 3 for 32. Missing in a mask, which has one bit. */
  kind?: 1 | 2 | 3;
}

/** The maximum number of images of a page. Programs cut a scan into some hundred stripes at most. */
const maxImages = 5_000;

/**
 * Reads the images of a page and of its forms, in painting order. Soft masks are not read.
 *
 * @throws {FileError} `too_large` if there are too many images
 */
export async function readPageImages(page: PDFPageProxy): Promise<PageImage[]> {
  const { AnnotationMode, OPS } = await loadPdfjs();
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const images: PageImage[] = [];
  const saved: State[] = [];
  let state: State = { matrix: identity, fill: 0 };
  let masks = 0;
  const add = async (image: unknown, matrix: Matrix): Promise<void> => {
    const decoded = typeof image === 'string' ? await objectOf(page, image) : (image as DecodedImage);
    if (masks > 0 || !decoded?.data) return;
    if (images.length === maxImages) throw overLimit('the number of images of a page', maxImages);
    images.push(imageOf(decoded, matrix, state.fill));
  };
  for (const [index, operator] of fnArray.entries()) {
    const operands = (argsArray[index] ?? []) as unknown[];
    const [first] = operands;
    switch (operator) {
      case OPS.save:
        saved.push({ ...state });
        break;
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        state = saved.pop() ?? state;
        break;
      case OPS.paintFormXObjectBegin:
        saved.push({ ...state });
        if (first) state.matrix = multiply(first as Matrix, state.matrix);
        break;
      case OPS.transform:
        state.matrix = multiply(argsArray[index] as Matrix, state.matrix);
        break;
      case OPS.beginGroup:
        if (masks > 0 || (first as { smask?: unknown } | undefined)?.smask) masks++;
        break;
      case OPS.endGroup:
        if (masks > 0) masks--;
        break;
      case OPS.setFillRGBColor:
        state.fill = Number.parseInt(String(first).slice(1), 16) || 0;
        break;
      case OPS.paintImageXObject:
      case OPS.paintInlineImageXObject:
        await add(first, state.matrix);
        break;
      case OPS.paintImageMaskXObject:
        await add((first as { data: unknown }).data, state.matrix);
        break;
      case OPS.paintImageXObjectRepeat: {
        const [name, scaleX, scaleY, positions] = operands as [string, number, number, number[]];
        for (let at = 0; at + 1 < positions.length; at += 2)
          await add(name, multiply([scaleX, 0, 0, scaleY, positions[at]!, positions[at + 1]!], state.matrix));
        break;
      }
      case OPS.paintImageMaskXObjectGroup:
        for (const { data, transform } of first as { data: unknown; transform: Matrix }[])
          await add(data, multiply(transform, state.matrix));
        break;
    }
  }
  return images;
}

interface State {
  matrix: Matrix;
  /** The fill color as 0xRRGGBB, with which masks are painted. */
  fill: number;
}

/** Returns an image that pdf.js delivers separately; undefined if the image cannot be decoded. */
function objectOf(page: PDFPageProxy, name: string): Promise<DecodedImage | undefined> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    objects.get(name, (image: unknown) => resolve((image ?? undefined) as DecodedImage | undefined));
  });
}

function imageOf({ width, height, data, kind }: DecodedImage, matrix: Matrix, fill: number): PageImage {
  const base = { width, height, matrix };
  if (kind === 2)
    return {
      ...base,
      colorAt: (x, y) => {
        const at = 3 * (y * width + x);
        return (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
      },
    };
  if (kind === 3)
    return {
      ...base,
      colorAt: (x, y) => {
        const at = 4 * (y * width + x);
        if (data[at + 3]! < 128) return undefined;
        return (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
      },
    };
  const bytesOfRow = (width + 7) >> 3;
  const bitAt = (x: number, y: number): number => (data[y * bytesOfRow + (x >> 3)]! >> (7 - (x & 7))) & 1;
  // A mask is painted where its bits are 0.
  if (kind === undefined) return { ...base, colorAt: (x, y) => (bitAt(x, y) === 0 ? fill : undefined) };
  return { ...base, colorAt: (x, y) => (bitAt(x, y) === 1 ? 0xffffff : 0) };
}
