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

/** A method's description of its call. */
export interface Call {
  /** The name that the caller uses: `translations.create`. */
  name: string;
  /** Whether sending it again is safe: a read, or a call with an idempotency key. */
  repeatable: boolean;
  /**
   * Members of which every result has one, to distinguish it from JSON of a proxy or a portal; `length` of a list.
   */
  result?: readonly string[];
  /** Whether its result is a job, or several, whose warnings are logged. */
  warns?: true;
  /** Whether the service may accept it without a credential. Default: no. */
  open?: true;
  /** The number of texts that the service translates in sequence before it responds. Default: 1. */
  texts?: number;
}

/** The options of one attempt. */
export interface Attempt {
  signal: AbortSignal;
  headers: RequestHeaders;
  call: string;
  /** From 1. */
  number: number;
  /** Its timeout in milliseconds. */
  timeoutMs: number;
}

/** Makes the attempts of one call, and returns its result or throws its error. */
export type Send = <T>(
  call: Call,
  attempt: (options: Attempt) => Promise<T>,
  options: CallOptions | undefined,
) => Promise<T>;

/** @param session sends as its member if one is signed in, otherwise with the credentials of the options */
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
        // The call may have ended while it waited for a credential.
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
        // An error that is already a LinguaLoopError is not a response to this call: it comes from a token source or
        // the session.
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
 * Rejects a call without a credential, before anything is sent. There may be other credentials: a page's cookie, a
 * header, a caller's own `fetch`. If tokens are stored, the service reports that they have ended.
 */
function requireCredential({ name }: Call, settings: Settings, options: CallOptions): void {
  const { apiKey, accessToken, tokens, isOwnFetch } = settings;
  if (apiKey || accessToken || tokens || !isOwnFetch || 'document' in globalThis) return;
  const headers = Object.keys({ ...settings.headers, ...options.headers });
  if (headers.some((header) => /^(authorization|x-api-key|cookie)$/i.test(header))) return;
  const detail = `${name} needs a credential, so nothing was sent: set apiKey or LINGUALOOP_API_KEY, or call auth.signIn`;
  throw new AuthenticationError({ status: 401, detail });
}

/** Makes an attempt with the access token of the session, if there is one. */
type SendAs = <T>(
  attempt: (sessionToken: string | undefined) => Promise<T>,
  lastFailure: LinguaLoopError | undefined,
) => Promise<T>;

/** Sends every attempt of one call as the same caller: the signed-in member, or the one that the options name. */
function createSendAs(session: Session, tenantId: string | undefined): SendAs {
  let asker: Tokens | null | undefined;
  let renewed = false;
  return async (attempt, lastFailure) => {
    const tokens = await session.current();
    // The member has changed since: do not repeat a member's call as another member, or with the API key.
    if (lastFailure && asker !== undefined && !isSameMember(asker, tokens)) throw lastFailure;
    asker = tokens;
    if (!tokens) return attempt(undefined);
    try {
      return await attempt(tokens.access_token);
    } catch (thrown) {
      // If the options name another tenant, the service rejects a valid token too.
      const pinnedElsewhere = tenantId && tenantId !== tokens.user.tenant_id;
      if (renewed || pinnedElsewhere || !isRefused(thrown)) throw thrown;
      renewed = true;
      const fresh = await session.renew(tokens);
      if (!fresh || !isSameMember(fresh, tokens)) throw thrown;
      return attempt(fresh.access_token);
    }
  };
}

/** Whether the service rejected the access token of an attempt: its own 401 for a signed-in member. */
function isRefused(thrown: unknown): boolean {
  return thrown instanceof FailedResponse && isServiceRefusal(errorOfResponse(thrown));
}
