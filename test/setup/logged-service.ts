import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { connect } from './app.ts';
import { createTestDatabase } from './database.ts';
import { poll } from './poll.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Starts the service in a separate process and collects its output. LOG_LEVEL is `debug`, unless `env` sets another
 * level.
 */
export async function startLoggedService(env: Record<string, string>) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-log-'));
  const child: ChildProcess = spawn(process.execPath, [join(root, 'server/main.ts')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      LOG_LEVEL: 'debug',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      AUTH_RATE_LIMIT_ENABLED: 'false',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  const address = await poll(async () => /LinguaLoop listens on ([^\s"]+)/.exec(printed)?.[1]);
  return {
    ...connect(address),
    superuserUrl: database.superuserUrl,
    /** Ends the process, and returns everything that it has printed. */
    async finish(): Promise<string> {
      child.kill('SIGTERM');
      await ended;
      return printed;
    },
  };
}

export type LoggedService = Awaited<ReturnType<typeof startLoggedService>>;
