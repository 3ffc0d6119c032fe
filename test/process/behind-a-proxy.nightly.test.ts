import { describe } from 'vitest';
import { selling } from '#test/contract/fixture.ts';
import { useGuardFixture } from '#test/contract/guards/guard-fixture.ts';
import { testTransports } from '#test/contract/transports.ts';
import { useCluster } from '#test/setup/cluster.ts';
import { hasProxy } from '#test/setup/proxy.ts';

const installed = hasProxy();
if (!installed) console.log('skipped: haproxy is not installed, in front of two API processes');

/*
 * Two API processes and two workers with one external PostgreSQL, behind haproxy. Consecutive requests go to different
 * processes.
 */
describe.runIf(installed)('the contract, by two API processes behind a proxy', () => {
  const [plain, billing] = [useGuardFixture({}, useCluster), useGuardFixture(selling, useCluster)];
  testTransports(plain, billing, { workers: true });
});
