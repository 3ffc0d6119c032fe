import { UpstreamFailure } from './upstream-failure.ts';

/** Maximum milliseconds of a timer; Node fires a longer one immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns the milliseconds of a timeout, which a timer can have. */
export const timerMs = (seconds: number): number => Math.min(Math.ceil(seconds * 1000), maxTimerMs);

/**
 * Makes a call to the endpoint of a model, and aborts it if the signal aborts or the time has passed. The timeouts of
 * client packages do not cover the body of an error response. AbortSignal.any is not used, because it would keep the
 * timer of each call until it fires.
 * @param classify returns the failure for what the call throws
 * @throws {UpstreamFailure}
 */
export async function callWithin<T>(
  ms: number,
  signal: AbortSignal | undefined,
  classify: (thrown: unknown) => UpstreamFailure,
  call: (cut: AbortSignal) => Promise<T>,
): Promise<T> {
  const cut = new AbortController();
  const stop = (): void => cut.abort();
  const timer = setTimeout(stop, ms);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await call(cut.signal);
  } catch (thrown) {
    throw classify(thrown);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Maximum bytes of a decompressed response: many times more than the response to any request needs. */
const maxResponseBytes = 8_000_000;

/**
 * A `fetch` for an endpoint that is not trusted. It cuts off a response that is too long after decompression. It does
 * not follow redirects, because they would send the API key to another URL.
 */
export async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= maxResponseBytes) controller.enqueue(chunk);
        else controller.error(new UpstreamFailure('malformed', 'the response of the endpoint is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}

type ErrorClass<T extends Error = Error> = abstract new (...given: never[]) => T;

/** The error classes of a client package. The last three are subclasses of the first, but without a status. */
interface ErrorClasses<T extends Error> {
  APIError: ErrorClass<T>;
  APIConnectionError: ErrorClass;
  APIConnectionTimeoutError: ErrorClass;
  APIUserAbortError: ErrorClass;
}

/**
 * Classifies an error that a client package threw.
 * @param classifyStatus classifies the errors with a status
 */
export function classifyThrown<T extends Error>(
  thrown: unknown,
  { APIError, APIConnectionError, APIConnectionTimeoutError, APIUserAbortError }: ErrorClasses<T>,
  classifyStatus: (error: T) => UpstreamFailure,
): UpstreamFailure {
  if (thrown instanceof UpstreamFailure) return thrown;
  if (thrown instanceof Error && thrown.cause instanceof UpstreamFailure) return thrown.cause;
  // An abort is caused by the timeout of `callWithin`.
  if (thrown instanceof APIUserAbortError || thrown instanceof APIConnectionTimeoutError)
    return new UpstreamFailure('outage', 'the endpoint did not respond in time', { timedOut: true });
  if (thrown instanceof APIConnectionError)
    return new UpstreamFailure('outage', 'the endpoint cannot be reached', {
      code: networkCode(thrown.cause),
    });
  if (thrown instanceof APIError) return classifyStatus(thrown);
  if (thrown instanceof SyntaxError)
    return new UpstreamFailure('malformed', 'the response of the endpoint is not JSON');
  // A TypeError with a cause means that the body was incomplete. A TypeError without a cause was thrown before
  // anything was sent.
  if (thrown instanceof TypeError && thrown.cause instanceof Error)
    return new UpstreamFailure('outage', 'the response of the endpoint is incomplete', {
      code: networkCode(thrown.cause),
    });
  return new UpstreamFailure('misconfigured', 'the request could not be sent to the endpoint');
}

/** Returns the system's code for a failed connection, such as ECONNREFUSED. Its depth in the chain of causes varies. */
function networkCode(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return errorWord(code);
  }
  return undefined;
}

/**
 * Returns the value if it is an error code. Undefined for longer texts, which may be a sentence that quotes the
 * request.
 */
export function errorWord(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}
