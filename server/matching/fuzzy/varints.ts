/**
 * Whole numbers in as few bytes as they need: seven bits to a byte, the lowest first, and the eighth set on all bytes
 * but the last (LEB128). Numbers are below 2^28.
 */
export function varintLength(value: number): number {
  return value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : 4;
}

/** Writes at `offset`; the offset after it. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let [rest, end] = [value, offset];
  while (rest >= 0x80) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

/** The numbers one after the other; one that is cut off at the end is left out. */
export function readVarints(bytes: Uint8Array, each: (value: number) => void): void {
  let [value, shift] = [0, 0];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      each(value);
      value = 0;
      shift = 0;
    } else shift += 7;
  }
}
