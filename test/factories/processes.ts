import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { FakeOpenAi } from '#test/fakes/openai.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { models } from '#test/translations/live.ts';

/**
 * Starts processes of the service that share one database and use the fake model. The processes of each test are killed
 * at its end.
 */
export function useProcesses(model: FakeOpenAi) {
  let database: TestDatabase;
  let dataDir: string;
  const running = new Set<RunningService>();
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-processes-'));
  });
  afterEach(async () => {
    await Promise.all([...running].map((service) => service.stop('SIGKILL')));
    running.clear();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  return {
    sql: () => openSuperuser(database.superuserUrl),
    async start(env: Record<string, string> = {}, args = ['--api-only']) {
      const service = await startService(
        {
          LOG_LEVEL: 'silent',
          DATABASE_URL: database.url,
          DATA_DIR: dataDir,
          SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
          OPENAI_API_KEY: 'sk-test',
          OPENAI_BASE_URL: model.baseUrl,
          OPENAI_MODEL: models.translator,
          OPENAI_REFINER_MODEL: models.refiner,
          OPENAI_MAX_RETRIES: '0',
          AUTH_RATE_LIMIT_ENABLED: 'false',
          ...env,
        },
        'server/main.ts',
        args,
      );
      running.add(service);
      return { ...connect(service.address), service };
    },
  };
}
