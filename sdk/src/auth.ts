import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { EmailSignupRequest, SignupResponse } from './types.ts';

/** Signing up. */
export interface Auth {
  /**
   * Founds a workspace with its first administrator. `tenant_api_key` is shown this once. It has no idempotency
   * key, so it is only sent again where the service certainly did nothing.
   */
  signUp(request: EmailSignupRequest, options?: CallOptions): Promise<SignupResponse>;
}

const signUpCall: Call = { name: 'auth.signUp', repeatable: false };

export function auth(rpc: Rpc, send: Send): Auth {
  const { signUpWithEmail } = rpc.auth;
  return {
    signUp: (request, options) =>
      send(signUpCall, (attempt) => signUpWithEmail.mutate(request, attempt), options),
  };
}
