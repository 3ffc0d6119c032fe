import type { Tx } from '#db/client.ts';
import { hashSecret } from '#server/access/service.ts';
import { seal, unseal } from '#server/encryption.ts';
import { insertSsoState, takeSsoState } from '../queries.ts';

/** Seconds in which a person must come back from the provider (C 2). */
export const stateTtl = 600;

/** What a single sign-on under way must remember. Hashes are hexadecimal SHA-256. */
export interface SsoState {
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
  /** The workspace to sign in to, where the person is in several. */
  tenantId: string | null;
  invite: { tenantId: string; secretHash: string } | null;
  /** Of the cookie that the browser was given. */
  browserHash: string;
}

/** Keeps a state under the hash of its name, sealed. */
export async function keepState(tx: Tx, secretsKey: Buffer, name: string, state: SsoState): Promise<void> {
  const stateHash = hashSecret(name);
  const sealed = seal(secretsKey, 'sso_state', hex(stateHash), Buffer.from(JSON.stringify(state)));
  await insertSsoState(tx, stateHash, sealed, stateTtl);
}

/** Takes a state out, once; undefined where there is none, or its time is over. */
export async function takeState(tx: Tx, secretsKey: Buffer, name: string): Promise<SsoState | undefined> {
  const stateHash = hashSecret(name);
  const sealed = await takeSsoState(tx, stateHash);
  if (!sealed) return undefined;
  try {
    return JSON.parse(unseal(secretsKey, 'sso_state', hex(stateHash), sealed).toString()) as SsoState;
  } catch {
    // From before a change of SECRETS_KEY.
    return undefined;
  }
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
