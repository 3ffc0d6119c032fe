import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Embedder } from '#server/platform/engines/engine.ts';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { bread, cat, good, liveEngine } from '#test/translations/live.ts';
import { startWorkers, type Workers, warnOfFewConnections } from '#workers/run.ts';
import { tasks, workerPools } from '#workers/tasks.ts';
import { limiter } from '#workers/worker-pool.ts';

const fake = await startFakeOpenAi();
fake.otherwise(good);
afterAll(() => fake.close());

const asked: string[][] = [];
let answer = () => {};
const answered = new Promise<void>((resolve) => {
  answer = resolve;
});
/** A model that never responds. */
const silent: Embedder = {
  model: 'silent-1',
  async embed(texts) {
    asked.push([...texts]);
    await answered;
    throw new Error('too late');
  },
};
const app = useTestApp({
  engine: liveEngine(fake),
  embedder: silent,
  env: { WORKER_CONCURRENCY: '2', STALE_PENDING_SECONDS: '5', SWEEP_INTERVAL_SECONDS: '1' },
});
let workers: Workers;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(async () => {
  answer();
  await workers?.stop();
});

async function learn(): Promise<Signup> {
  const tenant = await app.signUp();
  expect((await submit(tenant, cat)).body.status).toBe('published');
  return tenant;
}

const submit = ({ headers }: Signup, text: string) =>
  app.json('POST', '/api/translations', { headers, body: { source_text: text, target_lang: 'de' } });

test('a set whose model is slow has one worker, however often the sweep finds its pairs without vectors', async () => {
  const tenant = await learn();
  await poll(async () => asked.length > 0);
  const sql = openSuperuser(app.superuserUrl);
  const [set] = await sql`select set_id from memory_sets where tenant_id = ${tenant.tenantId}`;
  // Since then, the sweep has added a second job, which waits for the first.
  const waits = async () => {
    const [job] = await sql`
      select locked_at from graphile_worker.jobs where key = ${`embed_memory:${set?.['set_id']}`}`;
    return job && job['locked_at'] === null;
  };
  await poll(waits);
  // The sweep runs every second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect([await waits(), asked.length]).toEqual([true, 1]);
});

test('the sweep continues while every worker waits for a model', async () => {
  const tenant = await learn();
  await poll(async () => asked.length === 2);
  const sql = openSuperuser(app.superuserUrl);
  const { id } = (await submit(tenant, bread)).body;
  await sql`
    update translation_jobs set status = 'pending', updated_at = now() - interval '1 hour' where job_id = ${id}`;
  await poll(async () => {
    const [job] = await sql`select status from translation_jobs where job_id = ${id}`;
    return job?.['status'] === 'failed';
  });
  // Both jobs still wait: no free worker has started them.
  expect(asked).toHaveLength(2);
});

test('each task is in exactly one worker pool, documents and texts in their own', () => {
  expect(workerPools.find(({ name }) => name === 'documents')?.tasks).toEqual(['run_document']);
  expect(workerPools.find(({ name }) => name === 'texts')?.tasks).toEqual(['run_texts']);
  expect(workerPools.flatMap((pool) => pool.tasks).toSorted()).toEqual(Object.keys(tasks).toSorted());
});

test('a start with more workers than PostgreSQL has connections for is logged', async () => {
  const warned = async (WORKER_CONCURRENCY: number) => {
    const lines: object[] = [];
    const log = { ...app.services.log, warn: (fields: object) => void lines.push(fields) };
    const settings = { ...app.services.settings, WORKER_CONCURRENCY };
    await warnOfFewConnections({ ...app.services, settings, log });
    return lines;
  };
  // The required number of connections is 14, plus 3 for each of WORKER_CONCURRENCY (docs/scaling.md).
  expect(await warned(100)).toEqual([{ available: 197, needed: 314 }]);
  expect(await warned(2)).toEqual([]);
});

test('a task starts after all that another one does, also in later turns of the event loop, even if it fails', async () => {
  const limited = limiter(1);
  const done: string[] = [];
  const first = limited(async () => {
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    done.push('first');
    throw new Error('failed');
  });
  const others = ['second', 'third'].map((name) => limited(async () => done.push(name)));
  await expect(first).rejects.toThrow('failed');
  await Promise.all(others);
  expect(done).toEqual(['first', 'second', 'third']);
});
