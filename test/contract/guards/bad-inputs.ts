import type { Fields } from '../call.ts';

const someId = 'f'.repeat(32);

/** Of procedures for administrators, inputs that their schemas refuse. */
export const badInputs: readonly [path: string, input: Fields][] = [
  ['auth.revoke', {}],
  ['auth.introspect', {}],
  ['members.list', { limit: 0 }],
  ['members.list', { tenant_id: someId, cursor: 'zzz' }],
  ['members.changeRole', { user_id: someId, role: 'root' }],
  ['members.createInvite', { role: 'root' }],
  ['members.listInvites', { limit: 0 }],
  ['members.listInvites', { tenant_id: someId, cursor: 'zzz' }],
  ['tenants.create', {}],
  ['tenants.list', { cursor: 'zzz' }],
  ['tenants.setSecurityPolicy', {}],
];
