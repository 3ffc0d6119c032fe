import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { expectAccepted } from './background.ts';
import { expectServed } from './fast-path-jobs.ts';
import { refusal, setsOf, TERMINOLOGY, TM } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

let database: TestDatabase;
let dataDir: string;
let services: RunningService[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-sets-'));
  const env = {
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    AUTH_RATE_LIMIT_ENABLED: 'false',
    TM_ASYNC_THRESHOLD: '3',
    MAX_TM_SEGMENTS: '20',
  };
  const start = () => startService(env, 'server/main.ts', ['--api-only']);
  services = await Promise.all([start(), start()]);
  workers = () => startService(env, 'workers/main.ts');
});
let workers: () => Promise<RunningService>;
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** One tenant at two processes. */
async function openAtBoth() {
  const apps = services.map(({ address }) => connect(address));
  const { headers } = await apps[0]!.signUp();
  const at = (n: number) => {
    const app = apps[n]! as Parameters<typeof setsOf>[0];
    return {
      ...setsOf(app, headers),
      translate: async (source_text: string) =>
        (
          await app.json('POST', '/api/translations', {
            headers,
            body: { source_text, target_lang: 'fr' },
          })
        ).body,
      list: async (path: string) => (await app.json('GET', path, { headers })).body,
    };
  };
  return [at(0), at(1)] as const;
}

describe('two processes over one database', () => {
  test('a glossary applies in the other process at once, when replaced and deleted too', async () => {
    const [here, there] = await openAtBoth();
    const { id } = await here.glossary(['ledger,livre']);
    expectServed(await there.translate('ledger'), 'glossary_exact', 'livre');
    await here.glossary(['ledger,grand livre']);
    expectServed(await there.translate('ledger'), 'glossary_exact', 'grand livre');
    expect((await there.removeGlossary(id)).status).toBe(204);
    expect((await here.translate('ledger')).final_translation).toBe('[fr] ledger');
    expect([await here.list(TERMINOLOGY), await there.list(TERMINOLOGY)]).toEqual([[], []]);
  });

  test('so does a memory', async () => {
    const [here, there] = await openAtBoth();
    const { id } = await here.memory([['Hello', 'Bonjour']]);
    expectServed(await there.translate('Hello'), 'tm_exact', 'Bonjour');
    await there.memory([['Hello', 'Salut']]);
    expectServed(await here.translate('Hello'), 'tm_exact', 'Salut');
    expect((await there.removeMemory(id)).status).toBe(204);
    expect((await here.translate('Hello')).final_translation).toBe('[fr] Hello');
    expect(await there.list(TM)).toEqual([]);
  });

  test('one import of a name runs at a time, and a third process finishes it', async () => {
    const [here, there] = await openAtBoth();
    const large = tmx(pairs(5));
    const answers = await Promise.all([here, there, here, there].map((at) => at.importFile(large)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409]);
    const job = expectAccepted(answers.find(({ status }) => status === 202)!);
    expect((await there.importOf(job.id)).body).toEqual((await here.importOf(job.id)).body);
    const third = await workers();
    services.push(third);
    await poll(async () => (await there.importOf(job.id)).body.job.status === 'completed');
    expectServed(await here.translate('one sentence 3'), 'tm_exact', 'une phrase 3');
  });

  test('concurrent uploads in both store no more segments than the limit', async () => {
    const both = await openAtBoth();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        both[n % 2]!.importFile(tmx(pairs(3, `thing of ${n}`)), { name: `${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    for (const answer of answers)
      if (answer.status !== 200)
        expect(refusal(answer)).toEqual([422, expect.stringMatching(/^tm_max_segments_exceeded:/)]);
  });
});
