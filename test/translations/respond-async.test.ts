import { describe, expect, onTestFinished, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { AppError } from '#server/errors.ts';
import type { TaskPayloads } from '#server/platform/job-queue.ts';
import { runQueued } from '#server/texts/queued-series.ts';
import { failStaleJobs } from '#server/texts/stale-sweep.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { keyed, openWorkspace, useWorkspace } from './workspace.ts';

/** The engine's reply to a text. By default, the text is translated. */
let answer: (text: string) => string | Error = (text) => `[fr] ${text}`;
const translated: string[] = [];
const engine = engineOf(async ({ segments }) => {
  const texts = segments.map((text) => {
    translated.push(text);
    const given = answer(text);
    if (given instanceof Error) throw given;
    return given;
  });
  return answered(texts);
});

const app = useTestApp({ engine, env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const mine = useWorkspace(app);
const sql = () => openSuperuser(app.superuserUrl);

const later = (headers: Record<string, string> = {}) => ({ prefer: 'respond-async', ...headers });
const text = (source_text = 'Hello') => ({ source_text, target_lang: 'fr' });
const batch = (...texts: string[]) => ({
  inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })),
});

async function tasks(): Promise<TaskPayloads['run_texts'][]> {
  const rows = await sql()`
    select j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'run_texts'
    where j.payload ->> 'tenantId' = ${mine.tenantId} order by j.id`;
  return rows.map(({ payload }) => payload);
}

/** Runs the queued tasks of the workspace once, as a worker does. */
async function runTasks(): Promise<void> {
  for (const payload of await tasks()) await runQueued(app.services, payload);
}

const inFlight = async () => {
  const [row] = await sql()`
    select coalesce(sum(chars), 0)::int as chars from work_in_flight where tenant_id = ${mine.tenantId}`;
  return row!['chars'];
};

