import type { Name, Operand } from './operand.ts';

const isSpace = (byte: number | undefined): boolean =>
  byte === 0 || byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 32;

/**
 * Returns the offset after the EI that ends an inline image. The data of the image may also contain the letters EI. If
 * the image has no filter, the length of its data is computed; otherwise the first EI that is followed by operators is
 * its end.
 *
 * @param at the offset after ID
 * @param looksLikeOperators returns whether the bytes at an offset are operators
 */
export function findInlineImageEnd(
  bytes: Uint8Array,
  at: number,
  dictionary: ReadonlyMap<string, Operand>,
  looksLikeOperators: (bytes: Uint8Array, at: number) => boolean,
): number {
  const length = plainLength(dictionary);
  if (length !== undefined) {
    // One or two white-space characters may precede the data, or none.
    for (const start of [at + 1, at + 2, at]) {
      let end = start + length;
      while (isSpace(bytes[end]) && end < start + length + 3) end++;
      if (isEnd(bytes, end)) return end + 2;
    }
  }
  let last: number | undefined;
  for (let end = bytes.indexOf(0x45, at); end >= 0; end = bytes.indexOf(0x45, end + 1)) {
    if (!isEnd(bytes, end)) continue;
    last = end + 2;
    if (looksLikeOperators(bytes, last)) return last;
  }
  return last ?? bytes.length;
}

/** Whether the letters EI are at an offset, followed by white space or by the end of the stream. */
function isEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x45 && bytes[at + 1] === 0x49 && (at + 2 >= bytes.length || isSpace(bytes[at + 2]));
}

const components: Record<string, number> = {
  G: 1,
  DeviceGray: 1,
  RGB: 3,
  DeviceRGB: 3,
  CMYK: 4,
  DeviceCMYK: 4,
  I: 1,
  Indexed: 1,
};

/**
 * Returns the length of an image's data. Returns undefined if the image has a filter, or if its color space is defined
 * in the resources.
 */
function plainLength(dictionary: ReadonlyMap<string, Operand>): number | undefined {
  const value = (short: string, long: string): Operand | undefined =>
    dictionary.get(short) ?? dictionary.get(long);
  if (value('F', 'Filter') !== undefined) return undefined;
  const width = value('W', 'Width');
  const height = value('H', 'Height');
  if (typeof width !== 'number' || typeof height !== 'number') return undefined;
  const isMask = value('IM', 'ImageMask') === true;
  const space = value('CS', 'ColorSpace');
  const name = Array.isArray(space) ? space[0] : space;
  const samples = isMask ? 1 : components[(name as Name | undefined)?.value ?? ''];
  const bits = isMask ? 1 : (value('BPC', 'BitsPerComponent') ?? 8);
  if (samples === undefined || typeof bits !== 'number') return undefined;
  const length = Math.ceil((width * samples * bits) / 8) * height;
  return length >= 0 && length < 1e9 ? length : undefined;
}
