import type { MfaChallenge, Workspace } from '#sdk/types.ts';
import type { Issued } from '../../session/keeper.ts';

/** The service's response to a step of a sign-in. */
export type SignInAnswer =
  /** Tokens. `tenant_api_key` is set if a single sign-on created the workspace. */
  | (Issued & { tenant_api_key?: string | null })
  | { mfa_required: true; mfa_challenge: MfaChallenge }
  | { tenant_selection_required: true; tenants: Workspace[] }
  /** A sign-up. */
  | { tenant_api_key: string | null; token?: Issued; mfa_challenge?: MfaChallenge }
  /** The result of an enrollment that a sign-in required. */
  | { enrolled: true; recovery_codes: string[]; token?: Issued };

/** The next step of a sign-in. Steps that show secrets come before the last step, after which the screen is left. */
export type Step =
  | { kind: 'workspace'; tenants: Workspace[] }
  | { kind: 'code'; challenge: MfaChallenge }
  | { kind: 'enrolment'; challenge: MfaChallenge }
  | { kind: 'api_key'; apiKey: string; then: Step }
  | { kind: 'recovery_codes'; codes: string[]; then: Step }
  | { kind: 'end'; issued: Issued };

/** Determines the step that follows a response. */
export function stepAfter(answer: SignInAnswer): Step {
  if ('tenant_selection_required' in answer) return { kind: 'workspace', tenants: answer.tenants };
  const then = stepBehindSecrets(answer);
  if ('recovery_codes' in answer) return { kind: 'recovery_codes', codes: answer.recovery_codes, then };
  if ('tenant_api_key' in answer && answer.tenant_api_key)
    return { kind: 'api_key', apiKey: answer.tenant_api_key, then };
  return then;
}

function stepBehindSecrets(answer: Exclude<SignInAnswer, { tenants: Workspace[] }>): Step {
  if ('access_token' in answer) {
    const { tenant_api_key: _, ...issued } = answer;
    return { kind: 'end', issued };
  }
  if ('token' in answer && answer.token) return { kind: 'end', issued: answer.token };
  if ('mfa_challenge' in answer && answer.mfa_challenge) {
    const { mfa_challenge: challenge } = answer;
    return { kind: challenge.method === 'totp' ? 'code' : 'enrolment', challenge };
  }
  throw new Error('the response to the sign-in has neither tokens nor a challenge');
}
