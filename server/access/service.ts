export { deleteApiKeys, insertApiKey } from './api-keys.ts';
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
  serverAdministrator,
  tenantNotFound,
  type WithNamedTenant,
  type WithOwningTenant,
} from './guards/admin.ts';
export { authenticateCaller, publicProcedure } from './guards/authenticate.ts';
export { bearerProcedure, notSignedIn, sessionCookieProcedure, withSessionCookie } from './guards/session.ts';
export {
  deferredTenantAdminProcedure,
  deferredTenantOrCookieProcedure,
  deferredTenantProcedure,
  tenantProcedure,
  type WithTenant,
} from './guards/tenant.ts';
export { isDesignatedOperator } from './operator.ts';
export type { Principal, SessionPrincipal } from './principal.ts';
export { pruneExpired } from './prune-expired.ts';
export { countAttempt, limitAttempts, rateLimited, tooManyAttempts } from './rate-limit.ts';
export { endFamily, rotateRefreshToken } from './refresh-token-rotation.ts';
export { hasTenants, serviceTenantId } from './service-key.ts';
export { clearedSessionCookie, noStore, sameSiteOnly, sessionCookie } from './session-cookie.ts';
export {
  defaultScope,
  endAllSessions,
  endSession,
  endSessionsOf,
  type IssuedTokens,
  type LockedMember,
  lockMember,
  newFamily,
  type SessionMember,
  startSession,
} from './sessions.ts';
export { deleteTokens, findToken, markSecondFactor, tenantOfToken } from './tokens.ts';
