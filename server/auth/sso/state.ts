import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { ssoStates } from '#db/schema/identity.ts';
import { hashSecret, newSecret } from '#server/access/service.ts';
import type { RequestContext } from '#server/context.ts';
import { seal, unseal } from '#server/encryption.ts';

/** Seconds in which a person must come back from the provider (C 2). */
const stateTtl = 600;

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

/**
 * C 7: authorize sets a short-lived cookie that binds the state to the browser it began in, so that nobody is signed in
 * to somebody else's account by a link. Each state has a cookie of its own: two windows may sign in at once.
 */
export function bindBrowser(ctx: RequestContext, state: string): string {
  const binding = newSecret();
  const secure = ctx.services.settings.BASE_URL?.startsWith('https:') ? '; Secure' : '';
  ctx.response.addCookie(
    `${cookieName(state)}=${binding}; Path=/api/oauth2; Max-Age=${stateTtl}; HttpOnly; SameSite=Lax${secure}`,
  );
  return hex(hashSecret(binding));
}

/** Whether this is the browser that the state began in; what is no browser need not be. */
export function isSameBrowser(ctx: RequestContext, state: string, browserHash: string): boolean {
  if (!ctx.fromBrowser) return true;
  const binding = ctx.cookie(cookieName(state));
  return binding !== null && hex(hashSecret(binding)) === browserHash;
}

function cookieName(state: string): string {
  return `ll_sso_${hex(hashSecret(state)).slice(0, 16)}`;
}

async function insertSsoState(
  tx: Tx,
  stateHash: Uint8Array,
  sealed: Uint8Array,
  ttlSeconds: number,
): Promise<void> {
  const expiresAt = sql`now() + make_interval(secs => ${ttlSeconds})`;
  await tx.insert(ssoStates).values({ stateHash, sealed, expiresAt });
}

/** Deletes a state and answers what it sealed, where its time is not over. */
async function takeSsoState(tx: Tx, stateHash: Uint8Array): Promise<Uint8Array | undefined> {
  const [taken] = await tx
    .delete(ssoStates)
    .where(eq(ssoStates.stateHash, stateHash))
    .returning({ sealed: ssoStates.sealed, alive: sql<boolean>`${ssoStates.expiresAt} > now()` });
  return taken?.alive ? taken.sealed : undefined;
}
