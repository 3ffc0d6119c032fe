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
  /** Added to the path, and to a query in it; undefined and null members are omitted. */
  query?: object | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form (application/x-www-form-urlencoded). */
  form?: object | undefined;
  /** Sent without conversion; set its type in `headers`. */
  body?: ArrayBuffer | undefined;
}

/**
 * Sends requests of any kind. The result is the parsed body of a JSON response, the string of a `text/*` one, the
 * bytes of any other, or undefined if it is empty. A read, or a request with an idempotency key, is sent again like
 * other calls; others only if the service certainly did nothing.
 * @throws TypeError if the path does not begin with a slash
 */
export function rawRequest({ rest, run }: Connection) {
  return (
    method: RestRequest['method'],
    path: string,
    options: RawRequestOptions = {},
  ): ApiPromise<unknown> => {
    if (!path.startsWith('/') || path.startsWith('//'))
      throw new TypeError('the path must begin with one slash; it is relative to baseUrl');
    const { query, json, form, body, idempotencyKey } = options;
    const repeatable = method === 'GET' || idempotencyKey !== undefined;
    const call: Call = { name: `${method} ${path}`, repeatable, open: true };
    const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
    const request: RestRequest = { method, path, query, json, form, body, headers };
    return run(call, (attempt) => rest.raw(request, attempt), options);
  };
}
