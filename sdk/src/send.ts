import { errorOf } from './attempt-error.ts';
import { pause, withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { observe } from './events.ts';
import { errorOfResponse, FailedResponse, isServiceRefusal } from './failed-response.ts';
import { type RequestHeaders, requestHeaders } from './headers.ts';
import type { CallOptions, Settings } from './options.ts';
import { delayBeforeRetry } from './retry.ts';
import type { Session } from './session.ts';
import { AuthenticationError } from './status-errors.ts';
import { isSameMember, type Tokens } from './tokens.ts';

/** The properties of a call that decide how it is sent. */
export interface Call {
  /** The name of the client's method, for example `translations.create`. */
  name: string;
  /** Whether it is safe to send the request again: for a read, or with an idempotency key. */
  repeatable: boolean;
  /**
   * Members of which every valid result has at least one; `length` for a list. They distinguish a result from JSON of
   * a proxy or a portal.
   */
  result?: readonly string[];
  /** Set if the result is one or several jobs whose warnings are logged. */
  warns?: true;
  /** Set if the service may accept the call without a credential. */
  open?: true;
  /** By how much the timeout of an attempt is longer than that of one text. Default: 1. */
  texts?: number;
}

/** The options of one attempt. */
export interface Attempt {
  signal: AbortSignal;
  headers: RequestHeaders;
  call: string;
  /** From 1. */
  number: number;
  /** Timeout of the attempt, in milliseconds. */
  timeoutMs: number;
}

/** Makes the attempts of one call, and returns its result or throws its error. */
export type Send = <T>(
  call: Call,
  attempt: (options: Attempt) => Promise<T>,
  options: CallOptions | undefined,
) => Promise<T>;

/**
 * @param session if a member is signed in, calls are sent as this member; otherwise with the credentials of the
 * options
 */
export function createSend(settings: Settings, session?: Session): Send {
  const headersOf = requestHeaders(settings);
  const observers = observe(settings);
  return async (call, attempt, options = {}) => {
    const { signal, maxRetries = settings.maxRetries } = options;
    const { maxRetryAfter } = settings;
    const timeoutMs = options.timeout ?? settings.timeout * (call.texts ?? 1);
    const askAs = session && createSendAs(session, settings.tenantId);
    let failure: LinguaLoopError | undefined;
    let number = 0;
    const once = (stop: AbortSignal) => {
      const attemptWith = async (sessionToken: string | undefined) => {
        if (session && sessionToken === undefined && !call.open) requireCredential(call, settings, options);
        const headers = await headersOf(options, sessionToken);
        // The call may have been ended while it waited for a credential.
        stop.throwIfAborted();
        number += 1;
        return attempt({ signal: stop, headers, call: call.name, number, timeoutMs });
      };
      return askAs ? askAs(attemptWith, failure) : attemptWith(undefined);
    };

    for (let retries = 0; ; retries += 1) {
      try {
        return await withDeadline(once, timeoutMs, signal);
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        const error = errorOf(thrown, call.name, timeoutMs);
        // Keep an error that is a LinguaLoopError already: it is from a token source or the session, not from a
        // response to this call.
        if (!(error instanceof LinguaLoopError) || error === thrown) throw error;
        const delay = delayBeforeRetry(
          error,
          { repeatable: call.repeatable, retries, maxRetries, maxRetryAfter },
          settings.backoff,
        );
        if (delay === null) throw error;
        observers.retry(call.name, error, delay);
        failure = error;
        await pause(delay, signal);
      }
    }
  };
}

/**
 * Throws if there is no credential, before anything is sent. Other credentials may exist that the SDK does not know:
 * a cookie of the page, a header, or those of the caller's own `fetch`. With a token store, the request is always sent,
 * so that the service reports whether the session has ended.
 */
function requireCredential({ name }: Call, settings: Settings, options: CallOptions): void {
  const { apiKey, accessToken, tokens, isOwnFetch } = settings;
  if (apiKey || accessToken || tokens || !isOwnFetch || 'document' in globalThis) return;
  const headers = Object.keys({ ...settings.headers, ...options.headers });
  if (headers.some((header) => /^(authorization|x-api-key|cookie)$/i.test(header))) return;
  const detail = `${name} needs a credential, so nothing was sent: set apiKey or LINGUALOOP_API_KEY, or call auth.signIn`;
  throw new AuthenticationError({ status: 401, detail });
}

/** Makes an attempt with the session's access token, if a member is signed in. */
type SendAs = <T>(
  attempt: (sessionToken: string | undefined) => Promise<T>,
  lastFailure: LinguaLoopError | undefined,
) => Promise<T>;

/**
 * Returns a function that sends all attempts of one call as the same caller: as the signed-in member, or with the
 * credentials of the options.
 */
function createSendAs(session: Session, tenantId: string | undefined): SendAs {
  let asker: Tokens | null | undefined;
  let renewed = false;
  return async (attempt, lastFailure) => {
    const tokens = await session.current();
    // Another member has signed in since, or the member has signed out. Do not repeat the call as another member or
    // with the API key.
    if (lastFailure && asker !== undefined && !isSameMember(asker, tokens)) throw lastFailure;
    asker = tokens;
    if (!tokens) return attempt(undefined);
    try {
      return await attempt(tokens.access_token);
    } catch (thrown) {
      // If the options name another tenant than the member's, the service rejects even a valid token.
      const pinnedElsewhere = tenantId && tenantId !== tokens.user.tenant_id;
      if (renewed || pinnedElsewhere || !isRefused(thrown)) throw thrown;
      renewed = true;
      const fresh = await session.renew(tokens);
      if (!fresh || !isSameMember(fresh, tokens)) throw thrown;
      return attempt(fresh.access_token);
    }
  };
}

/** Whether the service itself rejected the access token of an attempt with a 401. */
function isRefused(thrown: unknown): boolean {
  return thrown instanceof FailedResponse && isServiceRefusal(errorOfResponse(thrown));
}
