export { type PresentedCredentials, readCredentials } from './credentials.ts';
export { type EnterTenant, publicProcedure, tenantEntryProcedure, tenantProcedure } from './guards.ts';
export type { Principal } from './principal.ts';
