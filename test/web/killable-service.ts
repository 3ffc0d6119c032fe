import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { connect, type TestApp } from '#test/setup/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

/** The SECRETS_KEY of the service. */
export const secretsKey = Buffer.alloc(32);

export interface KillableService extends Pick<TestApp, 'address' | 'request' | 'json' | 'signUp'> {
  /** A connection for reading the stored rows. */
  sql: postgres.Sql;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the service again with the same URL, database and data directory. */
  start(): Promise<void>;
}

/**
 * Starts the service in a separate process for a test file. The process can be killed and started again.
 * @param settings further settings
 */
export function useKillableService(settings: Record<string, string> = {}): KillableService {
  const service = {} as KillableService;
  let database: TestDatabase;
  let dataDir: string;
  let running: RunningService;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-kills-'));
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      LOG_LEVEL: 'silent',
      SECRETS_KEY: secretsKey.toString('base64'),
      AUTH_RATE_LIMIT_ENABLED: 'false',
      TRIAL_CHARS: '100000000',
      DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
      ...settings,
    };
    const start = async () => {
      running = await startService(env, 'server/main.ts', ['--api-only']);
    };
    await start();
    Object.assign(service, connect(running.address), {
      sql: postgres(database.superuserUrl, { max: 1, onnotice: () => {} }),
      start,
      kill: () => running.stop('SIGKILL'),
    });
  });

  afterAll(async () => {
    await running?.stop('SIGKILL');
    await service.sql?.end();
    await database?.drop();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  return service;
}
