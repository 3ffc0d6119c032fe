import type postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { type Killable, killableAlone } from '#test/faults/kills.ts';
import { connect, type TestApp } from '#test/setup/app.ts';
import type { RunningService } from '#test/setup/service.ts';

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
  let killable: Killable;
  let running: RunningService;

  beforeAll(async () => {
    killable = await killableAlone({
      PORT: String(await freePort()),
      TRIAL_CHARS: '100000000',
      DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
      ...settings,
    });
    const start = async () => {
      running = await killable.start('api');
    };
    await start();
    Object.assign(service, connect(running.address), {
      sql: killable.sql,
      start,
      kill: () => running.stop('SIGKILL'),
    });
  });

  afterAll(() => killable?.end());

  return service;
}
