import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, newSecret } from './credentials.ts';
import { insertTokens } from './queries.ts';
import type { TokenResponse } from './schema.ts';

export const defaultScope = 'translate:jobs';

/** A 2.2: what a token response says of a role; the effective one is read elsewhere. */
const modelDefaultRole = 'agent_id_developer';

export interface SessionUser {
  tenantId: string;
  userId: string;
  email: string;
  provider: 'email' | 'oauth2';
  role: string;
}

/** Issues an access and a refresh token for a member. Only their SHA-256 is stored. */
export async function issueTokens(
  tx: Tx,
  user: SessionUser,
  settings: Settings,
  scope = defaultScope,
): Promise<TokenResponse> {
  const access = newSecret();
  const refresh = newSecret();
  const { ACCESS_TOKEN_TTL_SECONDS: accessTtl, REFRESH_TOKEN_TTL_SECONDS: refreshTtl } = settings;
  const token = (kind: 'access_token' | 'refresh_token', secret: string, ttl: number) => ({
    tokenHash: hashSecret(secret),
    kind,
    tenantId: user.tenantId,
    userId: user.userId,
    scope,
    role: user.role,
    expiresAt: new Date(Date.now() + ttl * 1000),
  });
  await insertTokens(tx, [
    token('access_token', access, accessTtl),
    token('refresh_token', refresh, refreshTtl),
  ]);
  return {
    access_token: access,
    token_type: 'bearer',
    expires_in: accessTtl,
    scope,
    user: {
      user_id: user.userId,
      tenant_id: user.tenantId,
      email: user.email,
      provider: user.provider,
      role: modelDefaultRole,
    },
    refresh_token: refresh,
    refresh_expires_in: refreshTtl,
  };
}

/** The cookie of A 5.1 for an access token; `baseUrl` says whether it may only travel over HTTPS. */
export function sessionCookie(token: TokenResponse, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `ll_session=${token.access_token}; Path=/; Max-Age=${token.expires_in}; HttpOnly; SameSite=Lax${secure}`;
}
