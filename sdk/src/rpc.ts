import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import superjson from 'superjson';
import type { AppRouter } from '../../server/router.ts';
import { Answer } from './answer.ts';
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

/** The connection failed before a whole answer had come. */
export class NoAnswer {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Opens the typed door at `url`. The service takes one call a request, hence no batches. */
export function createRpc(url: string, fetch: Fetch): Rpc {
  return createTRPCClient<AppRouter>({
    links: [
      showHeaders,
      httpLink({
        url,
        transformer: {
          serialize: superjson.serialize,
          // The answer is parsed for this call alone, so nobody needs a copy of it.
          deserialize: (value) => superjson.deserialize(value, { inPlace: true }),
        },
        headers: ({ op }) => (op.context as CallContext).headers,
        fetch: (address, init) => exchange(fetch, String(address), init as RequestInit),
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
async function exchange(fetch: Fetch, url: string, init: RequestInit) {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string;
  try {
    // A redirect is not followed: it would take the key to another address, or turn a POST into a GET.
    response = await fetch(url, { ...init, redirect: 'manual' });
    text = await response.text();
  } catch (cause) {
    throw new NoAnswer(cause);
  }
  const { ok, status, headers } = response;
  const body = parse(text);
  if (!ok || !isResult(body)) throw new Answer(status, headers, body);
  return { ok, headers, json: async () => body };
}

function isResult(body: unknown): boolean {
  const data = (body as { result?: { data?: unknown } } | null)?.result?.data;
  return typeof data === 'object' && data !== null && 'json' in data;
}

/** The text's JSON, or the text itself where it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
