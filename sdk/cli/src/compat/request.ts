import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LinguaLoop, LinguaLoopError } from '../../../src/index.ts';

/** A request of a client, with its body read. */
export interface CompatRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** The fields of a JSON object or a form. A field that occurs several times is a list. */
  fields: Readonly<Record<string, unknown>>;
  /** The files of a form. */
  files: Readonly<Record<string, File>>;
  /** The URL at which the client has reached this program. */
  base: string;
  signal: AbortSignal;
}

/** A response: JSON, bytes or nothing. */
export interface CompatResponse {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
}

/** An API that is served. */
export interface CompatApi {
  /**
   * Returns what is known about a request before its body is read: whether its path and method are served, and whether
   * its key is in a header. @throws CompatError if the request is rejected for these reasons
   */
  expect(head: CompatRequest): { hasKey: boolean };
  handle(request: CompatRequest): Promise<CompatResponse>;
  /** Returns an error in the form of the API. */
  errorOf(status: number, message: string): CompatResponse;
}

/** Returns the client for a caller's key. */
export type ClientOf = (apiKey: string) => LinguaLoop;

/** An error whose message is meant for the caller. */
export class CompatError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Maximum bytes of a request: a document of 30,000,000 bytes in a form. */
const maxBodyBytes = 31_000_000;

/**
 * Maximum bytes of all bodies together whose key is not in a header, so that it is only known when they are read.
 * LibreTranslate's own clients send it there.
 */
const maxUnknownBytes = 2 * maxBodyBytes;
let unknownBytes = 0;

/** Returns a request without its body. The fields are those of the URL. */
export function readHead(incoming: IncomingMessage, base: string, signal: AbortSignal): CompatRequest {
  const url = new URL(incoming.url ?? '/', base);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname.replace(/\/+$/, '') || '/',
    query: url.searchParams,
    headers: incoming.headers,
    fields: collect(url.searchParams),
    files: {},
    base,
    signal,
  };
}

/**
 * Reads the body of a request: JSON, a form, or multipart. Without one, the fields remain those of the URL.
 * @param isKnown whether a key is known before the body is read
 * @throws CompatError 400, 413, 415, 503
 */
export async function readBody(
  incoming: IncomingMessage,
  head: CompatRequest,
  isKnown: boolean,
): Promise<CompatRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (!isKnown) unknownBytes += chunk.length;
      if (size > maxBodyBytes) throw new CompatError(413, `the request has more than ${maxBodyBytes} bytes`);
      if (unknownBytes > maxUnknownBytes)
        throw new CompatError(503, 'too many large requests have their key in the body; try again later');
      chunks.push(chunk);
    }
  } finally {
    if (!isKnown) unknownBytes -= size;
  }
  if (size === 0) return head;
  return { ...head, ...(await parseBody(Buffer.concat(chunks), incoming.headers['content-type'] ?? '')) };
}

async function parseBody(body: Buffer, type: string): Promise<Pick<CompatRequest, 'fields' | 'files'>> {
  if (/^multipart\/form-data/i.test(type)) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => {
        throw new CompatError(400, 'the form is malformed');
      });
    const texts: [string, string][] = [];
    const files: Record<string, File> = {};
    for (const [name, value] of form) {
      if (typeof value === 'string') texts.push([name, value]);
      else files[name] = value;
    }
    return { fields: collect(texts), files };
  }
  const text = body.toString('utf8');
  if (/^application\/x-www-form-urlencoded/i.test(type))
    return { fields: collect(new URLSearchParams(text)), files: {} };
  if (type !== '' && !/^application\/json/i.test(type))
    throw new CompatError(415, `unsupported content type ${JSON.stringify(type.slice(0, 60))}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CompatError(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CompatError(400, 'the body must be a JSON object');
  return { fields: value as Record<string, unknown>, files: {} };
}

function collect(pairs: Iterable<[string, string]>): Record<string, unknown> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  return fields;
}

/** Returns a field as text; undefined if it is missing or null. @throws CompatError 400 */
export function textField({ fields }: Pick<CompatRequest, 'fields'>, name: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new CompatError(400, `Bad request. Reason: the value for '${name}' must be a string`);
}

/** Returns a field that is a text or a list of texts; undefined if it is missing. @throws CompatError 400 */
export function textsField({ fields }: Pick<CompatRequest, 'fields'>, name: string): string[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  if (list.every((one) => typeof one === 'string')) return list;
  throw new CompatError(
    400,
    `Bad request. Reason: the value for '${name}' must be a string or a list of strings`,
  );
}

export function send(
  response: ServerResponse,
  { status = 200, headers = {}, json, body }: CompatResponse,
): void {
  const content = json === undefined ? (body ?? '') : JSON.stringify(json);
  const type: Record<string, string> =
    json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers });
  response.end(content);
}

/** Returns the name with which the service reads a text file as a document: it does not accept the extension `.txt`. */
export function documentName(name: string): string {
  return name.replace(/\.txt$/i, '.text');
}

/** The meaning of an error of the service: its status, and whether an allowance is used up. */
export function failureOf(error: unknown): {
  status: number;
  message: string;
  isQuota: boolean;
  retryAfter: number | null;
} {
  if (error instanceof CompatError)
    return { status: error.status, message: error.message, isQuota: false, retryAfter: null };
  if (error instanceof LinguaLoopError) {
    const { status, detail, code, retryAfter } = error;
    const message =
      typeof detail === 'string'
        ? detail
        : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    const isQuota = status === 402 || code === 'quota_exceeded';
    return { status: status ?? 503, message, isQuota, retryAfter };
  }
  return { status: 500, message: 'internal error', isQuota: false, retryAfter: null };
}
