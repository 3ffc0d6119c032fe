import { type Answered, infoOf } from './api-promise.ts';
import { errorOf } from './attempt-error.ts';
import { Expired } from './deadline.ts';
import { observe, type RequestEvent, redacted } from './events.ts';
import { type BodyReader, exchange, type Piece, parse, readBody } from './exchange.ts';
import { FailedResponse } from './failed-response.ts';
import type { RequestHeaders } from './headers.ts';
import type { Fetch, Settings, UploadProgress } from './options.ts';
import type { Attempt, Call } from './send.ts';
import { uploadingFetch } from './uploading.ts';

/** A request to the API. */
export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the service's URL, for example `/api/translations`. */
  path: string;
  /** Added to the path as a query. Undefined and null members are omitted. */
  query?: object | undefined;
  headers?: RequestHeaders | undefined;
  /** The body, sent as JSON. */
  json?: unknown;
  /** The body, sent as a form. Undefined and null members are omitted. */
  form?: object | undefined;
  /** The body, sent as it is. */
  body?: ArrayBuffer | undefined;
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Sends HTTP requests to the API, one per call. Throws NoResponse or FailedResponse if there is no result. */
export interface Rest {
  /** Sends a request and returns the JSON of its response. */
  json<T>(request: RestRequest, attempt: Attempt, read: ReadResult<T>): Promise<Answered<T>>;
  /** Sends a request to which a successful response has no body. */
  done(request: RestRequest, attempt: Attempt): Promise<Answered<void>>;
  /** Calls a tRPC procedure that has no REST route. */
  procedure<T>(
    type: 'query' | 'mutation',
    name: string,
    input: object,
    attempt: Attempt,
  ): Promise<Answered<T>>;
  /** Sends a request and returns the body of its response, which must be a download of the media type `type`. */
  download(request: RestRequest, type: string, attempt: Attempt): Promise<Answered<Download>>;
  /** Opens a download that has one of the media types `types`. The caller must read it to its end or cancel it. */
  beginDownload(
    request: RestRequest,
    types: readonly string[],
    attempt: Attempt,
  ): Promise<Answered<BegunDownload>>;
  /** Sends a request, and returns any successful response. */
  raw(request: RestRequest, attempt: Attempt): Promise<Answered<unknown>>;
}

/** Creates a result from the status and the parsed body. Undefined if they are not a valid result. */
export type ReadResult<T> = (status: number, body: unknown) => T | undefined;

export interface Download {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Pick<Headers, 'get'>;
}

export interface BegunDownload {
  headers: Pick<Headers, 'get'>;
  /** The first piece of the body; undefined if the body is empty. */
  firstPiece: Piece | undefined;
  /** Reads the rest of the body. */
  body: BodyReader;
}

type Response = Awaited<ReturnType<Fetch>>;

export function createRest(settings: Settings): Rest {
  const send = createSender(settings);
  return {
    json: (request, attempt, read) =>
      send(request, attempt, async (response) => {
        const received = await readResponse(response);
        const data = read(received.status, received.body);
        return data === undefined ? received : { data, response: infoOf(response) };
      }),
    done: (request, attempt) =>
      send(request, attempt, async (response) =>
        response.status === 204 ? { data: undefined, response: infoOf(response) } : readResponse(response),
      ),
    procedure(type, name, input, attempt) {
      const path = `/trpc/${name}`;
      const request: RestRequest =
        type === 'query'
          ? { method: 'GET', path, query: { input: JSON.stringify({ json: input }) } }
          : { method: 'POST', path, json: { json: input } };
      return send(request, attempt, async (response) => {
        const received = await readResponse(response);
        const envelope = received.body as { result?: { data?: { json?: never } } } | null;
        const data = envelope?.result?.data;
        if (received.status !== 200 || typeof data !== 'object' || data === null || !('json' in data))
          return received;
        return { data: data.json, response: infoOf(response) };
      });
    },
    download: (request, type, attempt) =>
      send(request, attempt, async (response) => {
        const { status, headers } = response;
        if (status !== 200 || !isDownload(headers, [type])) return readResponse(response);
        const bytes = new Uint8Array(await response.arrayBuffer());
        return { data: { bytes, headers }, response: infoOf(response) };
      }),
    beginDownload: (request, types, attempt) =>
      send(request, attempt, async (response) => {
        const { status, headers } = response;
        if (status !== 200 || !isDownload(headers, types)) return readResponse(response);
        const body = readBody(response);
        const firstPiece = await body.read();
        // If the attempt has ended, but `fetch` ignored that, nothing will read the body.
        if (attempt.signal.aborted) body.cancel();
        return { data: { headers, firstPiece, body }, response: infoOf(response) };
      }),
    raw: (request, attempt) =>
      send(request, attempt, async (response) => {
        if (!response.ok) return readResponse(response);
        const bytes = new Uint8Array(await response.arrayBuffer());
        return { data: contentOf(bytes, typeOf(response.headers)), response: infoOf(response) };
      }),
  };
}

