import { type BodyReader, exchange, type Piece, parse, readBody } from './exchange.ts';
import { FailedResponse } from './failed-response.ts';
import type { RequestHeaders } from './headers.ts';
import type { Fetch } from './options.ts';
import type { Attempt } from './send.ts';

/** A request to the REST API, which alone carries files. */
export interface RestRequest {
  method: 'GET' | 'POST';
  /** The path after the service's address, with its query: `/api/translations?...`. */
  path: string;
  headers?: RequestHeaders;
  body?: NonNullable<RequestInit['body']>;
}

/** The REST API: one HTTP request per call. Throws NoResponse or FailedResponse if there is no result. */
export interface Rest {
  /** Sends a request whose result is a JSON array. */
  array(request: RestRequest, attempt: Attempt): Promise<unknown[]>;
  /** Sends a request whose result `read` makes from the response; undefined means that there is none. */
  result<T>(request: RestRequest, read: ReadResult<T>, attempt: Attempt): Promise<T>;
  /** Sends a request whose result is a download of the media type `type`. */
  download(request: RestRequest, type: string, attempt: Attempt): Promise<Download>;
  /** Begins a download of one of the media types `types`. The caller must read it to its end or cancel it. */
  beginDownload(request: RestRequest, types: readonly string[], attempt: Attempt): Promise<BegunDownload>;
}

/** Makes a result from a status and a parsed body; undefined if they are not one. */
export type ReadResult<T> = (status: number, body: unknown) => T | undefined;

export interface Download {
  bytes: Uint8Array<ArrayBuffer>;
  headers: Pick<Headers, 'get'>;
}

export interface BegunDownload {
  headers: Pick<Headers, 'get'>;
  /** Undefined if the body is empty. */
  firstPiece: Piece | undefined;
  /** The rest of the body. */
  body: BodyReader;
}

export function createRest(baseUrl: string, fetch: Fetch): Rest {
  const send = <T>(
    { method, path, headers, body }: RestRequest,
    { signal, context }: Attempt,
    read: (response: Awaited<ReturnType<Fetch>>) => Promise<T>,
  ): Promise<T> => {
    const init: RequestInit = { method, signal, headers: { ...context.headers, ...headers } };
    return exchange(fetch, `${baseUrl}${path}`, body === undefined ? init : { ...init, body }, read);
  };

  return {
    async array(request, attempt) {
      const received = await send(request, attempt, readResponse);
      if (received.status !== 200 || !Array.isArray(received.body)) throw received;
      return received.body;
    },
    async result(request, read, attempt) {
      const received = await send(request, attempt, readResponse);
      const found = read(received.status, received.body);
      if (found === undefined) throw received;
      return found;
    },
    async download(request, type, attempt) {
      const received = await send(request, attempt, async (response): Promise<Download | FailedResponse> => {
        const { status, headers } = response;
        if (status !== 200 || !isDownload(headers, [type])) return readResponse(response);
        return { bytes: new Uint8Array(await response.arrayBuffer()), headers };
      });
      if (received instanceof FailedResponse) throw received;
      return received;
    },
    async beginDownload(request, types, attempt) {
      const received = await send(
        request,
        attempt,
        async (response): Promise<BegunDownload | FailedResponse> => {
          const { status, headers } = response;
          if (status !== 200 || !isDownload(headers, types)) return readResponse(response);
          const body = readBody(response);
          const firstPiece = await body.read();
          // The attempt has ended meanwhile and `fetch` ignored that: nothing will read the body.
          if (attempt.signal.aborted) body.cancel();
          return { headers, firstPiece, body };
        },
      );
      if (received instanceof FailedResponse) throw received;
      return received;
    },
  };
}

async function readResponse(response: Awaited<ReturnType<Fetch>>): Promise<FailedResponse> {
  return new FailedResponse(response.status, response.headers, parse(await response.text()));
}

/** Whether the response is the download: a page from a proxy or a sign-in portal has neither the type nor the disposition. */
function isDownload(headers: Pick<Headers, 'get'>, types: readonly string[]): boolean {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return types.includes(type) && /^attachment\b/i.test(headers.get('content-disposition') ?? '');
}
