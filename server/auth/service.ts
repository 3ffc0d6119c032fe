export { type PresentedCredentials, readCredentials } from './credentials.ts';
export {
  adminEntryProcedure,
  type EnterAdmin,
  type EnterTenant,
  publicProcedure,
  tenantEntryProcedure,
  tenantOrCookieEntryProcedure,
  tenantProcedure,
} from './guards.ts';
export type { Principal } from './principal.ts';
