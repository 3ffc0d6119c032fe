/** Collects the bytes of a stream in one place: pieces that are joined at the end are in memory twice. */
export interface ByteCollector {
  add(piece: Uint8Array): void;
  /** What has been added; nothing may be added any more. */
  finish(): Buffer;
}

/** Bytes that are reserved for what has only been announced. */
const reserved = 2 ** 20;

/** @param expected bytes there will be at most, as far as somebody said; believed when a good part has come */
export function collectBytes(expected: number): ByteCollector {
  // Not from the pool, which small ones would keep from being freed.
  let bytes = Buffer.allocUnsafeSlow(Math.min(Math.max(expected, 1024), reserved));
  let length = 0;
  return {
    add(piece) {
      const needed = length + piece.length;
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, expected, 2 * bytes.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      bytes.set(piece, length);
      length = needed;
    },
    finish: () => bytes.subarray(0, length),
  };
}
