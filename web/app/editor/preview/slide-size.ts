/** The width and the height of slides, in points. */
export interface SlideSize {
  width: number;
  height: number;
}

/** The size of a slide with the usual proportions of older presentations. */
const usual: SlideSize = { width: 720, height: 540 };
const emusPerPoint = 12_700;
const mainPart = 'ppt/presentation.xml';

/** Reads the size of the slides of a PPTX file. Returns the usual size if it is not found. */
export async function readSlideSize(file: Uint8Array<ArrayBuffer>): Promise<SlideSize> {
  const part = findPart(file, mainPart);
  if (!part) return usual;
  const inflated = new Blob([part]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const xml = await new Response(inflated).text();
  const size = /<(?:\w+:)?sldSz\s[^>]*>/.exec(xml)?.[0] ?? '';
  const side = (name: string) =>
    Number(new RegExp(`\\s${name}="(\\d+)"`).exec(size)?.[1] ?? 0) / emusPerPoint;
  const [width, height] = [side('cx'), side('cy')];
  return width > 0 && height > 0 ? { width, height } : usual;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;

/** Returns the deflated content of a file in a zip archive; undefined if the archive does not contain it deflated. */
function findPart(file: Uint8Array<ArrayBuffer>, name: string): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let end = file.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end--;
  if (end < 0) return undefined;
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= file.length && view.getUint32(at, true) === entrySignature) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    ) as [number, number, number];
    const own = new TextDecoder().decode(file.subarray(at + 46, at + 46 + nameLength));
    if (own.toLowerCase() === name && view.getUint16(at + 10, true) === 8) {
      const local = view.getUint32(at + 42, true);
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      return file.subarray(start, start + view.getUint32(at + 20, true));
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  return undefined;
}
