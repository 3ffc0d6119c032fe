import { withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { isServiceRefusal } from './refusal.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import { MfaRequiredError } from './sign-in-errors.ts';
import type { MfaChallenge, MfaEnrollment, OAuth2TokenResponse } from './types.ts';

/** What a code is asked for. */
export type MfaPrompt = {
  challengeId: string;
  /** 1, and one more after each code that was wrong. */
  attempt: number;
} & (
  | { method: 'totp' }
  /** The member has no authenticator: it is to be set up with `enroll`, and its first code answered. */
  | { method: 'totp_enroll'; enroll: MfaEnrollment }
);

export interface MfaCallbacks {
  /**
   * Answers a code of the member's authenticator, or a recovery code. Asked again where it was wrong, until the service
   * ends the challenge; what it throws, `auth.signIn` throws.
   */
  onMfa?: ((prompt: MfaPrompt) => string | Promise<string>) | undefined;
  /**
   * Shows the recovery codes of an authenticator that was just enrolled, which the service tells this once. The sign-in
   * goes on when it is done.
   */
  onRecoveryCodes?: ((codes: string[]) => void | Promise<void>) | undefined;
}

/** A code counts once, and a wrong one counts too. */
const verifyCall: Call = { name: 'auth.signIn (MFA code)', repeatable: false };
const confirmCall: Call = { name: 'auth.signIn (MFA confirmation)', repeatable: false };
/** Another secret takes the place of one that nobody saw. */
const enrollCall: Call = { name: 'auth.signIn (MFA enrolment)', repeatable: true };

/** Goes from a challenge to the tokens behind it. @throws MfaRequiredError where a callback is missing */
export async function passChallenge(
  rpc: Rpc,
  send: Send,
  challenge: MfaChallenge,
  options: CallOptions & MfaCallbacks,
): Promise<OAuth2TokenResponse> {
  const { verifyMfa, enrollMfa, confirmMfa } = rpc.auth;
  const { onMfa, onRecoveryCodes, signal } = options;
  const { challenge_id, method } = challenge;
  if (!onMfa) throw new MfaRequiredError('onMfa', challenge);
  const ask = (prompt: MfaPrompt) => waitFor(() => onMfa(prompt), signal);

  if (method === 'totp')
    return untilRight(async (attempt) => {
      const mfa_code = await ask({ challengeId: challenge_id, attempt, method });
      return () => send(verifyCall, (to) => verifyMfa.mutate({ challenge_id, mfa_code }, to), options);
    });

  // Before anything is enrolled: the codes come once.
  if (!onRecoveryCodes) throw new MfaRequiredError('onRecoveryCodes', challenge);
  const enroll = await send(enrollCall, (to) => enrollMfa.mutate({ challenge_id }, to), options);
  const { recovery_codes, token } = await untilRight(async (attempt) => {
    const mfa_code = await ask({ challengeId: challenge_id, attempt, method, enroll });
    return () => send(confirmCall, (to) => confirmMfa.mutate({ challenge_id, mfa_code }, to), options);
  });
  await waitFor(() => onRecoveryCodes(recovery_codes), signal);
  if (!token) throw new LinguaLoopError({ status: 200, detail: 'the confirmed challenge brought no token' });
  return token;
}

/** Asks for codes until one is right, or something else is wrong than the code (A 3.4, C 2). */
async function untilRight<T>(ask: (attempt: number) => Promise<() => Promise<T>>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const submit = await ask(attempt);
    try {
      return await submit();
    } catch (error) {
      if (!isServiceRefusal(error) || error.detail !== 'invalid MFA code') throw error;
    }
  }
}

/** What a callback answers, however long a person takes; the caller's signal ends the wait. */
export function waitFor<T>(callback: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return withDeadline(async () => callback(), Number.POSITIVE_INFINITY, signal);
}
