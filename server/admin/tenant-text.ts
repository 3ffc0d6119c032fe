import type { TenantAccount } from '#server/tenants/service.ts';
import { printable } from './printing.ts';

/** A tenant as the commands name it. */
export const named = ({ id, name }: TenantAccount) => `${printable(JSON.stringify(name))} (${id})`;

/** That nobody signs in to this tenant for now, where it is so. */
export function inactiveNote(account: TenantAccount): string[] {
  if (account.active) return [];
  return [`${named(account)} is deactivated: nobody signs in before reactivate-tenant ${account.id}.`];
}
