import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CreateOptions } from './options.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';

/** A request of any kind. */
export interface RawRequest {
  /** The HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
}

/** Options of a raw request. */
export interface RawRequestOptions extends CreateOptions {
  /** Added to the path, which may already have a query. Undefined and null members are omitted. */
  query?: object | undefined;
  /** The body, sent as JSON. */
  json?: unknown;
  /** The body, sent as a form (application/x-www-form-urlencoded). */
  form?: object | undefined;
  /** The body, sent as it is. Set its content type in `headers`. */
  body?: ArrayBuffer | undefined;
}

/**
 * Returns a function that sends any request. Its result is the body of the response: parsed if it is JSON, a string
 * if it is `text/*`, otherwise the bytes; undefined if it is empty. Reads and requests with an idempotency key are
 * retried like other calls. Other requests are retried only if the service certainly did nothing.
 * @throws TypeError if the path does not begin with a slash
 */
export function rawRequest({ rest, run }: Connection) {
  return (
    method: RestRequest['method'],
    path: string,
    options: RawRequestOptions = {},
  ): ApiPromise<unknown> => {
    if (!path.startsWith('/') || path.startsWith('//'))
      throw new TypeError('the path must begin with exactly one slash, because it is relative to baseUrl');
    const { query, json, form, body, idempotencyKey } = options;
    const repeatable = method === 'GET' || idempotencyKey !== undefined;
    const call: Call = { name: `${method} ${path}`, repeatable, open: true };
    const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
    const request: RestRequest = { method, path, query, json, form, body, headers };
    return run(call, (attempt) => rest.raw(request, attempt), options);
  };
}
