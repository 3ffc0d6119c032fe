import type { Administrator } from './guards/admin.ts';

/**
 * Whoever runs commands on the server, who could as well read the operator key there: they may what it may. The audit log
 * tells the two apart.
 */
export const serverAdministrator: Administrator = {
  user: null,
  tenant: null,
  operatorKey: true,
  operator: true,
  atServer: true,
};
