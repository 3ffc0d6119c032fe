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

/** Describes the code that the callback `onMfa` must return. */
export type MfaPrompt = {
  challengeId: string;
  /** The number of the attempt: 1 for the first, then one more after each wrong code. */
  attempt: number;
} & (
  | {
      /** The code must be a verification code of the member's authenticator app, or a recovery code. */
      method: 'totp';
    }
  /** The member has no authenticator app yet: set it up with the data in `enroll`, and return its first code. */
  | {
      /** The code must be the first code of a new authenticator app. */
      method: 'totp_enroll';
      /** The data to set up the authenticator app. */
      enroll: MfaEnrollment;
    }
);

/** Callbacks for MFA. */
interface MfaCallbacks {
  /**
   * Returns a verification code of the member's authenticator app, or a recovery code. It is called again after each
   * wrong code, until the service ends the challenge. If it throws, `auth.signIn` throws the same error.
   */
  onMfa?: ((prompt: MfaPrompt) => string | Promise<string>) | undefined;
  /**
   * Shows the recovery codes of an authenticator app that has just been enrolled. The service never returns them
   * again. The sign-in continues when the callback's promise resolves.
   */
  onRecoveryCodes?: ((codes: string[]) => void | Promise<void>) | undefined;
}

/** The member who signs in, and the workspace. */
export interface SignInRequest {
  /** The member's email. */
  email: string;
  /** The member's password. */
  password: string;
  /** The id of the workspace. Default: the client's `tenantId`. */
  tenantId?: string | undefined;
  /** The scope of the tokens, which is only recorded. Default: `translate:jobs`. */
  scope?: string | undefined;
}

/**
 * Options of a sign-in. If a callback throws, `auth.signIn` throws the same error. While a callback runs, `signal`
 * can end the call, but `timeout` does not.
 */
export interface SignInOptions extends CallOptions, MfaCallbacks {
  /** Called if email and password are valid in several workspaces. Returns the `tenant_id` of the one to select. */
  onWorkspaces?: ((workspaces: Workspace[]) => string | Promise<string>) | undefined;
}

/** Fields of the possible responses: tokens, or the next step of the sign-in. */
export const signInResult = ['access_token', 'mfa_required', 'tenant_selection_required'] as const;

const passwordCall: Call = { name: 'auth.signIn', repeatable: false, result: signInResult };

export const tokenPath = '/api/oauth2/token';
export const mfaPath = '/api/auth/mfa';

/** Sends a request without a credential and returns the result without its HTTP response. */
type Ask = <T>(call: Call, request: RestRequest, options: CallOptions | undefined) => Promise<T>;

const askBy =
  (rest: Rest, send: Send): Ask =>
  async (call, request, options) =>
    (await send(call, (attempt) => rest.json(request, attempt, resultOf<never>(call)), options)).data;

/** Repeatable, because the request has a retry key. */
const refreshCall: Call = { name: 'auth refresh', repeatable: true, result: ['access_token'] };
const checkCall: Call = { name: 'auth refresh (check)', repeatable: true, result: ['user'] };

/**
 * Timeout of one attempt, in milliseconds. It is short, because a refresh translates nothing and all calls wait for
 * it.
 */
const maxRefreshMs = 10_000;

/**
 * Returns the requests of a session. They do not belong to a single call, so the signals and timeouts of calls do not
 * apply to them.
 */
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

/** Exchanges email and password for tokens. */
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

/** Not repeatable: a code is accepted only once, and each wrong code counts as a failed attempt. */
const verifyCall: Call = { name: 'auth.signIn (MFA code)', repeatable: false, result: ['access_token'] };
const confirmCall: Call = {
  name: 'auth.signIn (MFA confirmation)',
  repeatable: false,
  result: ['recovery_codes'],
};
/** Repeatable: if a response is lost, the next call creates a new secret that replaces the lost one. */
const enrollCall: Call = { name: 'auth.signIn (MFA enrollment)', repeatable: true, result: ['secret'] };

/** Completes the MFA of a sign-in and returns the tokens. @throws MfaRequiredError if a callback is missing */
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

  // Check this before the enrollment: the service returns the recovery codes only once.
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

/** Asks for codes until one is correct, or until an error other than a wrong code occurs. */
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

/**
 * Waits for the result of a callback, without a timeout, because a person may take long. The caller's signal ends the
 * wait.
 */
function waitFor<T>(callback: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return withDeadline(async () => callback(), Number.POSITIVE_INFINITY, signal);
}
