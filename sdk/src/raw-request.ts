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

/** What it carries. */
export interface RawRequestOptions extends CreateOptions {
  /** Added to the path, and to a query in it; members that are undefined or null are left out. */
  query?: object | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a form (application/x-www-form-urlencoded). */
  form?: object | undefined;
  /** Sent as it is; name its type in `headers`. */
  body?: ArrayBuffer | undefined;
}

/**
 * Sends requests of any kind. The result is the parsed body of a JSON response, the string of a `text/*` one, the bytes of any
 * other, or undefined if it is empty. One that reads, or has an idempotency key, is sent again like other calls; others only if the service
 * certainly did nothing.
 * @throws TypeError if the path does not begin with a slash
 */
export function rawRequest({ rest, run }: Connection) {
  return (
    method: RestRequest['method'],
    path: string,
    options: RawRequestOptions = {},
  ): ApiPromise<unknown> => {
    if (!path.startsWith('/') || path.startsWith('//'))
      throw new TypeError('the path must begin with one slash: it is of the service that baseUrl names');
    const { query, json, form, body, idempotencyKey } = options;
    const repeatable = method === 'GET' || idempotencyKey !== undefined;
    const call: Call = { name: `${method} ${path}`, repeatable, open: true };
    const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
    const request: RestRequest = { method, path, query, json, form, body, headers };
    return run(call, (attempt) => rest.raw(request, attempt), options);
  };
}