/** Returns functions that send requests, and that report each request and response to the observers. */
function createSender(settings: Settings) {
  const observers = observe(settings);

  async function send<T>(
    request: RestRequest,
    attempt: Attempt,
    read: (response: Response) => Promise<Answered<T> | FailedResponse>,
  ): Promise<Answered<T>> {
    const url = `${settings.baseUrl}${withQuery(request.path, request.query)}`;
    const { body, type } = bodyOf(request);
    const headers = {
      ...attempt.headers,
      ...(type !== undefined && { 'content-type': type }),
      ...request.headers,
    };
    const init: RequestInit = { method: request.method, signal: attempt.signal, headers };
    if (body !== undefined) init.body = body;
    const fetch = request.onUploadProgress
      ? uploadingFetch(settings, request.onUploadProgress)
      : settings.fetch;
    const event = observers.active && begin(request.method, url, headers, attempt);
    const finish = (status: number | null, requestId: string | null, error?: unknown) => {
      if (event)
        observers.response({
          ...event.of,
          ...event.end(),
          status,
          requestId,
          ...(error !== undefined && { error }),
        });
    };
    try {
      const received = await exchange(fetch, url, init, read);
      if (received instanceof FailedResponse) throw received;
      finish(received.response.status, received.response.requestId);
      return received;
    } catch (thrown) {
      const failed = thrown instanceof FailedResponse ? thrown : undefined;
      const { reason } = attempt.signal;
      const cause = !failed && attempt.signal.aborted ? reason : thrown;
      if (event)
        finish(
          failed?.status ?? null,
          failed?.headers.get('x-request-id') ?? null,
          cause instanceof Expired || cause === thrown
            ? errorOf(cause, attempt.call, attempt.timeoutMs)
            : cause,
        );
      throw thrown;
    }
  }

  /** Reports the start of a request. Returns a function that reports its end. */
  function begin(method: string, url: string, headers: RequestHeaders, attempt: Attempt) {
    const of: RequestEvent = {
      call: attempt.call,
      method,
      url,
      headers: redacted(headers),
      attempt: attempt.number,
    };
    observers.request(of);
    const began = performance.now();
    return { of, end: () => ({ durationMs: performance.now() - began }) };
  }

  return send;
}

async function readResponse(response: Response): Promise<FailedResponse> {
  return new FailedResponse(response.status, response.headers, parse(await response.text()));
}

/**
 * Returns a function that accepts a successful response as the call's result, if the body has one of the members that
 * the call names.
 */
export function resultOf<T>({ result = [] }: Call): ReadResult<T> {
  return (status, body) =>
    status >= 200 &&
    status < 300 &&
    typeof body === 'object' &&
    body !== null &&
    result.some((member) => member in body)
      ? (body as T)
      : undefined;
}

function withQuery(path: string, query: object | undefined): string {
  const encoded = new URLSearchParams(entriesOf(query)).toString();
  return encoded === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${encoded}`;
}

/** Returns the names and values as they are sent. A member of an object becomes `name.key`. */
function entriesOf(members: object = {}, prefix = ''): [string, string][] {
  return Object.entries(members).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    const path = `${prefix}${name}`;
    if (value instanceof Date) return [[path, value.toISOString()]];
    return Object.getPrototypeOf(value) === Object.prototype
      ? entriesOf(value, `${path}.`)
      : [[path, String(value)]];
  });
}

function bodyOf({ json, form, body }: RestRequest): {
  body?: string | ArrayBuffer | undefined;
  type?: string;
} {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form)
    return {
      body: new URLSearchParams(entriesOf(form)).toString(),
      type: 'application/x-www-form-urlencoded',
    };
  return { body };
}

/** Returns the body in the form that callers get: parsed JSON, a string or bytes. */
function contentOf(bytes: Uint8Array, type: string): unknown {
  if (bytes.length === 0) return undefined;
  const isJson = /[/+]json$/.test(type);
  if (!isJson && !type.startsWith('text/')) return bytes;
  const text = new TextDecoder().decode(bytes);
  return isJson ? parse(text) : text;
}

/** Returns the media type of a response, without parameters. */
function typeOf(headers: Pick<Headers, 'get'>): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Whether the response is the requested download. A page of a proxy or a sign-in portal has neither the media type
 * nor a Content-Disposition header.
 */
function isDownload(headers: Pick<Headers, 'get'>, types: readonly string[]): boolean {
  const type = typeOf(headers);
  if (!types.includes(type)) return false;
  return type === 'text/event-stream' || /^attachment\b/i.test(headers.get('content-disposition') ?? '');
}
