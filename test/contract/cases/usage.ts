import type { ContractFixture } from '../fixture.ts';
import { adminRefusals, asAdmin, asCookie, asOperator, type Cases, noId, withoutCookie } from './case.ts';

const own = ({ founder }: ContractFixture) => ({ tenant_id: founder.tenantId });
const foreign = ({ neighbour }: ContractFixture) => ({ tenant_id: neighbour.tenantId });
const ownWith = (more: Record<string, unknown>) => (fixture: ContractFixture) => ({
  ...own(fixture),
  ...more,
});
const nowhere = { tenant_id: noId };
const notFound = 'tenant not found';
const noCookie = withoutCookie('admin credentials required');

export const usageCases: Cases = {
  'usage.daily': [
    { name: 'an administrator sees its own', status: 200, ask: asAdmin() },
    { name: 'an administrator names a foreign tenant', status: 200, ask: asAdmin(foreign) },
    { name: 'by the cookie', status: 200, ask: asCookie(), rpc: noCookie },
    { name: 'the operator sees all together', status: 200, ask: asOperator() },
    { name: 'the operator names a tenant', status: 200, ask: asOperator(own) },
    {
      name: 'the operator names a tenant that is none',
      status: 404,
      detail: notFound,
      ask: asOperator(nowhere),
    },
    {
      name: 'the range is too long',
      status: 400,
      detail: 'date range must not exceed 366 days',
      ask: asAdmin({ from: '2024-01-01', to: '2025-01-01' }),
    },
    { name: 'a day does not exist', status: 422, ask: asAdmin({ from: '2026-02-29' }) },
    {
      name: 'the range ends before it begins',
      status: 422,
      ask: asAdmin({ from: '2026-02-02', to: '2026-02-01' }),
    },
    ...adminRefusals(),
  ],
  'usage.summary': [
    { name: 'an administrator sees its own', status: 200, ask: asAdmin(own) },
    { name: 'by the cookie', status: 200, ask: asCookie(own), rpc: noCookie },
    { name: 'the operator sees any', status: 200, ask: asOperator(own) },
    { name: 'of a period', status: 200, ask: asAdmin(ownWith({ period: '2026-02', limit: 1 })) },
    { name: 'an administrator names a foreign tenant', status: 404, detail: notFound, ask: asAdmin(foreign) },
    {
      name: 'the operator names a tenant that is none',
      status: 404,
      detail: notFound,
      ask: asOperator(nowhere),
    },
    { name: 'the period is none', status: 422, ask: asAdmin(ownWith({ period: '2026-13' })) },
    { name: 'the limit is out of range', status: 422, ask: asAdmin(ownWith({ limit: 1001 })) },
    { name: 'the cursor is none', status: 422, ask: asAdmin(ownWith({ cursor: 'zzz' })) },
    ...adminRefusals(own),
  ],
  'usage.export': [
    { name: 'json', status: 200, ask: asAdmin(own) },
    { name: 'jsonl', status: 200, ask: asOperator(ownWith({ format: 'jsonl' })) },
    { name: 'csv, by the cookie', status: 200, ask: asCookie(ownWith({ format: 'csv' })) },
    { name: 'an administrator names a foreign tenant', status: 404, detail: notFound, ask: asAdmin(foreign) },
    {
      name: 'the operator names a tenant that is none',
      status: 404,
      detail: notFound,
      ask: asOperator(nowhere),
    },
    { name: 'the format is none', status: 422, ask: asAdmin(ownWith({ format: 'xml' })) },
    { name: 'the period is none', status: 422, ask: asAdmin(ownWith({ period: '2026-00' })) },
    ...adminRefusals(own),
  ],
};
