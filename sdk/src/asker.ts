import { Answer, errorOfAnswer } from './answer.ts';
import type { LinguaLoopError } from './errors.ts';
import { isServiceRefusal } from './refusal.ts';
import { unwrap } from './rpc.ts';
import type { Session } from './session.ts';
import { isSameMember, type Tokens } from './tokens.ts';

/** Makes an attempt as whoever asks, given the access token of the session where there is one. */
export type AskAs = <T>(
  attempt: (sessionToken: string | undefined) => Promise<T>,
  lastFailure: LinguaLoopError | undefined,
) => Promise<T>;

/** Who asks in one call: the signed-in member, or else whoever the options name; in each attempt the same one. */
export function askerOf(session: Session, tenantId: string | undefined): AskAs {
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
  return answer instanceof Answer && isServiceRefusal(errorOfAnswer(answer));
}
