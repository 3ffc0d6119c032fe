export {
  accountOf,
  listTenants,
  memberViewOf,
  type NewTenant,
  provisionTenant,
  registerTenant,
} from './accounts.ts';
export {
  deactivateTenant,
  lockAccount,
  type Outcome,
  reactivateTenant,
  revokeKey,
  rotateKey,
  setAllowance,
} from './operator-commands.ts';
export {
  lockTenant,
  readTenant,
  type TenantRow,
  tenantsByIds,
} from './queries.ts';
export { largestLimit, listPage, type TenantAccount, tenantAccount, tenantMetadata } from './schema.ts';
export { setSecurityPolicy } from './security-policy.ts';
