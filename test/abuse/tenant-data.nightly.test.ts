import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env, type Person, signUpFounder, submit } from '#test/factories.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { type Launched, launch } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { startProbe } from './measure-attack.ts';
import { documentSteps, type Step, screenSteps, storingSteps, textSteps } from './tenant-data.ts';

/**
 * Maximum milliseconds of CPU time during which the service gives no other request a turn. No step of the service takes
 * 100 ms, but a garbage collection with the 20,000 segments of a document can take 200 ms.
 */
const longestBlock = 250;
/** Maximum milliseconds of the 99th percentile of `GET /healthz`, on a machine that does nothing else. */
const healthzLimit = 300;

type Service = ReturnType<typeof connect>;

let database: TestDatabase;
let dataDir: string;
let launched: Launched;
let service: Service;
let hostile: Person;
let bystander: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-hostile-'));
  launched = launch(
    [
      '--max-semi-space-size=8',
      '--import',
      join(import.meta.dirname, 'event-loop-blocks.ts'),
      'server/main.ts',
    ],
    {
      ...env,
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
      DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
      MONTHLY_CHAR_CEILING: '2000000000',
    },
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  // A busy machine needs a minute or more.
  await Promise.race([
    poll(async () => launched.address() !== '', 300),
    launched.ended.then(({ stderr }) => Promise.reject(new Error(`the service ended: ${stderr}`))),
  ]);
  service = connect(launched.address());
  bystander = await signUpFounder(service);
  hostile = await signUpFounder(service, { tenant_name: '<b>{a} \u202e=cmd|' });
  // The first requests load modules.
  for (let n = 0; n < 3; n++)
    await submit(service, bystander, { source_text: `Warm ${n} `.repeat(1 + 500 * n) });
  await block();
}, 600_000);

afterAll(async () => {
  launched?.child.kill();
  await launched?.ended;
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** The longest block of the event loop since the last call, in milliseconds of CPU time. */
async function block(): Promise<number> {
  launched.child.send('look');
  const [longest] = await once(launched.child, 'message');
  return longest;
}

/** Runs the steps, and returns those that blocked the event loop for too long. */
async function blocksOf(steps: readonly Step[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, run } of steps) {
    await run();
    const longest = await block();
    if (longest > longestBlock) found.push(`${name}: ${longest} ms`);
  }
  return found;
}

/** Submits texts of the other workspace until `work` has ended. Each must be published. */
async function besideTexts<T>(work: Promise<T>): Promise<T> {
  let running = true;
  const ended = work.finally(() => {
    running = false;
  });
  const texts = (async () => {
    for (let n = 0; running; n++) await submit(service, bystander, { source_text: `Good morning ${n}` });
  })();
  return (await Promise.all([ended, texts]))[0];
}

test('no data of a workspace holds up another workspace', { timeout: 1_800_000 }, async () => {
  const idle = await startProbe(service.address);
  await besideTexts(new Promise((resolve) => setTimeout(resolve, 3000)));
  const before = await idle.stop();
  const probe = await startProbe(service.address);
  const found = await besideTexts(
    (async () => [
      ...(await blocksOf(storingSteps(service, hostile))),
      ...(await blocksOf(textSteps(service, hostile))),
      ...(await blocksOf(documentSteps(service, hostile))),
      ...(await blocksOf(screenSteps(service, hostile))),
    ])(),
  );
  const { p99, failed } = await probe.stop();
  console.log(`GET /healthz: p99 of ${p99} ms during the attack, ${before.p99} ms before`);
  expect({ found, failed }).toEqual({ found: [], failed: 0 });
  // A machine that is busy with other work is slow before the attack, too.
  expect(p99).toBeLessThan(Math.max(healthzLimit, 3 * before.p99));
});
