import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { type FailureFacts, UpstreamFailure } from './failure.ts';
import { readRetryAfter } from './pacing.ts';

/** Codes of a refused prompt: Azure's, OpenAI's, and OpenAI's for its reasoning models. */
const contentPolicyCodes = ['content_filter', 'content_policy_violation', 'invalid_prompt'];

/** Codes of a 429 that no waiting mends: the account has no money left, or was closed. */
const spentAccountCodes = ['insufficient_quota', 'billing_not_active', 'billing_hard_limit_reached'];

/** Names what the client library threw. */
export function classify(thrown: unknown): UpstreamFailure {
  if (thrown instanceof UpstreamFailure) return thrown;
  // The order matters: each of these is an APIError as well, without a status. An abort is our own timeout.
  if (thrown instanceof APIUserAbortError || thrown instanceof APIConnectionTimeoutError)
    return new UpstreamFailure('outage', 'timed out');
  if (thrown instanceof APIConnectionError)
    return new UpstreamFailure('outage', 'no connection', { code: networkCode(thrown.cause) });
  if (thrown instanceof APIError) return classifyStatus(thrown);
  if (thrown instanceof SyntaxError) return new UpstreamFailure('malformed', 'the body is not JSON');
  // A body that breaks off is a TypeError with a cause; one without was thrown before anything was sent.
  if (thrown instanceof TypeError && thrown.cause instanceof Error)
    return new UpstreamFailure('outage', 'the body broke off', { code: networkCode(thrown.cause) });
  return new UpstreamFailure('misconfigured', 'the request cannot be sent');
}

function classifyStatus(error: APIError): UpstreamFailure {
  // OpenAI itself leaves `code` null where `type` says it, and others put a number into `code`.
  const names = [error.code, error.type].map(word).filter((name) => name !== undefined);
  const facts: FailureFacts = {
    status: error.status,
    code: names.find((name) => !/^\d+$/.test(name)),
    requestId: word(error.requestID),
    retryAfterMs: error.headers && readRetryAfter(error.headers),
  };
  const status = error.status ?? 0;
  const named = (codes: string[]) => names.some((name) => codes.includes(name));

  if (status >= 500 || status === 408 || status === 409)
    return new UpstreamFailure('outage', 'refused', facts);
  if (named(contentPolicyCodes)) return new UpstreamFailure('filtered', 'refused', facts);
  if (status === 429 && !named(spentAccountCodes)) return new UpstreamFailure('saturated', 'refused', facts);
  return new UpstreamFailure('misconfigured', 'refused', facts);
}

/** The system's code for a failed connection (ECONNREFUSED), which sits at varying depths. */
function networkCode(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return word(code);
  }
  return undefined;
}

/** A name as programs write them; anything longer may be a sentence, and sentences quote. */
function word(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}
