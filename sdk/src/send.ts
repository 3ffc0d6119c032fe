import { Answer, errorOfAnswer } from './answer.ts';
import { Expired, pause, withDeadline } from './deadline.ts';
import { ConnectionError, LinguaLoopError, TimeoutError } from './errors.ts';
import { NoAnswer } from './exchange.ts';
import { requestHeaders } from './headers.ts';
import type { CallOptions, Settings } from './options.ts';
import { delayBeforeRetry } from './retry.ts';
import { type CallContext, unwrap } from './rpc.ts';
import { neverSent } from './unsent.ts';

/** What a method knows of its call. */
export interface Call {
  /** As the caller writes it: `translations.create`. */
  name: string;
  /** Whether a second sending does no work twice: a read, or a call with an idempotency key. */
  repeatable: boolean;
  /** How many texts the service translates one after the other before it answers; 1 unless told. */
  texts?: number;
  onHeaders?: CallContext['onHeaders'];
}

/** What one attempt is made with. */
export interface Attempt {
  signal: AbortSignal;
  context: CallContext;
}

/** Makes the attempts of one call, and answers its result or throws its error. */
export type Send = <T>(
  call: Call,
  attempt: (options: Attempt) => Promise<T>,
  options: CallOptions | undefined,
) => Promise<T>;

export function createSend(settings: Settings): Send {
  const headersFor = requestHeaders(settings);
  return async (call, attempt, options = {}) => {
    const { signal, requestId, maxRetries = settings.maxRetries } = options;
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs * (call.texts ?? 1);
    const once = async (stop: AbortSignal) =>
      attempt({ signal: stop, context: { headers: await headersFor(requestId), onHeaders: call.onHeaders } });

    for (let retries = 0; ; retries += 1) {
      try {
        return await withDeadline(once, timeoutMs, signal);
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        const error = errorOf(thrown, call.name, timeoutMs);
        if (!(error instanceof LinguaLoopError)) throw error;
        const delay = delayBeforeRetry(
          error,
          { repeatable: call.repeatable, retries, maxRetries },
          settings.backoff,
        );
        if (delay === null) throw error;
        await pause(delay, signal);
      }
    }
  };
}

/** The public error for what an attempt threw; what is no failed exchange (a token source's error) stays as it is. */
function errorOf(thrown: unknown, call: string, timeoutMs: number): unknown {
  if (thrown instanceof Expired) return new TimeoutError(call, timeoutMs);
  const failure = unwrap(thrown);
  if (failure instanceof Answer) return errorOfAnswer(failure);
  if (!(failure instanceof NoAnswer)) return failure;
  const { cause } = failure;
  return new ConnectionError(`${call}: no answer: ${describe(cause)}`, {
    maybeSent: !neverSent(cause),
    cause,
  });
}

/** Node's fetch says "fetch failed" and keeps the reason in `cause`; of several addresses tried, only a code. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause instanceof Error) return describe(cause.cause);
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}
