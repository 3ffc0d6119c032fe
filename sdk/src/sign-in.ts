import { withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { isServiceRefusal } from './failed-response.ts';
import type { CallOptions, Settings } from './options.ts';
import { MfaRequiredError, WorkspaceRequiredError } from './outcome-errors.ts';
import { type Rest, type RestRequest, resultOf } from './rest.ts';
import { type Call, createSend, type Send } from './send.ts';
import type { SessionGrants } from './session.ts';
import type {
  MfaChallenge,
  MfaConfirmation,
  MfaEnrollment,
  OAuth2TokenResponse,
  TokenEndpointResponse,
  Workspace,
} from './types.ts';

/** The prompt for a code. */
export type MfaPrompt = {
  challengeId: string;
  /** 1, and one more after each code that was wrong. */
  attempt: number;
} & (
  | {
      /** An authenticator code of an enrolled authenticator, or a recovery code. */
      method: 'totp';
    }
  /** The member has no authenticator: set it up with `enroll`, and return its first code. */
  | {
      /** The first code of a new authenticator. */
      method: 'totp_enroll';
      /** The data for the enrollment. */
      enroll: MfaEnrollment;
    }
);

/** Callbacks for the second factor. */
interface MfaCallbacks {
  /**
   * Returns an authenticator code of the member, or a recovery code. Called again after a wrong code, until the
   * service ends the challenge; if it throws, `auth.signIn` throws the same error.
   */
  onMfa?: ((prompt: MfaPrompt) => string | Promise<string>) | undefined;
  /**
   * Shows the recovery codes of an authenticator that was just enrolled; they are returned only this once. The
   * sign-in continues when it resolves.
   */
  onRecoveryCodes?: ((codes: string[]) => void | Promise<void>) | undefined;
}

/** The member who signs in. */
export interface SignInRequest {
  /** The member's email. */
  email: string;
  /** The member's password. */
  password: string;
  /** The workspace; the client's `tenantId` by default. */
  tenantId?: string | undefined;
  /** Recorded on the tokens; `translate:jobs` by default. */
  scope?: string | undefined;
}

/**
 * Callbacks of a sign-in. If a callback throws, `auth.signIn` throws the same error; `signal` ends the wait for it,
 * `timeout` does not.
 */
export interface SignInOptions extends CallOptions, MfaCallbacks {
  /** Selects one of the workspaces that email and password match; returns its `tenant_id`. */
  onWorkspaces?: ((workspaces: Workspace[]) => string | Promise<string>) | undefined;
}

/** Tokens, or the pending steps of the sign-in. */
export const signInResult = ['access_token', 'mfa_required', 'tenant_selection_required'] as const;

const passwordCall: Call = { name: 'auth.signIn', repeatable: false, result: signInResult };

export const tokenPath = '/api/oauth2/token';
export const mfaPath = '/api/auth/mfa';

/** Sends a request without a credential, and returns only the result. */
type Ask = <T>(call: Call, request: RestRequest, options: CallOptions | undefined) => Promise<T>;

const askBy =
  (rest: Rest, send: Send): Ask =>
  async (call, request, options) =>
    (await send(call, (attempt) => rest.json(request, attempt, resultOf<never>(call)), options)).data;

/** Repeatable with its retry key. */
const refreshCall: Call = { name: 'auth refresh', repeatable: true, result: ['access_token'] };
const checkCall: Call = { name: 'auth refresh (check)', repeatable: true, result: ['user'] };

/** Milliseconds of one attempt. A refresh translates nothing, and every call waits for it. */
const maxRefreshMs = 10_000;

/** The requests of a session. They belong to no single call, so they ignore the signals and deadlines of callers. */
export function sessionGrants(rest: Rest, settings: Settings): SessionGrants {
  const options = { timeout: Math.min(settings.timeout, maxRefreshMs) };
  return {
    refresh(refresh_token, retry_key) {
      const form = { grant_type: 'refresh_token', refresh_token, retry_key };
      const ask = askBy(rest, createSend(settings));
      return ask(refreshCall, { method: 'POST', path: tokenPath, form }, options);
    },
    async accepts(accessToken) {
      const ask = askBy(rest, createSend({ ...settings, accessToken, tenantId: undefined }));
      return ask(checkCall, { method: 'GET', path: '/api/auth/me' }, options).then(
        () => true,
        (error) => !isServiceRefusal(error),
      );
    },
  };
}

/** Exchanges a password for tokens. */
export async function signIn(
  rest: Rest,
  send: Send,
  { email, password, tenantId, scope }: SignInRequest,
  options: SignInOptions,
): Promise<OAuth2TokenResponse> {
  const ask = askBy(rest, send);
  const grant = (tenant_id: string | undefined) => {
    const form = { grant_type: 'password', username: email, password, tenant_id, scope };
    return ask<TokenEndpointResponse>(passwordCall, { method: 'POST', path: tokenPath, form }, options);
  };

  let answer = await grant(tenantId);
  if ('tenant_selection_required' in answer) {
    const { tenants } = answer;
    const { onWorkspaces, signal } = options;
    if (!onWorkspaces) throw new WorkspaceRequiredError(tenants);
    answer = await grant(await waitFor(() => onWorkspaces(tenants), signal));
    if ('tenant_selection_required' in answer) throw new WorkspaceRequiredError(answer.tenants);
  }
  return 'mfa_required' in answer ? passChallenge(ask, answer.mfa_challenge, options) : answer;
}

/** Not repeatable: a code is accepted once, and a wrong one counts as an attempt. */
const verifyCall: Call = { name: 'auth.signIn (MFA code)', repeatable: false, result: ['access_token'] };
const confirmCall: Call = {
  name: 'auth.signIn (MFA confirmation)',
  repeatable: false,
  result: ['recovery_codes'],
};
/** Repeatable: a new secret replaces one whose response was lost. */
const enrollCall: Call = { name: 'auth.signIn (MFA enrollment)', repeatable: true, result: ['secret'] };

/** Passes a challenge and returns its tokens. @throws MfaRequiredError if a callback is missing */
async function passChallenge(
  ask: Ask,
  challenge: MfaChallenge,
  options: CallOptions & MfaCallbacks,
): Promise<OAuth2TokenResponse> {
  const post = <T>(call: Call, step: string, json: object) =>
    ask<T>(call, { method: 'POST', path: `${mfaPath}/${step}`, json }, options);
  const { onMfa, onRecoveryCodes, signal } = options;
  const { challenge_id, method } = challenge;
  if (!onMfa) throw new MfaRequiredError('onMfa', challenge);
  const askCode = (prompt: MfaPrompt) => waitFor(() => onMfa(prompt), signal);

  if (method === 'totp')
    return untilRight(async (attempt) => {
      const mfa_code = await askCode({ challengeId: challenge_id, attempt, method });
      return () => post<OAuth2TokenResponse>(verifyCall, 'verify', { challenge_id, mfa_code });
    });

  // Check before enrolling: the recovery codes are returned only once.
  if (!onRecoveryCodes) throw new MfaRequiredError('onRecoveryCodes', challenge);
  const enroll = await post<MfaEnrollment>(enrollCall, 'enroll', { challenge_id });
  const { recovery_codes, token } = await untilRight(async (attempt) => {
    const mfa_code = await askCode({ challengeId: challenge_id, attempt, method, enroll });
    return () => post<MfaConfirmation>(confirmCall, 'confirm', { challenge_id, mfa_code });
  });
  await waitFor(() => onRecoveryCodes(recovery_codes), signal);
  if (!token) throw new LinguaLoopError({ status: 200, detail: 'the confirmed challenge returned no token' });
  return token;
}

/** Prompts for codes until one is correct or another error occurs. */
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

/** Waits for a callback's result without a deadline, since a person may take long. The caller's signal ends the wait. */
function waitFor<T>(callback: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return withDeadline(async () => callback(), Number.POSITIVE_INFINITY, signal);
}
