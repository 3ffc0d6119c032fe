import type { Fields } from '#test/factories.ts';

const someId = 'f'.repeat(32);

/** Inputs that the schemas of administrators' procedures refuse. */
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
  ['usage.daily', { from: '2026-02-29' }],
  ['usage.daily', { from: '2026-02-02', to: '2026-02-01' }],
  ['usage.summary', { tenant_id: someId, period: '2026-13' }],
  ['usage.summary', { tenant_id: someId, cursor: 'zzz' }],
];
