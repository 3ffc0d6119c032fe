import { LinguaLoopError } from '#sdk/errors.ts';
import { deployment } from '../deployment.ts';

/** The service's response, or its error. */
export type SignInOutcome<T> = { ok: true; body: T } | { ok: false; error: LinguaLoopError };

/**
 * Sends a sign-in request to an endpoint below /signin, which keeps the refresh token in its cookie. The request is
 * never repeated: a code can be used only once, and a refresh is repeated by its caller with a retry key.
 * @throws LinguaLoopError with status null if there is no complete response
 */
export async function signInRequest<T>(path: string, body: object): Promise<SignInOutcome<T>> {
  return sameOriginRequest<T>(`/signin/${path}`, body);
}

/**
 * Like `signInRequest`, for an endpoint of the API that accepts the session cookie (enrollment) or needs no credential.
 */
export async function sameOriginRequest<T>(address: string, body: object): Promise<SignInOutcome<T>> {
  let response: Response;
  let answer: Awaited<ReturnType<Response['json']>>;
  try {
    response = await fetch(deployment.basePath + address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    answer = await response.json().catch((cause: unknown) => {
      // A successful response with an incomplete body counts as a lost response.
      if (response.ok) throw cause;
      return {};
    });
  } catch (cause) {
    throw new LinguaLoopError({ status: null, detail: 'the service could not be reached', cause });
  }
  if (response.ok) return { ok: true, body: answer as T };
  const { headers, status } = response;
  const error = new LinguaLoopError({
    status,
    detail: answer.detail ?? response.statusText,
    code: answer.error_code ?? null,
    requestId: headers.get('x-request-id'),
    retryAfter: Number(headers.get('retry-after')) || null,
    answeredBy: 'service',
  });
  return { ok: false, error };
}