describe('Prefer: respond-async', () => {
  test('returns 202 with the pending job and its path, and workers translate and bill it', async () => {
    const { status, headers, body } = await mine.submit(text(), later());
    expect([status, body.status, body.final_translation]).toEqual([202, 'pending', null]);
    expect(headers.get('location')).toBe(`/api/translations/${body.id}`);
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(await inFlight()).toBe(5);
    expect(await mine.usage()).toEqual([]);
    await withWorkers(app, async () => {
      await expect.poll(async () => (await mine.read(body.id)).status, { timeout: 10_000 }).toBe('published');
    });
    expect(await mine.read(body.id)).toMatchObject({ id: body.id, final_translation: '[fr] Hello' });
    expect(await mine.usage()).toEqual([{ job_id: body.id, billable_chars: 5, job_status: 'published' }]);
    expect(await inFlight()).toBe(0);
    expect((await mine.golden(body.id)).status).toBe(200);
  });

  test.each([
    ['respond-async', 202],
    ['RESPOND-ASYNC', 202],
    ['wait=10, respond-async', 202],
    ['respond-async; foo="bar"', 202],
    ['return=minimal', 200],
    ['respond-asynchronously', 200],
    ['', 200],
  ])('is read as a preference: %s gives %i', async (prefer, status) => {
    const answer = await mine.submit(text(), { prefer });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([
      status,
      status === 202 ? 'respond-async' : null,
    ]);
  });

  test('returns the jobs of a batch in order, and each is translated and billed', async () => {
    const [one, two] = ['The contract ends on the first of May.', 'The lessee pays the rent in advance.'];
    const { status, headers, body } = await mine.submit(batch(one, two, one), later(keyed('a batch')));
    expect([status, headers.get('location')]).toEqual([202, null]);
    expect(body.map((job: { request: object }) => job.request)).toMatchObject([
      { source_text: one, idempotency_key: 'a batch:0' },
      { source_text: two, idempotency_key: 'a batch:1' },
      { source_text: one, idempotency_key: 'a batch:2' },
    ]);
    expect(await inFlight()).toBe(2 * one.length + two.length);
    await runTasks();
    const jobs = await Promise.all(body.map(({ id }: { id: string }) => mine.read(id)));
    expect(jobs.map((job) => [job.status, job.final_translation])).toEqual(
      [one, two, one].map((source) => ['published', `[fr] ${source}`]),
    );
    expect(await mine.usage()).toHaveLength(3);
  });

  test('with the same key creates one job, and is a replay; also without the preference', async () => {
    const first = await mine.submit(text(), later(keyed('one')));
    const again = await mine.submit(text(), later(keyed('one')));
    const waiting = await mine.submit(text(), keyed('one'));
    for (const { status, headers, body } of [again, waiting]) {
      expect([status, headers.get('idempotency-replayed')]).toEqual([
        status === waiting.status ? waiting.status : 202,
        'true',
      ]);
      expect(body.id).toBe(first.body.id);
    }
    expect([again.status, waiting.status]).toEqual([202, 200]);
    expect(await tasks()).toHaveLength(1);
    await runTasks();
    const done = await mine.submit(text(), later(keyed('one')));
    expect([done.status, done.body.status]).toEqual([200, 'published']);
    expect(await mine.usage()).toHaveLength(1);
  });

  test('20 concurrent requests with the same key create one job and one task', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => mine.submit(batch('A', 'B'), later(keyed('same')))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(
      new Set(answers.map(({ body }) => JSON.stringify(body.map(({ id }: { id: string }) => id)))).size,
    ).toBe(1);
    await runTasks();
    expect(await mine.list()).toHaveLength(2);
    expect(await mine.usage()).toHaveLength(2);
  });

  test('is rejected by the same gates, and leaves nothing', async () => {
    const none = { source_text: '', target_lang: 'fr' };
    expect((await mine.submit(none, later())).status).toBe(400);
    await sql()`update tenants set monthly_char_limit = 8 where tenant_id = ${mine.tenantId}`;
    // Together they do not fit, although each of them does.
    const refused = await mine.submit(batch('Hello', 'World'), later());
    expect(refused.status).toBe(429);
    expect([await mine.list(), await tasks(), await inFlight()]).toEqual([[], [], 0]);
    expect((await mine.submit(text(), later())).status).toBe(202);
    expect((await mine.submit(text(), later())).status).toBe(429);
  });

  test('a failed text is marked, costs nothing, and does not end the batch', async () => {
    answer = (source) => (source === 'Bad' ? new AppError('content_filtered', 'no') : `[fr] ${source}`);
    try {
      const { body } = await mine.submit(batch('Good', 'Bad', 'Fine'), later(keyed('mixed')));
      await runTasks();
      const jobs = await Promise.all(body.map(({ id }: { id: string }) => mine.read(id)));
      expect(jobs.map(({ status }) => status)).toEqual(['published', 'failed', 'published']);
      expect(await mine.usage()).toHaveLength(2);
      answer = (source) => `[fr] ${source}`;
      // The same request runs the failed text again, and only this one.
      const again = await mine.submit(batch('Good', 'Bad', 'Fine'), later(keyed('mixed')));
      expect([again.status, again.body.map(({ status }: { status: string }) => status)]).toEqual([
        202,
        ['published', 'pending', 'published'],
      ]);
      for (const payload of (await tasks()).slice(1)) await runQueued(app.services, payload);
      expect((await mine.read(body[1].id)).status).toBe('published');
      expect(await mine.usage()).toHaveLength(3);
    } finally {
      answer = (source) => `[fr] ${source}`;
    }
  });

  test('an error that may not occur again leaves the job pending for the next run of the task, for six runs', async () => {
    answer = () => new AppError('rate_limit', 'the model is busy');
    try {
      const { body } = await mine.submit(text(), later());
      for (let run = 1; run < 6; run++) {
        await expect(runTasks()).rejects.toThrow('busy');
        expect((await mine.read(body.id)).status).toBe('pending');
      }
      await runTasks();
      expect((await mine.read(body.id)).status).toBe('failed');
      expect(await inFlight()).toBe(0);
    } finally {
      answer = (source) => `[fr] ${source}`;
    }
  });

  test('a busy model lets the other texts of a batch be tried again, however many texts have failed before', async () => {
    answer = (source) =>
      source.startsWith('Bad')
        ? new AppError('content_filtered', 'no')
        : source === 'Busy'
          ? new AppError('rate_limit', 'the model is busy')
          : `[fr] ${source}`;
    try {
      const bad = Array.from({ length: 8 }, (_, n) => `Bad ${n}`);
      const { body } = await mine.submit(batch(...bad, 'Busy', 'Fine'), later());
      await expect(runTasks()).rejects.toThrow('busy');
      const statuses = async () =>
        Promise.all(body.map(async ({ id }: { id: string }) => (await mine.read(id)).status));
      expect(await statuses()).toEqual([...bad.map(() => 'failed'), 'pending', 'pending']);
      answer = (source) => `[fr] ${source}`;
      await runTasks();
      expect(await statuses()).toEqual([...bad.map(() => 'failed'), 'published', 'published']);
      expect(await mine.usage()).toHaveLength(2);
    } finally {
      answer = (source) => `[fr] ${source}`;
    }
  });

  test('a queued job never counts as stale', async () => {
    const { body } = await mine.submit(text(), later(keyed('waits')));
    await sql()`update translation_jobs set updated_at = now() - interval '5 hours' where job_id = ${body.id}`;
    await failStaleJobs(app.services, mine);
    const again = await mine.submit(text(), keyed('waits'));
    expect([again.body.id, again.body.status]).toEqual([body.id, 'pending']);
    expect(await inFlight()).toBe(5);
    await runTasks();
    expect((await mine.read(body.id)).status).toBe('published');
  });

  test('the results of a worker that is thought dead are discarded: one translation and one bill each', async () => {
    const { body: made } = await mine.submit(batch('Hello', 'World', 'Again'), later());
    const [body] = made;
    const [payload] = await tasks();
    let first: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      first = resolve;
    });
    const slow = engineOf(async ({ segments }) => {
      await held;
      return answered(segments.map(() => 'late'));
    });
    const dead = runQueued({ ...app.services, engine: slow }, payload!);
    await expect
      .poll(
        async () =>
          (await sql()`select attempt from translation_jobs where job_id = ${body.id}`)[0]!['attempt'],
      )
      .toBe(1);
    await runQueued(app.services, payload!);
    first?.();
    await dead.catch(() => {});
    expect((await mine.read(body.id)).final_translation).toBe('[fr] Hello');
    expect(await mine.usage()).toHaveLength(3);
    expect((await mine.list()).map(({ id }: { id: string }) => id).sort()).toEqual(
      made.map(({ id }: { id: string }) => id).sort(),
    );
    const records = await app.request(`/api/translations/${body.id}/golden`, { headers: mine.headers });
    expect(await records.text()).toContain('[fr] Hello');
  });

  test('the first text of a workspace comes before the others of a workspace with many', async () => {
    const other = await openWorkspace(app);
    const first = await mine.submit(batch('One', 'Two', 'Three'), later());
    const second = await mine.submit(text('Four'), later());
    const ofOther = await other.submit(text('Five'), later());
    const rows = await sql()`
      select j.payload -> 'jobs' -> 0 ->> 'id' as id from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'run_texts'
      where j.payload ->> 'tenantId' in (${mine.tenantId}, ${other.tenantId}) order by j.priority, j.id`;
    expect(rows.map(({ id }) => id)).toEqual([first.body[0].id, ofOther.body.id, second.body.id]);
  });

  test('is on disk before the response, unlike other admissions', async () => {
    await sql()`create table commits (queued boolean, mode text)`;
    await sql()`create function note_commit() returns trigger language plpgsql security definer as
      'begin insert into public.commits values (new.queued, current_setting(''synchronous_commit'')); return null; end'`;
    await sql()`create trigger noted after insert on translation_jobs for each row execute function note_commit()`;
    onTestFinished(async () => {
      await sql()`drop trigger noted on translation_jobs`;
    });
    await mine.submit(text(), later());
    await mine.submit(text());
    expect([...(await sql()`select queued, mode from commits order by queued`)]).toEqual([
      { queued: false, mode: 'off' },
      { queued: true, mode: 'on' },
    ]);
  });

  test('a deleted job is not translated', async () => {
    translated.length = 0;
    const { body } = await mine.submit(text('Never'), later());
    expect((await mine.remove(body.id, mine.admin)).status).toBe(200);
    await runTasks();
    expect(translated).toEqual([]);
    expect(await mine.usage()).toEqual([]);
  });

  test('is what submit and submitBatch of the SDK send, and waitFor returns the result', async () => {
    const client = new LinguaLoop({ baseUrl: app.address, apiKey: mine.apiKey });
    const job = await client.translations.submit(text());
    const jobs = await client.translations.submitBatch(batch('One', 'Two'));
    expect([job.status, jobs.map(({ status }) => status)]).toEqual(['pending', ['pending', 'pending']]);
    await withWorkers(app, async () => {
      const done = await client.translations.waitFor(job.id, { pollEvery: { firstMs: 20, maxMs: 20 } });
      expect(done.final_translation).toBe('[fr] Hello');
      for (const { id } of jobs)
        expect(
          (await client.translations.waitFor(id, { pollEvery: { firstMs: 20, maxMs: 20 } })).status,
        ).toBe('published');
    });
  });
});
