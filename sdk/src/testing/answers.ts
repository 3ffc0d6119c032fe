/** A request that came to the double. */
export interface DoubleRequest {
  /** `POST`, in capitals. */
  readonly method: string;
  /** Below the address of the double: `/api/translations`. */
  readonly path: string;
  /** Of the address; a repeated name once. */
  readonly query: Readonly<Record<string, string>>;
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body of a JSON or form request, files included; undefined if there is none, or of another type. */
  readonly body: unknown;
}

/** What the service refuses a request with. */
export interface Refusal {
  /** The HTTP status, which decides the class of the error. */
  status: number;
  /** A sentence, or the problems of fields. */
  detail: unknown;
  /** The service's `error_code`. Default: none. */
  code?: string | undefined;
  /** Seconds that the service asks to wait. Default: none. */
  retryAfter?: number | undefined;
}

/** Thrown where the service would refuse a request. */
export class Refused {
  readonly refusal: Refusal;

  constructor(status: number, detail: unknown, code?: string) {
    this.refusal = { status, detail, code };
  }
}

/** @throws Refused if the request lacks a field */
export function requireText(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  const msg = 'Invalid input: expected string';
  throw new Refused(422, [{ loc: ['body', name], msg, type: 'invalid_type' }]);
}

/** A response of JSON; of an empty one if there is nothing to say. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Response {
  if (body === undefined) return new Response(null, { status, headers });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export function refusalAnswer({ status, detail, code, retryAfter }: Refusal): Response {
  return answer(
    status,
    { detail, ...(code !== undefined && { error_code: code }) },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  );
}

/** A response that is a file. */
export function fileAnswer(bytes: Uint8Array | string, type: string, fileName: string): Response {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const named = `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  const headers = { 'content-type': type, 'content-disposition': named };
  return new Response(bytes as Uint8Array<ArrayBuffer> | string, { headers });
}

/** A page of entries in the order of their changes, the last one first, with a cursor in X-Next-Cursor. */
export function pageAnswer<T>(
  all: readonly { change: number; value: T }[],
  query: DoubleRequest['query'],
  mostOfPage = 50,
): Response {
  const before = query['cursor'] === undefined ? Number.POSITIVE_INFINITY : Number(query['cursor']);
  if (Number.isNaN(before))
    throw new Refused(422, [
      { loc: ['query', 'cursor'], msg: 'not a cursor of this listing', type: 'custom' },
    ]);
  const rest = all.filter(({ change }) => change < before).sort((a, b) => b.change - a.change);
  const page = rest.slice(0, Number(query['limit'] ?? mostOfPage));
  const last = page.at(-1);
  return answer(
    200,
    page.map(({ value }) => value),
    last && rest.length > page.length ? { 'x-next-cursor': String(last.change) } : {},
  );
}

/** 32 hexadecimal characters. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
