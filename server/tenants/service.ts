export { accountOf, memberViewOf } from './account.ts';
export { recordAdministration } from './administration.ts';
export {
  deactivateTenant,
  lockAccount,
  type Outcome,
  reactivateTenant,
  revokeKey,
  rotateKey,
  setAllowance,
} from './by-operator.ts';
export { listTenants } from './listing.ts';
export { foundTenant, type NewTenant, provisionTenant } from './provision.ts';
export {
  selectTenant as readTenant,
  selectTenantLocked as lockTenant,
  selectTenantNames as tenantsByIds,
  type TenantRow,
} from './queries.ts';
export { largestLimit, listPage, type TenantAccount, tenantAccount, tenantMetadata } from './schema.ts';
export { setSecurityPolicy } from './security-policy.ts';
