import { AppError } from './errors.ts';

/** As many values as a procedure's input may have; a larger body is counted before it is made into objects. */
const mostValues = 100_000;
/** Bytes; a smaller body holds too few values to matter. */
const bytesLookedInto = 1_000_000;

const quote = 0x22;
const backslash = 0x5c;
const separators: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * Refuses a JSON body of far too many values before it is parsed: making objects of 30 MB of small values blocks the
 * process for seconds, looking at the bytes takes some milliseconds for each MB.
 * @throws AppError 422
 */
export function refuseManyValues(json: Uint8Array): void {
  if (json.length > bytesLookedInto && countValues(json) > mostValues)
    throw new AppError('invalid_fields', [
      { loc: ['body'], msg: `more than ${mostValues} values`, type: 'too_many_values' },
    ]);
}

/** About how many values a JSON text has: its commas and opening brackets outside of strings. */
function countValues(json: Uint8Array): number {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  let count = 0;
  for (let i = 0; i < bytes.length && count <= mostValues; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (separators.has(byte)) count += 1;
  }
  return count;
}

/** Bytes of a string that are looked at one by one; most strings are no longer. */
const shortString = 64;

/** Where the string ends whose inside begins at `from`: the place of its closing quote, or the end of all. */
function endOfString(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    for (const near = Math.min(i + shortString, bytes.length); i < near; i++) {
      const byte = bytes[i] as number;
      if (byte === quote) return i;
      if (byte === backslash) i += 1;
    }
    // A long text, as it may be: the next quote is found many times faster.
    const next = bytes.indexOf(quote, i);
    if (next < 0) return bytes.length;
    let escapes = 0;
    while (next - 1 - escapes >= i && bytes[next - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return next;
    i = next + 1;
  }
}
