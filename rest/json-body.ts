import { AppError } from '#server/errors.ts';
import { refuseManyValues } from '#server/many-values.ts';
import { isRawType, mediaType } from './raw-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The object that a request's body holds.
 * @throws AppError 415 for a body declared as something else, 400 for one that is no JSON, 422 for one that is no object
 * (C 7) and for too many values
 */
export function parseJsonBody(body: unknown, contentType: string | undefined): Record<string, unknown> {
  const value = parseJson(body, contentType);
  if (isObject(value)) return value;
  throw new AppError('invalid_fields', [
    { loc: ['body'], msg: 'an object is expected', type: 'invalid_type' },
  ]);
}

/** The same where the body also says what is asked for: one that is no object says nothing (B 4.1), and is 400. */
export function parseChoosingBody(body: unknown, contentType: string | undefined): Record<string, unknown> {
  const value = parseJson(body, contentType);
  if (isObject(value)) return value;
  throw new AppError('malformed_request', 'invalid JSON body: an object is expected');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(body: unknown, contentType: string | undefined): unknown {
  // A form arrives as a stream, which only the routes that take files read.
  const type = mediaType(contentType);
  if (type.startsWith('multipart/')) throw unsupported();
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new AppError('malformed_request', 'invalid JSON body: it is empty');
  if (isRawType(type)) throw unsupported();
  refuseManyValues(body);
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'not UTF-8';
    throw new AppError('malformed_request', `invalid JSON body: ${reason.slice(0, 200)}`);
  }
}

function unsupported(): AppError {
  return new AppError('unsupported_media_type', 'unsupported content type; send application/json');
}
