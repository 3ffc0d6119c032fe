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
  let count = 0;
  let quoted = false;
  for (let i = 0; i < json.length && count <= mostValues; i++) {
    const byte = json[i] as number;
    if (quoted) {
      if (byte === backslash) i += 1;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (separators.has(byte)) count += 1;
  }
  return count;
}
