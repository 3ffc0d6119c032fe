import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '#test/setup/service.ts';
import type { BareTenant } from './bare-job.ts';

export type BenchTenant = BareTenant & { email: string };

/** A separate service with its own embedded database, as started by `npm start`, but without workers. */
export interface BenchService {
  address: string;
  foundTenant(): Promise<BenchTenant>;
  stop(): Promise<void>;
}

let founded = 0;

export async function startBenchService(env: Record<string, string> = {}): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const settings = { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false', ...env };
  const service = await startService(settings, 'server/main.ts', ['--api-only']);
  return {
    address: service.address,
    foundTenant: () => createBenchTenant(service.address),
    async stop() {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function createBenchTenant(address: string): Promise<BenchTenant> {
  founded += 1;
  const email = `bench${founded}@example.org`;
  const response = await fetch(`${address}/api/auth/signup/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      tenant_name: `Bench ${founded}`,
      email,
      password: 'a long enough passphrase',
    }),
  });
  const { account, tenant_api_key } = (await response.json()) as {
    account: { id: string };
    tenant_api_key: string;
  };
  return { tenantId: account.id, apiKey: tenant_api_key, email };
}
