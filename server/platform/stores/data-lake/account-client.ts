import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpOperationResponse, IHttpClient, WebResource } from '@azure/storage-file-datalake';
import type { Dispatcher } from 'undici';
import { StoreError } from '../blob-store.ts';
import { refusedResponse, toStoreError } from './failures.ts';

interface AccountClientParts {
  /** `https://<account>.dfs.core.windows.net` */
  accountUrl: string;
  /** The URL to connect to in place of `accountUrl` (STORAGE_ENDPOINT_OVERRIDE). */
  base: string | undefined;
  /** A SAS token. It is added to the URL of each request when the request is sent, so that the package never has it. */
  sas: string | undefined;
  /** Texts that no error message may contain: the signature of the SAS token, or the key of the account. */
  secrets: readonly string[];
  connections: Dispatcher;
  /** Timeout of a request in milliseconds. For a body that is streamed, it applies to each wait for data. */
  timeout: number;
  /**
   * Milliseconds to wait before the second attempt. Before the third one, the wait is four times as long. Half of
   * each wait is random.
   */
  retryDelay: number;
}

/** Maximum attempts of a request. */
const maxAttempts = 3;
/** Maximum milliseconds of a Retry-After that is respected. */
const maxDelayMs = 3000;
/** Maximum bytes of a response that is not streamed. The longest is a page of a listing, with 5,000 names. */
const maxBufferedBytes = 16 * 1024 * 1024;

/**
 * Returns the client for all requests to one account. It connects to no other host, follows no redirects, and ignores
 * proxies in the environment. A request is repeated at most twice, if the connection fails or the response is 429 or
 * 5xx. An unsuccessful response becomes a `StoreError` here. So the package never creates its own errors, which
 * contain the request with its headers.
 */
export function accountClient(parts: AccountClientParts): IHttpClient {
  const origins = [parts.accountUrl, parts.accountUrl.replace('.dfs.', '.blob.')];
  return {
    async sendRequest(resource: WebResource): Promise<HttpOperationResponse> {
      const { origin, pathname, search } = new URL(resource.url);
      if (!origins.includes(origin))
        throw new StoreError('the URL is not one of this storage account', 'address_refused');
      const base = new URL(parts.base ?? origin);
      const query = parts.sas ? `${search ? `${search}&` : '?'}${parts.sas}` : search;
      const target = { origin: base.origin, path: base.pathname.replace(/\/$/, '') + pathname + query };
      for (let tried = 1; ; tried++) {
        try {
          return await sendOnce(resource, target, parts);
        } catch (error) {
          if (!(error instanceof Transient)) throw error;
          if (tried === maxAttempts) throw error.failure;
          const delay = error.retryAfter ?? parts.retryDelay * 4 ** (tried - 1) * (0.5 + Math.random());
          await sleep(Math.min(delay, maxDelayMs));
        }
      }
    },
  };
}

/** Codes of connection failures that are not retried, because they would happen again or the time is used up. */
const final = new Set(['address_refused', 'timeout']);

/** A failure after which a repeated request may succeed. */
class Transient extends Error {
  readonly failure: StoreError;
  /** Milliseconds to wait, if the response requests it. */
  readonly retryAfter: number | undefined;

  constructor(failure: StoreError, retryAfter?: number) {
    super();
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}

async function sendOnce(
  resource: WebResource,
  target: { origin: string; path: string },
  { connections, timeout, secrets }: AccountClientParts,
): Promise<HttpOperationResponse> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeout);
  try {
    const response = await connections.request({
      ...target,
      method: resource.method as Dispatcher.HttpMethod,
      headers: resource.headers.toJson({ preserveCase: true }),
      body: (resource.body ?? null) as Buffer | string | null,
      signal: deadline.signal,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
    const { statusCode: status, body } = response;
    if (status < 200 || status > 299) {
      const failure = refusedResponse(status, response.headers, await buffered(body), secrets);
      // 501 means that the service does not have the operation, so it is not retried.
      if ((status !== 429 && status < 500) || status === 501) throw failure;
      const seconds = Number(response.headers['retry-after']);
      throw new Transient(failure, seconds > 0 ? seconds * 1000 : undefined);
    }
    const answer = { request: resource, status, headers: headersFor(resource, response.headers) };
    if (!resource.streamResponseStatusCodes?.has(status))
      return { ...answer, bodyAsText: (await buffered(body)).toString('utf8') };
    // If a reader stops early, the body fails later, when no other listener exists.
    body.on('error', () => {});
    return { ...answer, readableStreamBody: body };
  } catch (error) {
    if (error instanceof StoreError || error instanceof Transient) throw error;
    if (deadline.signal.aborted)
      throw new StoreError(`no response within ${timeout / 1000} seconds`, 'timeout');
    const failure = toStoreError(error);
    throw final.has(failure.code) ? failure : new Transient(failure);
  } finally {
    clearTimeout(timer);
  }
}

async function buffered(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBufferedBytes) throw new StoreError('the response is too large', 'response_refused');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the headers as the package's class. The package does not export the constructor, so the headers of the
 * request are copied and their values replaced.
 */
function headersFor(resource: WebResource, from: Record<string, string | string[] | undefined>) {
  const headers = resource.headers.clone();
  for (const name of headers.headerNames()) headers.remove(name);
  for (const [name, value] of Object.entries(from)) if (value !== undefined) headers.set(name, String(value));
  return headers;
}
