export {
  hashSecret,
  newSecret,
  type PresentedCredentials,
  readCredentials,
} from './credentials.ts';
export {
  type Administrator,
  adminProcedure,
  operatorProcedure,
  tenantNotFound,
  type WithNamedTenant,
  type WithOwningTenant,
} from './guards/admin.ts';
export { bearerProcedure } from './guards/bearer.ts';
export { authenticateCaller } from './guards/caller.ts';
export { publicProcedure } from './guards/public.ts';
export { notSignedIn, sessionCookieProcedure, withSessionCookie } from './guards/session-cookie.ts';
export {
  deferredTenantAdminProcedure,
  deferredTenantOrCookieProcedure,
  deferredTenantProcedure,
  tenantProcedure,
  type WithTenant,
} from './guards/tenant.ts';
export { isDesignatedOperator } from './operator.ts';
export type { Principal, SessionPrincipal } from './principal.ts';
export { pruneExpired } from './prune.ts';
export { deleteApiKeys, insertApiKey } from './queries/api-keys.ts';
export { countAttempt } from './queries/attempts.ts';
export { lockMember } from './queries/member-locks.ts';
export { serviceTenantId } from './queries/service-tenant.ts';
export { deleteTokens, findToken, markSecondFactor, tenantOfToken } from './queries/tokens.ts';
export { limitAttempts, limited, tooMany as tooManyAttempts } from './rate-limit.ts';
export { noStore, sameSiteOnly } from './same-site.ts';
export { serverAdministrator } from './server-administrator.ts';
export { hasTenants } from './service-key.ts';
export { clearedSessionCookie, sessionCookie } from './session-cookie.ts';
export {
  defaultScope,
  endAllSessions,
  endSession,
  endSessionsOf,
  type IssuedTokens,
  newFamily,
  type SessionMember,
  startSession,
} from './sessions.ts';
export { endFamily, rotateRefreshToken } from './token-families.ts';
