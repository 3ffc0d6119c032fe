import { type MfaCallbacks, passChallenge, waitFor } from './mfa.ts';
import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import { WorkspaceRequiredError } from './sign-in-errors.ts';
import type { OAuth2TokenResponse, Workspace } from './types.ts';

/** Who signs in. */
export interface SignInRequest {
  email: string;
  password: string;
  /** The workspace; the client's `tenantId` unless told. */
  tenantId?: string | undefined;
  /** Recorded on the tokens; `translate:jobs` unless told. */
  scope?: string | undefined;
}

/** Whom to ask on the way. What a callback throws, `auth.signIn` throws; `signal` ends the wait for it, `timeoutMs` does not. */
export interface SignInOptions extends CallOptions, MfaCallbacks {
  /** Chooses among the workspaces that address and password fit; answers its `tenant_id`. */
  onWorkspaces?: ((workspaces: Workspace[]) => string | Promise<string>) | undefined;
}

const passwordCall: Call = { name: 'auth.signIn', repeatable: false };

/** The way from a password to tokens (A 4.3). */
export async function signIn(
  rpc: Rpc,
  send: Send,
  { email, password, tenantId, scope }: SignInRequest,
  options: SignInOptions,
): Promise<OAuth2TokenResponse> {
  const grant = (tenant_id: string | undefined) => {
    const input = { grant_type: 'password', username: email, password, tenant_id, scope };
    return send(passwordCall, (to) => rpc.auth.token.mutate(input, to), options);
  };

  let answer = await grant(tenantId);
  if ('tenant_selection_required' in answer) {
    const { tenants } = answer;
    const { onWorkspaces, signal } = options;
    if (!onWorkspaces) throw new WorkspaceRequiredError(tenants);
    answer = await grant(await waitFor(() => onWorkspaces(tenants), signal));
    if ('tenant_selection_required' in answer) throw new WorkspaceRequiredError(answer.tenants);
  }
  return 'mfa_required' in answer ? passChallenge(rpc, send, answer.mfa_challenge, options) : answer;
}
