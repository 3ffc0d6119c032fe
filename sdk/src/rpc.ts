import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import superjson from 'superjson';
import type { AppRouter } from '../../server/router.ts';
import { exchange, parse } from './exchange.ts';
import { FailedResponse } from './failed-response.ts';
import type { RequestHeaders } from './headers.ts';
import type { Fetch } from './options.ts';

/** The typed client of the service's procedures: one HTTP request a call, no retries, tRPC's own errors. */
export type Rpc = TRPCClient<AppRouter>;

/** What travels with a call through the links. A type, not an interface: tRPC wants an index signature. */
export type CallContext = {
  headers: RequestHeaders;
  /** Is shown the headers of a successful answer. */
  onHeaders?: ((headers: Pick<Headers, 'get'>) => void) | undefined;
};

/** Opens the typed door at `url`. The service takes one call a request, hence no batches. */
export function createRpc(url: string, fetch: Fetch): Rpc {
  return createTRPCClient<AppRouter>({
    links: [
      showHeaders,
      httpLink({
        url,
        transformer: {
          // Inputs are plain JSON. superjson would mark an object that stands at two places (the same targets for each
          // text of a batch), and the service takes no marks.
          serialize: (input) => (input === undefined ? undefined : { json: input }),
          // The answer is parsed for this call alone, so nobody needs a copy of it.
          deserialize: (value) => superjson.deserialize(value, { inPlace: true }),
        },
        headers: ({ op }) => (op.context as CallContext).headers,
        fetch: (address, init) => call(fetch, String(address), init as RequestInit),
      }),
    ],
  });
}

/** What a failed call really threw: tRPC wraps it. */
export function unwrap(thrown: unknown): unknown {
  return thrown instanceof TRPCClientError ? (thrown.cause ?? thrown) : thrown;
}

/**
 * Shows the answer's headers to the call. It does not pass on `complete`: tRPC's promise is settled by then, and
 * would abort a controller of its own, which costs a fifth of the whole call.
 */
const showHeaders: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        next(result) {
          const { onHeaders } = op.context as CallContext;
          onHeaders?.((result.context as { response: Response }).response.headers);
          observer.next(result);
        },
        error: (error) => observer.error(error),
      }),
    );

/** One request and its answer. Whatever is no result is thrown, as NoAnswer or Answer. */
async function call(fetch: Fetch, url: string, init: RequestInit) {
  const { ok, status, headers, text } = await exchange(fetch, url, init, async (response) => ({
    ok: response.ok,
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }));
  const body = parse(text);
  if (!ok || !isResult(body)) throw new FailedResponse(status, headers, body);
  return { ok, headers, json: async () => body };
}

function isResult(body: unknown): boolean {
  const data = (body as { result?: { data?: unknown } } | null)?.result?.data;
  return typeof data === 'object' && data !== null && 'json' in data;
}
