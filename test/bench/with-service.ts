import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

/** Runs a service with workers and an embedded database to which the benchmark also has access. */
export async function withService(
  work: (open: { service: RunningService; url: string }) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    MONTHLY_CHAR_CEILING: '1000000000',
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
    ...settings,
  };
  const service = await startService(env);
  try {
    await work({ service, url: server.ownerUrl });
  } finally {
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}
