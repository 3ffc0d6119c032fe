import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { ssoStates } from '#db/schema/identity.ts';
import type { RequestContext } from '#server/context.ts';
import { prefixedCookie } from '#server/http/cookies.ts';
import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { type SecretsKeys, seal, unseal } from '#server/platform/encryption.ts';

/** The scopes that a sign-in requests. */
export const ssoScopes = ['openid', 'email', 'profile'] as const;

/** Seconds within which the browser must return from the provider. */
const stateTtl = 600;

/** The stored data of a pending single sign-on. Hashes are hexadecimal SHA-256. */
export interface SsoState {
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
  /** The workspace to sign in to, if the person is a member of several; null if none was selected. */
  tenantId: string | null;
  invite: { tenantId: string; secretHash: string } | null;
  /** Whether the sign-in may create a workspace. Missing in a state of an earlier version, which may. */
  mayCreate?: boolean;
  /** The signed-in member who links the account of the provider. */
  link?: { tenantId: string; userId: string };
  /** The hash of the cookie that binds the sign-in to the browser. */
  browserHash: string;
}

/** Stores a state, encrypted, under the hash of its name. */
export async function keepState(
  tx: Tx,
  secretsKeys: SecretsKeys,
  name: string,
  state: SsoState,
): Promise<void> {
  const stateHash = hashSecret(name);
  const sealed = seal(secretsKeys, 'sso_state', hex(stateHash), Buffer.from(JSON.stringify(state)));
  await insertSsoState(tx, stateHash, sealed, stateTtl);
}

/** Deletes a state and returns it. Returns undefined if the state does not exist or has expired. */
export async function takeState(
  tx: Tx,
  secretsKeys: SecretsKeys,
  name: string,
): Promise<SsoState | undefined> {
  const stateHash = hashSecret(name);
  const sealed = await takeSsoState(tx, stateHash);
  if (!sealed) return undefined;
  try {
    return JSON.parse(unseal(secretsKeys, 'sso_state', hex(stateHash), sealed).toString()) as SsoState;
  } catch {
    // The state was encrypted with a key that has been deleted since.
    return undefined;
  }
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/**
 * Sets a short-lived cookie that binds the state to the browser in which the sign-in began. Without it, an attacker's
 * link could sign a person in to the attacker's account. Each state has its own cookie, so that a member can sign in in
 * two windows at the same time. The path of the cookie is `/`, because the callback exists at two paths, one of the API
 * and one of the web application.
 * @returns the hash of the cookie's value
 */
export function bindBrowser(ctx: RequestContext, state: string): string {
  const binding = newSecret();
  const secure = isSecure(ctx) ? '; Secure' : '';
  ctx.response.addCookie(
    `${cookieName(ctx, state)}=${binding}; Path=/; Max-Age=${stateTtl}; HttpOnly; SameSite=Lax${secure}`,
  );
  return hex(hashSecret(binding));
}

/**
 * Whether the request comes from the browser in which the sign-in began. Always true for clients that are not browsers.
 */
export function isSameBrowser(ctx: RequestContext, state: string, browserHash: string): boolean {
  if (!ctx.fromBrowser) return true;
  const binding = ctx.cookie(cookieName(ctx, state));
  return binding !== null && hex(hashSecret(binding)) === browserHash;
}

function cookieName(ctx: RequestContext, state: string): string {
  return prefixedCookie(`ll_sso_${hex(hashSecret(state)).slice(0, 16)}`, isSecure(ctx));
}

function isSecure({ services }: RequestContext): boolean {
  return services.settings.BASE_URL?.startsWith('https:') ?? false;
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

/** Deletes a state and returns its encrypted data; undefined if the state does not exist or has expired. */
async function takeSsoState(tx: Tx, stateHash: Uint8Array): Promise<Uint8Array | undefined> {
  const [taken] = await tx
    .delete(ssoStates)
    .where(eq(ssoStates.stateHash, stateHash))
    .returning({ sealed: ssoStates.sealed, alive: sql<boolean>`${ssoStates.expiresAt} > now()` });
  return taken?.alive ? taken.sealed : undefined;
}
