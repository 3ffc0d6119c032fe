import { AppError } from '#server/errors.ts';
import type { BodyKind } from '#server/trpc.ts';
import { parseJsonBody } from './json-body.ts';
import { mediaType } from './raw-types.ts';

const formType = 'application/x-www-form-urlencoded';

/** The content types of each kind of body, as the document names them. */
export const bodyTypes: Readonly<Record<BodyKind, readonly string[]>> = {
  json: ['application/json'],
  form: [formType],
  form_or_json: [formType, 'application/json'],
  raw: ['application/json'],
};

/** More than any form here has. */
const mostFields = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The fields of a form (A 4.3), of those in `names`; others are ignored. No body is an empty form, and a field without a
 * value counts as left out (RFC 6749 3.2).
 * @throws AppError 422 for a body declared as something else, for too many fields and for one that is given twice; 400
 * for what is not UTF-8 or not percent-encoded
 */
export function parseForm(
  body: unknown,
  contentType: string | undefined,
  names: readonly string[],
): Record<string, unknown> {
  const type = mediaType(contentType);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (type !== formType && (type !== '' || bytes.length > 0)) throw notAForm();
  const pairs = readText(bytes).split('&').filter(Boolean);
  if (pairs.length > mostFields)
    throw invalidForm(['body'], `more than ${mostFields} fields`, 'too_many_values');

  const known = new Set(names);
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const [name, value] = readPair(pair);
    if (!known.has(name)) continue;
    if (fields.has(name)) throw invalidForm(['body', name], 'must not be given twice', 'duplicate_field');
    fields.set(name, value);
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}

/**
 * A form or a JSON object, as it is declared; an empty body is an empty object whatever it is declared as.
 * @throws AppError as `parseForm` and `parseJsonBody` do
 */
export function parseFormOrJson(
  body: unknown,
  contentType: string | undefined,
  names: readonly string[],
): Record<string, unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  return mediaType(contentType) === formType
    ? parseForm(body, contentType, names)
    : parseJsonBody(body, contentType);
}

/** A 4.3: what is no form is an invalid value, not an unsupported type. */
export function notAForm(): AppError {
  return invalidForm(['body'], `send ${formType}`, 'invalid_content_type');
}

function invalidForm(loc: string[], msg: string, type: string): AppError {
  return new AppError('invalid_fields', [{ loc, msg, type }]);
}

function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError('malformed_request', 'invalid form body: not UTF-8');
  }
}

function readPair(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
}

/** Strict, where URLSearchParams would put U+FFFD for bytes that are no UTF-8: two passwords must not read as one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new AppError('malformed_request', 'invalid form body: a field is not percent-encoded UTF-8');
  }
}
