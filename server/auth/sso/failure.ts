import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { AppError } from '#server/errors.ts';
import { ProviderUnreachable } from './outbound.ts';

/** Does what is asked of the provider. @throws AppError 503 or 401 (C 7), and nothing else */
export async function answering<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    const errors = chainOf(thrown);
    const unreachable = errors.find((error) => error instanceof ProviderUnreachable);
    if (unreachable)
      throw new AppError('transient_error', 'the identity provider cannot be reached; try again', {
        cause: unreachable,
      });
    throw new AppError('unauthenticated', 'single sign-on failed', {
      cause: new Error(errors.map(describe).join(': ')),
    });
  }
}

/** Whether the provider refused us, as against the code. */
export function isClientRefused(thrown: unknown): boolean {
  return (
    (thrown instanceof ResponseBodyError && thrown.error === 'invalid_client') ||
    (thrown instanceof WWWAuthenticateChallengeError && thrown.status === 401)
  );
}

/** An error and its causes, the library's own first. */
function chainOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = thrown; error instanceof Error && errors.length < 10; error = error.cause)
    errors.push(error);
  return errors;
}

/**
 * What may be logged of an error. The library's causes carry whole answers, tokens included, and a SyntaxError quotes
 * what it could not read: of the former only the words are taken, of the latter nothing.
 */
function describe(error: Error): string {
  if (error instanceof SyntaxError) return error.name;
  const words = error instanceof ResponseBodyError ? `${error.message} (${error.error})` : error.message;
  return words.slice(0, 200);
}
