import { errorOf } from './attempt-error.ts';
import { pause, withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { errorOfResponse, FailedResponse, isServiceRefusal } from './failed-response.ts';
import { requestHeaders } from './headers.ts';
import type { CallOptions, Settings } from './options.ts';
import { delayBeforeRetry } from './retry.ts';
import { type CallContext, unwrap } from './rpc.ts';
import type { Session } from './session.ts';
import { isSameMember, type Tokens } from './tokens.ts';

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

/** @param session sends as its member, where one is signed in; else as the options say */
export function createSend(settings: Settings, session?: Session): Send {
  const headersOf = requestHeaders(settings);
  return async (call, attempt, options = {}) => {
    const { signal, requestId, maxRetries = settings.maxRetries } = options;
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs * (call.texts ?? 1);
    const askAs = session && createSendAs(session, settings.tenantId);
    let failure: LinguaLoopError | undefined;
    const once = (stop: AbortSignal) => {
      const attemptWith = async (sessionToken: string | undefined) => {
        const headers = await headersOf(requestId, sessionToken);
        // The call may have ended while it waited for a credential.
        stop.throwIfAborted();
        return attempt({ signal: stop, context: { headers, onHeaders: call.onHeaders } });
      };
      return askAs ? askAs(attemptWith, failure) : attemptWith(undefined);
    };

    for (let retries = 0; ; retries += 1) {
      try {
        return await withDeadline(once, timeoutMs, signal);
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        const error = errorOf(thrown, call.name, timeoutMs);
        // What was such an error already was no answer to this call: it is a token source's, or the session's.
        if (!(error instanceof LinguaLoopError) || error === thrown) throw error;
        const delay = delayBeforeRetry(
          error,
          { repeatable: call.repeatable, retries, maxRetries },
          settings.backoff,
        );
        if (delay === null) throw error;
        failure = error;
        await pause(delay, signal);
      }
    }
  };
}

/** Makes an attempt as whoever asks, given the access token of the session where there is one. */
type SendAs = <T>(
  attempt: (sessionToken: string | undefined) => Promise<T>,
  lastFailure: LinguaLoopError | undefined,
) => Promise<T>;

/** Who asks in one call: the signed-in member, or else whoever the options name; in each attempt the same one. */
function createSendAs(session: Session, tenantId: string | undefined): SendAs {
  let asker: Tokens | null | undefined;
  let renewed = false;
  return async (attempt, lastFailure) => {
    const tokens = await session.current();
    // Signed out or in meanwhile: what one member began is not sent again as another, nor as the API key.
    if (lastFailure && asker !== undefined && !isSameMember(asker, tokens)) throw lastFailure;
    asker = tokens;
    if (!tokens) return attempt(undefined);
    try {
      return await attempt(tokens.access_token);
    } catch (thrown) {
      // Of another tenant than the options', a good token is refused too.
      const pinnedElsewhere = tenantId && tenantId !== tokens.user.tenant_id;
      if (renewed || pinnedElsewhere || !isRefused(thrown)) throw thrown;
      renewed = true;
      const fresh = await session.renew(tokens);
      if (!fresh || !isSameMember(fresh, tokens)) throw thrown;
      return attempt(fresh.access_token);
    }
  };
}

/** Whether the service refused the access token that an attempt was made with: that is its 401 to a signed-in member. */
function isRefused(thrown: unknown): boolean {
  const answer = unwrap(thrown);
  return answer instanceof FailedResponse && isServiceRefusal(errorOfResponse(answer));
}
