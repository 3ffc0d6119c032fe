import { PDFDocument, PDFName } from '@cantoo/pdf-lib';

/** An image of a PDF: its encoded bytes, and the entries of its dictionary. */
export interface EncodedImage {
  bytes: Uint8Array;
  entries: Record<string, string | number>;
}

/** Makes a PDF of A4 pages, each of which consists of one image. */
export async function imagePdf(images: readonly EncodedImage[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const { bytes, entries } of images) {
    const page = document.addPage([595, 842]);
    const image = document.context.stream(bytes, { Type: 'XObject', Subtype: 'Image', ...entries });
    page.node.setXObject(PDFName.of('Scan'), document.context.register(image));
    const content = document.context.stream('q 595 0 0 842 0 0 cm /Scan Do Q');
    page.node.set(PDFName.of('Contents'), document.context.register(content));
  }
  return document.save({ useObjectStreams: false });
}

/** Makes a baseline JPEG in shades of gray that declares a size, and ends after the first bytes of its data. */
export function truncatedJpeg(width: number, height: number): Uint8Array {
  const table = [0xff, 0xdb, 0, 67, 0, ...new Array<number>(64).fill(1)];
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const codes = (kind: number) => [0xff, 0xc4, 0, 20, kind, 1, ...new Array<number>(15).fill(0), 0];
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0, 0, 0];
  return Uint8Array.from([0xff, 0xd8, ...table, ...frame, ...codes(0), ...codes(0x10), ...scan]);
}
