import type { CallOptions, Settings } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { Session } from './session.ts';
import { type SignInOptions, type SignInRequest, signIn } from './sign-in.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import type {
  EmailSignupRequest,
  InviteSignupRequest,
  Me,
  OAuth2TokenResponse,
  SignupResponse,
} from './types.ts';

/** Signing up, in and out. */
export interface Auth {
  /**
   * Founds a workspace with its first administrator, or joins one by an invite. `tenant_api_key` is shown this once. It
   * signs nobody in: `signIn` does, on whichever client is to ask. It has no idempotency key, so it is only sent again
   * where the service certainly did nothing.
   */
  signUp(request: EmailSignupRequest | InviteSignupRequest, options?: CallOptions): Promise<SignupResponse>;
  /**
   * Signs in by address and password, through the choice of a workspace and the second factor where there is one to
   * make or pass. From then on every call of this client is the member's: with the access token instead of the options'
   * credentials, refreshed when it ends. The tokens are in the client's `tokens` store when this resolves.
   *
   * AuthenticationError: address, password or workspace is wrong, or the second factor's time or codes are used up.
   * MfaRequiredError, WorkspaceRequiredError: a callback is needed that is not there.
   */
  signIn(request: SignInRequest, options?: SignInOptions): Promise<Tokens>;
  /**
   * Signs out: empties the store and ends the session at the service. Where that fails it rejects, and the store is empty
   * all the same. Where nobody is signed in it does nothing.
   */
  signOut(options?: CallOptions): Promise<void>;
  /** The signed-in member with the effective role, and its workspace; for an access token, never for an API key. */
  me(options?: CallOptions): Promise<Me>;
}

const signUpCall: Call = { name: 'auth.signUp', repeatable: false };
const refreshCall: Call = { name: 'auth refresh', repeatable: false };
const signOutCall: Call = { name: 'auth.signOut', repeatable: true };
const meCall: Call = { name: 'auth.me', repeatable: true };

/** Milliseconds. A refresh translates nothing, and every call waits for it. */
const longestRefresh = 30_000;

/** Returns the refresh grant. It belongs to no single call, so it ignores the signals and deadlines of callers. */
export function refreshGrant(rpc: Rpc, send: Send, { timeoutMs }: Settings) {
  const options = { timeoutMs: Math.min(timeoutMs, longestRefresh) };
  return async (refresh_token: string): Promise<OAuth2TokenResponse> => {
    const input = { grant_type: 'refresh_token', refresh_token };
    const response = await send(refreshCall, (attempt) => rpc.auth.token.mutate(input, attempt), options);
    return response as OAuth2TokenResponse;
  };
}

export function auth({
  rpc,
  send,
  sendSignedIn,
  session,
  tenantId,
}: {
  rpc: Rpc;
  /** Sends with the credentials of the options. */
  send: Send;
  /** Sends as the session's member, if there is one. */
  sendSignedIn: Send;
  session: Session;
  tenantId: string | undefined;
}): Auth {
  return {
    signUp(request, options) {
      // The service requires a workspace name, and ignores it for an invite (A 4.2).
      const input = 'tenant_name' in request ? request : { tenant_name: 'by invite', ...request };
      return send(signUpCall, (attempt) => rpc.auth.signUpWithEmail.mutate(input, attempt), options);
    },
    async signIn(request, options = {}) {
      const response = await signIn(
        rpc,
        send,
        { ...request, tenantId: request.tenantId ?? tenantId },
        options,
      );
      const tokens = tokensOf(response);
      await session.begin(tokens);
      return tokens;
    },
    signOut: (options) =>
      session.end((refresh_token) =>
        send(signOutCall, (attempt) => rpc.auth.signOut.mutate({ refresh_token }, attempt), options),
      ),
    me: (options) => sendSignedIn(meCall, (attempt) => rpc.auth.me.query(undefined, attempt), options),
  };
}
