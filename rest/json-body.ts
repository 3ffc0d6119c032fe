import { AppError } from '#server/errors.ts';
import { isRawType, mediaType } from './raw-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** As many values as a procedure's input may have; a larger body is counted before it is made into objects. */
const mostValues = 100_000;
const bytesLookedInto = 1_000_000;

const quote = 0x22;
const backslash = 0x5c;
const separators: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * About how many values a JSON text has: its commas and opening brackets outside of strings. Parsing 30 MB of small values
 * blocks the process for seconds; looking at the bytes takes some milliseconds for each MB.
 */
function countValues(json: Uint8Array): number {
  let count = 0;
  let quoted = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (quoted) {
      if (byte === backslash) i += 1;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (separators.has(byte)) {
      count += 1;
      if (count > mostValues) return count;
    }
  }
  return count;
}

/**
 * The object that a request's body holds.
 * @throws AppError 415 for a body declared as something else, 400 for one that is no JSON object, 422 for too many values
 */
export function parseJsonBody(body: unknown, contentType: string | undefined): Record<string, unknown> {
  // A form arrives as a stream, which only the routes that take files read.
  const type = mediaType(contentType);
  if (type.startsWith('multipart/')) throw unsupported();
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new AppError('malformed_request', 'invalid JSON body: it is empty');
  if (isRawType(type)) throw unsupported();
  if (body.length > bytesLookedInto && countValues(body) > mostValues)
    throw new AppError('invalid_fields', [
      { loc: ['body'], msg: `more than ${mostValues} values`, type: 'too_many_values' },
    ]);
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'not UTF-8';
    throw new AppError('malformed_request', `invalid JSON body: ${reason.slice(0, 200)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('malformed_request', 'invalid JSON body: an object is expected');
  return value as Record<string, unknown>;
}

function unsupported(): AppError {
  return new AppError('unsupported_media_type', 'unsupported content type; send application/json');
}
