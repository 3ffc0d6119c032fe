import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { launch, processesOf } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { useStoppedDatabase } from './stopped-database.ts';

const database = useStoppedDatabase();
const hasTerminal = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminal).each([1, 3])(
  'Ctrl-C, %i times, ends npm start and leaves no PostgreSQL',
  async (times) => {
    const DATA_DIR = await database.copy();
    const terminal = launch(
      ['-qec', 'npm start', '/dev/null'],
      { DATA_DIR, LOG_LEVEL: 'silent', HOME: process.env['HOME'] },
      { file: 'script', detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    await terminal.says('LinguaLoop listens');
    // The process may have ended before the last Ctrl-C.
    terminal.child.stdin?.on('error', () => {});
    for (let n = 0; n < times; n++) {
      terminal.child.stdin?.write('\x03');
      await delay(100);
    }
    await poll(async () => processesOf(DATA_DIR).length === 0, 60);
    terminal.child.stdin?.end();
    await terminal.ended;
  },
);

test('an API and a worker of one data directory that end together leave no PostgreSQL', async () => {
  const DATA_DIR = await database.copy();
  for (let round = 0; round < 3; round++) {
    const services = [['server/main.ts', '--api-only'], ['workers/main.ts']].map((command) =>
      launch(command, { DATA_DIR, LOG_LEVEL: 'silent' }),
    );
    await Promise.all(services.map((service) => service.says('LinguaLoop')));
    for (const { child } of services) child.kill('SIGTERM');
    const ended = await Promise.all(services.map((service) => service.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(processesOf(DATA_DIR)).toEqual([]);
  }
});

test('a second signal, over a second later, aborts running requests: 143, and no PostgreSQL', async () => {
  const DATA_DIR = await database.copy();
  const service = launch(['server/main.ts'], { DATA_DIR, LOG_LEVEL: 'silent' });
  await service.says('LinguaLoop listens');
  // The drain waits for a request whose body does not arrive.
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('{"source_text":')),
  });
  const call = fetch(`${service.address()}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'nobody' },
    body,
    duplex: 'half',
  }).catch(() => undefined);
  await delay(300);
  service.child.kill('SIGTERM');
  await delay(1500);
  expect(service.child.exitCode).toBeNull();
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(143);
  await call;
  expect(processesOf(DATA_DIR)).toEqual([]);
});
