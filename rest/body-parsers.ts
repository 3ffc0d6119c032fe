import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import { mediaType } from '#server/http/request-limits.ts';
import { refuseManyValues } from '#server/platform/input-limits.ts';
import type { BodyKind } from '#server/trpc.ts';

/** The content types of a file sent as the body itself. `text/*` stands for every text type. */
export const rawTypes = [
  'text/*',
  'application/xml',
  'application/octet-stream',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
] as const;

/** Whether a media type, without parameters and in lowercase, is one of `rawTypes`. */
export function isRawType(mediaType: string): boolean {
  return mediaType.startsWith('text/') || (rawTypes as readonly string[]).includes(mediaType);
}

/**
 * Passes every body to its route as bytes, and the route parses them. A multipart form is passed as a stream, which
 * only routes that accept files read.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', ({ routeOptions: { config } }, body, done) =>
    config.ignoresBody ? done(null) : done(null, body),
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * Returns the error for a body that its route cannot read: a compressed one, or a multipart form on a route that takes no
 * files. Undefined for other bodies.
 */
export function unreadableBody({ headers, routeOptions: { config } }: FastifyRequest): AppError | undefined {
  if (!/^\s*(?:identity\s*)?$/i.test(headers['content-encoding'] ?? ''))
    return new AppError(
      'unsupported_media_type',
      'compressed request bodies are not supported; send the body without Content-Encoding',
    );
  const takesForms = config.bodyCeiling === 'MAX_UPLOAD_BYTES' || config.ignoresBody;
  if (takesForms || mediaType(headers['content-type']) !== 'multipart/form-data') return undefined;
  return config.formOnly ? notAForm() : unsupported();
}

/**
 * Parses a request's body as a JSON object.
 * @throws AppError 415 if the content type is not JSON, 400 if the body is not JSON, 422 if the body is not an object
 * or has too many values
 */
export function parseJsonBody(body: unknown, contentType: string | undefined): Record<string, unknown> {
  const value = parseJson(body, contentType);
  if (isObject(value)) return value;
  throw new AppError('invalid_fields', [
    { loc: ['body'], msg: 'an object is expected', type: 'invalid_type' },
  ]);
}

/**
 * Like `parseJsonBody`, for paths at which the body selects one of several procedures. A body that is not an object
 * selects none of them and gets 400.
 */
export function parseChoosingBody(body: unknown, contentType: string | undefined): Record<string, unknown> {
  const value = parseJson(body, contentType);
  if (isObject(value)) return value;
  throw new AppError('malformed_request', 'invalid JSON body: an object is expected');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(body: unknown, contentType: string | undefined): unknown {
  // A multipart form is a stream. Only routes that accept files read it.
  const type = mediaType(contentType);
  if (type.startsWith('multipart/')) throw unsupported();
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new AppError('malformed_request', 'invalid JSON body: empty');
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

export const formType = 'application/x-www-form-urlencoded';

/** The content types of each kind of body in the OpenAPI document. */
export const bodyTypes: Readonly<Record<BodyKind, readonly string[]>> = {
  json: ['application/json'],
  form: [formType],
  form_or_json: [formType, 'application/json'],
  raw: ['application/json'],
  xliff: ['application/xliff+xml'],
};

/** Maximum fields of a form; no form of the API has as many. */
const maxFields = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a URL-encoded form. Returns the fields that are listed in `names` and ignores others. A missing body is an
 * empty form, and a field without a value counts as omitted (RFC 6749 3.2).
 * @throws AppError 422 if the content type is not that of a form, or if the form has too many fields or repeats one;
 * 400 if the body is not UTF-8 or not percent-encoded
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
  if (pairs.length > maxFields)
    throw invalidForm(['body'], `more than ${maxFields} fields`, 'too_many_values');

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
 * Parses a URL-encoded form or a JSON object. Returns the fields that are listed in `names` and ignores others. A
 * body that cannot be read is an empty object: it must not prevent a sign-out.
 */
export function parseFormOrJson(
  body: unknown,
  contentType: string | undefined,
  names: readonly string[],
): Record<string, unknown> {
  try {
    if (mediaType(contentType) === formType) return parseForm(body, contentType, names);
    const fields = Object.entries(parseJsonBody(body, contentType));
    return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
  } catch {
    return {};
  }
}

/** The error for a body that is not a form: 422, an invalid value, and not 415. */
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

/**
 * Decodes a part of a form. Rejects bytes that are not UTF-8: URLSearchParams would replace them with U+FFFD, so that
 * two different passwords could become equal.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new AppError('malformed_request', 'invalid form body: a field is not percent-encoded UTF-8');
  }
}
