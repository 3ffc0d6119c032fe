import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { publishParkedJobs } from '#server/texts/parked-jobs.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { recordsOf } from './golden-files.ts';
import { keyed, useWorkspace } from './workspace.ts';

const runs = holdRuns();
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
  engine: runs.engine,
});

const mine = useWorkspace(app);
afterEach(() => runs.release());

/** A job that awaits review. */
const heldForReview = () => mine.job({ metadata: { sensitive: true } });
const submitHeld = () => mine.submit({ source_text: 'held', target_lang: 'fr' }, keyed('key'));
const sweep = () => publishParkedJobs(app.services, mine.tenantId);
const failing = async () => {
  throw new Error('the disk is full');
};

/** Replaces `put` of the storage until the test ends. `by` creates the replacement from the original. */
function replacePut(by: (real: PlatformStore['put']) => PlatformStore['put']): () => void {
  const { storage } = app.services;
  const real = storage.put;
  const putBack = () => {
    storage.put = real;
  };
  onTestFinished(putBack);
  storage.put = by(real);
  return putBack;
}

/**
 * Holds all writes to the storage until `go` is called. Its argument determines whether the writes are then executed.
 */
function holdPut() {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const putBack = replacePut((put) => async (...args) => {
    reached.resolve();
    await held.promise;
    return put(...args);
  });
  return {
    reached: reached.promise,
    putBack,
    go: held.resolve,
    fail: () => held.reject(new Error('the disk is full')),
  };
}

/** Sets the last change of a job, or of all jobs of a tenant, to an hour ago. */
async function age(column: 'job_id' | 'tenant_id', id: string): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`update translation_jobs set updated_at = now() - interval '1 hour' where ${sql(column)} = ${id}`;
}

describe('review', () => {
  test('modify with the pipeline’s own words still counts as an edit', async () => {
    const job = await heldForReview();
    const { body } = await mine.review(job.id, {
      action: 'modify',
      final_translation: job.final_translation,
    });
    expect(body.status).toBe('human_edited');
  });

  test('many drafts of one reviewer leave one step of the trace, and another’s its own', async () => {
    const { id } = await heldForReview();
    for (let draft = 0; draft < 5; draft++)
      await mine.review(id, { action: 'save', final_translation: `draft ${draft}` });
    const { body } = await mine.review(id, { action: 'save', final_translation: 'last' }, mine.admin);
    const human = body.agent_run.steps.filter(({ kind }: { kind: string }) => kind === 'human');
    expect(human).toHaveLength(2);
  });

  test('a late failure to publish does not undo another’s publication', async () => {
    const { id } = await heldForReview();
    const store = holdPut();
    const approval = mine.review(id, { action: 'approve' });
    await store.reached;
    store.putBack();
    await age('job_id', id);
    expect(await sweep()).toEqual({ published: 1, failed: 0 });
    store.fail();
    expect((await approval).status).toBe(200);
    expect(await mine.read(id)).toMatchObject({
      status: 'published',
      request: { metadata: { golden_uri: expect.any(String) } },
    });
  });

  test('a job that is deleted while it is published leaves no record', async () => {
    const { id } = await heldForReview();
    replacePut((put) => async (...args) => {
      await mine.remove(id, mine.admin);
      return put(...args);
    });
    expect((await mine.review(id, { action: 'approve' })).status).toBe(404);
    expect(await recordsOf(app, mine, id)).toEqual([]);
  });
});

describe('the golden record', () => {
  test('of a run is not removed by an earlier one that ends later', async () => {
    const slow = submitHeld();
    const earlier = await runs.next();
    await age('tenant_id', mine.tenantId);
    const resend = submitHeld();
    (await runs.next()).succeed();
    const { body } = await resend;
    earlier.succeed();
    await slow;
    const records = await recordsOf(app, mine, body.id);
    expect(records).toHaveLength(1);
    expect(body.request.metadata.golden_uri).toBe(`golden/${records[0]!.path}`);
  });

  test('is not written, and the job not published, if it cannot be announced', async () => {
    const lists = join(app.services.settings.DATA_DIR, 'storage/golden/announced');
    // There is a file at the place of the lists' directory, as if it had been put there by mistake.
    await rename(lists, `${lists}-aside`);
    await writeFile(lists, '');
    onTestFinished(async () => {
      await rm(lists);
      await rename(`${lists}-aside`, lists);
    });
    const { status } = await mine.submit({ source_text: 'Hello', target_lang: 'fr' });
    expect(status).toBe(502);
    const [job] = await mine.list();
    expect(job.status).toBe('persistence_failed');
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
  });
});

describe('the sweep’s retry of failed publications', () => {
  test('skips a publication in progress', async () => {
    const { id } = await heldForReview();
    const store = holdPut();
    const approval = mine.review(id, { action: 'approve' });
    await store.reached;
    expect(await sweep()).toEqual({ published: 0, failed: 0 });
    store.go();
    expect((await approval).body.status).toBe('published');
  });

  test('publishes more of them than it reads at once', async () => {
    for (let text = 0; text < 51; text++) await mine.job({ source_text: `Text ${text}` });
    await openSuperuser(app.superuserUrl)`
      update translation_jobs set status = 'persistence_failed' where tenant_id = ${mine.tenantId}`;
    expect(await sweep()).toEqual({ published: 51, failed: 0 });
  });

  test('continues after one that fails', async () => {
    const putBack = replacePut(() => failing);
    for (const source_text of ['one', 'two']) await mine.submit({ source_text, target_lang: 'fr' });
    putBack();
    const ids = (await mine.list()).map(({ id }: { id: string }) => id).toSorted();
    replacePut((put) => async (path, text) => (path.includes(ids[0]) ? failing() : put(path, text)));
    expect(await sweep()).toEqual({ published: 1, failed: 1 });
  });
});

describe('deleting a job (B 4.1)', () => {
  test('takes the record of a second run with it', async () => {
    const first = submitHeld();
    (await runs.next()).fail(new AppError('transient_error', 'the upstream is away'));
    await first;
    const again = submitHeld();
    (await runs.next()).succeed();
    const { id } = (await again).body;
    expect(await recordsOf(app, mine, id)).toHaveLength(1);
    expect((await mine.remove(id, mine.admin)).body.golden_records_deleted).toBe(1);
    expect(await recordsOf(app, mine, id)).toEqual([]);
  });

  test('schedules a second look for its records, for a publication in progress', async () => {
    const { id } = await mine.job();
    await mine.remove(id, mine.admin);
    const planned = await openSuperuser(app.superuserUrl)`
      select run_at > now() + interval '30 seconds' as later from graphile_worker.jobs
      where task_identifier = 'remove_golden_records' and key like ${`%:${id}:%`}`;
    expect(planned.map(({ later }) => later)).toEqual([true]);
  });
});
