import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import superjson from 'superjson';
import { exchange, parse } from '#sdk/exchange.ts';
import { FailedResponse } from '#sdk/failed-response.ts';
import type { RequestHeaders } from '#sdk/headers.ts';
import type { Fetch } from '#sdk/options.ts';
import type { AppRouter } from '#server/router.ts';

/** The typed client of the service's procedures: one HTTP request per call, no retries, tRPC's own errors. */
export type Rpc = TRPCClient<AppRouter>;

/** The context of a call in tRPC's links. A type, not an interface: tRPC requires an index signature. */
export type CallContext = {
  headers: RequestHeaders;
  /** Receives the headers of a successful response. */
  onHeaders?: ((headers: Pick<Headers, 'get'>) => void) | undefined;
};

/** Creates the client for `/trpc` at `url`. The service accepts one call per request, so there are no batches. */
export function createRpc(url: string, fetch: Fetch): Rpc {
  return createTRPCClient<AppRouter>({
    links: [
      showHeaders,
      httpLink({
        url,
        transformer: {
          // Inputs are plain JSON. superjson would annotate an object that occurs twice (the same targets for each text
          // of a batch), and the service rejects annotations.
          serialize: (input) => (input === undefined ? undefined : { json: input }),
          // The response is parsed for this call alone, so no copy is needed.
          deserialize: (value) => superjson.deserialize(value, { inPlace: true }),
        },
        headers: ({ op }) => (op.context as CallContext).headers,
        fetch: (address, init) => call(fetch, String(address), init as RequestInit),
      }),
    ],
  });
}

/** Unwraps the error that tRPC has wrapped. */
export function unwrap(thrown: unknown): unknown {
  return thrown instanceof TRPCClientError ? (thrown.cause ?? thrown) : thrown;
}

/**
 * Passes the response's headers to the call. It does not pass on `complete`: tRPC's promise is settled by then, and
 * tRPC would abort a controller of its own, which costs a fifth of the whole call.
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

/** Sends one request. Throws NoResponse or FailedResponse if there is no result. */
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
