import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { classifyThrown, errorWord } from '../chat/endpoint-http.ts';
import { readRetryAfter } from '../chat/rate-limit-retry-after.ts';
import { type FailureFacts, UpstreamFailure } from '../chat/upstream-failure.ts';

/**
 * Error codes for a rejected prompt. The endpoints that use them are Azure, OpenAI, OpenAI for its reasoning models,
 * and Alibaba.
 */
const contentPolicyCodes = [
  'content_filter',
  'content_policy_violation',
  'invalid_prompt',
  'data_inspection_failed',
];

/** Error codes with which a 429 does not end by waiting: the account has no credit, or was closed. */
const spentAccountCodes = ['insufficient_quota', 'billing_not_active', 'billing_hard_limit_reached'];

/** Error codes for a response that the endpoint (Groq) has discarded because it was not the requested JSON. */
const unstructuredCodes = ['json_validate_failed'];

/** Classifies an error that the client library threw. */
export const classify = (thrown: unknown): UpstreamFailure =>
  classifyThrown(
    thrown,
    { APIError, APIConnectionError, APIConnectionTimeoutError, APIUserAbortError },
    classifyStatus,
  );

function classifyStatus(error: APIError): UpstreamFailure {
  // Check both fields: OpenAI sets `code` to null if `type` contains the code, and other endpoints send a number in
  // `code`.
  const names = [error.code, error.type].map(errorWord).filter((name) => name !== undefined);
  const facts: FailureFacts = {
    status: error.status,
    code: names.find((name) => !/^\d+$/.test(name)),
    requestId: errorWord(error.requestID),
    retryAfterMs: error.headers && readRetryAfter(error.headers),
  };
  const status = error.status ?? 0;
  const named = (codes: string[]) => names.some((name) => codes.includes(name));

  const isFiltered = named(contentPolicyCodes);
  const isUnstructured = named(unstructuredCodes);

  if (!isFiltered && !isUnstructured && refusesFormat(error, status))
    return new UpstreamFailure('unsupported', 'the endpoint rejected the request', facts);
  if (status >= 500 || status === 408 || status === 409)
    return new UpstreamFailure('outage', 'the endpoint rejected the request', facts);
  if (isFiltered) return new UpstreamFailure('filtered', 'the endpoint rejected the request', facts);
  if (isUnstructured) return new UpstreamFailure('unstructured', 'the endpoint rejected the request', facts);
  if (status === 429 && !named(spentAccountCodes))
    return new UpstreamFailure('saturated', 'the endpoint rejected the request', facts);
  return new UpstreamFailure('misconfigured', 'the endpoint rejected the request', facts);
}

/**
 * Statuses with which endpoints reject a response format. Most send 400; checks by pydantic or serde send 422,
 * OpenRouter 404, and llama.cpp before 2025 500.
 */
const formatStatuses: readonly number[] = [400, 404, 422, 500, 501];

/** The names of the response format in messages of endpoints that reject it. */
const formatWords =
  /response[_ .-]?format|json[_ -]?(schema|object|mode)|structured[_ -]?output|guided[_ -]?(json|decoding)|grammar|requested parameters/i;

/** Other reasons for a rejection, in messages of endpoints that send no code for them. */
const otherWords =
  /context (length|window|size)|maximum (context|prompt|input)|too (long|large|many tokens)|model\b.{0,200}\b(not found|not exist)/is;

/**
 * Maximum characters of an error message that are searched, because some endpoints quote the request after their own
 * message.
 */
const wordsLength = 500;

/**
 * Whether the endpoint rejects the `response_format` of the request, judged by its message. The message may quote the
 * caller's text, so the result may be wrong. A wrong result only causes further requests with other formats.
 */
function refusesFormat(error: APIError, status: number): boolean {
  if (!formatStatuses.includes(status)) return false;
  const words = [error.param, error.message].filter((part) => typeof part === 'string').join(' ');
  const own = words.slice(0, wordsLength);
  return formatWords.test(own) && !otherWords.test(own);
}
