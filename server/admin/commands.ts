import type { Command } from './command.ts';
import { audit } from './commands/audit.ts';
import { deactivateTenant } from './commands/deactivate-tenant.ts';
import { invite } from './commands/invite.ts';
import { reactivateTenant } from './commands/reactivate-tenant.ts';
import { restoreAdmin } from './commands/restore-admin.ts';
import { revokeKey } from './commands/revoke-key.ts';
import { rotateKey } from './commands/rotate-key.ts';
import { setAllowance } from './commands/set-allowance.ts';
import { tenants } from './commands/tenants.ts';

/** The operator's commands by their names, in the order in which they are listed. */
export const commands = {
  tenants,
  'rotate-key': rotateKey,
  'revoke-key': revokeKey,
  'restore-admin': restoreAdmin,
  invite,
  'deactivate-tenant': deactivateTenant,
  'reactivate-tenant': reactivateTenant,
  'set-allowance': setAllowance,
  audit,
} satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
