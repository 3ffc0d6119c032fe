import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered } from '#test/setup/engine.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { tasks } from '#workers/tasks.ts';
import { type Documents, openDocuments, recordingEngine } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const hasty = useTestApp({ env: { ...env, DOCUMENT_STAGE_TIMEOUT_SECONDS: '1' }, engine });

let mine: Documents;
beforeEach(async () => {
  engine.reset();
  mine = await openDocuments(app);
});

const texts = (count: number, of = 'Text number') => Array.from({ length: count }, (_, n) => `${of} ${n}`);

describe('B 3.2: a worker', () => {
  test('translates queued documents, bills each once, and leaves no job behind', {
    timeout: 30_000,
  }, async () => {
    const ids = [await mine.queue(['Hello']), await mine.queue(['World'])];
    await withWorkers(app, async () => {
      for (const id of ids) await poll(async () => (await mine.read(id)).status === 'translated');
    });
    const records = await mine.records();
    expect(records.map(({ job_id }) => job_id).toSorted()).toEqual(ids.toSorted());
    expect(records[0]).toMatchObject({
      tenant_id: mine.tenantId,
      kind: 'document',
      source_lang: 'en',
      target_lang: 'fr',
      source_chars: 5,
      billable_chars: 5,
      job_status: 'translated',
      fast_path: null,
    });
    const { body: usage } = await app.json('GET', `/api/tenants/${mine.tenantId}/billing`, {
      headers: mine.admin,
    });
    expect(usage).toMatchObject({ jobs: 2, source_chars: 10, billable_chars: 10 });
    const waiting = await openSuperuser(app.superuserUrl)`
      select key from graphile_worker.jobs where key = any(${ids.map((id) => `run_document:${id}`)})`;
    expect([...waiting]).toEqual([]);
  });

  test('A 8.1: bills dense scripts by their weight, and shows the raw characters', async () => {
    const { id, billable_chars } = await mine.translate(['Hello 😀'], { target_lang: 'ja' });
    expect(billable_chars).toBe(7);
    expect(await mine.records()).toEqual([
      expect.objectContaining({ job_id: id, source_chars: 7, billable_chars: 25 }),
    ]);
  });

  test('B 4.3: the priority of a job is the number of its tenant’s unfinished documents', async () => {
    const ids = [await mine.queue(), await mine.queue(), await mine.queue()];
    const other = await openDocuments(app);
    ids.push(await other.queue());
    const rows = await openSuperuser(app.superuserUrl)`
      select key, priority from graphile_worker.jobs where key = any(${ids.map((id) => `run_document:${id}`)})`;
    const priorityOf = (id: string) => rows.find(({ key }) => key === `run_document:${id}`)?.['priority'];
    expect(ids.map(priorityOf)).toEqual([1, 2, 3, 1]);
  });

  test('of one tenant’s many documents does not keep another tenant waiting', {
    timeout: 30_000,
  }, async () => {
    const ids: string[] = [];
    for (const cell of ['first', 'second', 'third', 'fourth']) ids.push(await mine.queue([cell]));
    const other = await openDocuments(app);
    const theirs = await other.queue(['theirs']);
    await withWorkers(app, async () => {
      for (const id of ids) await poll(async () => (await mine.read(id)).status === 'translated');
      await poll(async () => (await other.read(theirs)).status === 'translated');
    });
    // Two workers begin with the first document of each tenant.
    // Other tests have left documents in the queue.
    const order = engine.texts().filter((text) => text !== 'Hello');
    expect(order.slice(0, 2).toSorted()).toEqual(['first', 'theirs']);
    expect(order.slice(2).toSorted()).toEqual(['fourth', 'second', 'third']);
  });

  test('that gives way keeps the place of its document before younger ones', async () => {
    const ids = [await mine.queue(texts(201)), await mine.queue(), await mine.queue()];
    const { backgroundWork } = app.services;
    Object.assign(app.services, { backgroundWork: { ...backgroundWork, closing: true } });
    try {
      await mine.run(ids[0]!);
    } finally {
      Object.assign(app.services, { backgroundWork });
    }
    const [job] = await openSuperuser(app.superuserUrl)`
      select priority from graphile_worker.jobs where key = ${`run_document:${ids[0]}`}`;
    expect(job).toEqual({ priority: 1 });
  });

  test('that runs a finished, failed or deleted job does nothing', async () => {
    const { id } = await mine.translate();
    const before = await mine.row(id);
    expect(await mine.run(id)).toBeUndefined();
    expect(await mine.row(id)).toEqual(before);
    expect(await mine.run('f'.repeat(32))).toBeUndefined();
  });

  test('asks for neighbours together, with the text before them as context', async () => {
    await mine.translate(texts(90));
    // The groups are asked for at once.
    const groups = engine.asked.map(({ segments, contextBefore }) => [contextBefore, segments.length]);
    expect(new Map(groups as [string | null, number][])).toEqual(
      new Map([
        [null, 40],
        ['Text number 39', 40],
        ['Text number 79', 10],
      ]),
    );
    expect(engine.asked.every(({ hasTags }) => !hasTags)).toBe(true);
    engine.reset();
    await mine.translate(['x'.repeat(5900), 'y'.repeat(200), 'z'.repeat(7000)]);
    expect(engine.asked.map(({ segments }) => segments.length)).toEqual([1, 1, 1]);
  });

  test('C 7 "Documents": equal texts are several segments and one translation', async () => {
    const cells = Array.from({ length: 1000 }, (_, n) => `Repeated ${n % 10}`);
    const { id, billable_chars, quality_report } = await mine.translate(cells);
    expect(engine.texts().toSorted()).toEqual(texts(10, 'Repeated'));
    expect(quality_report).toMatchObject({ translated_units: 1000, total_units: 1000 });
    expect(billable_chars).toBe(10_000);
    expect((await mine.segments(id)).total).toBe(1000);
    expect(await mine.targets(id)).toEqual(cells.slice(0, 500).map((text) => `fr of ${text}`));
  });
});

describe('a segment that is known', () => {
  test('is served by the glossary or the memory, and the engine is not asked', async () => {
    const sets = setsOf(app, mine.headers);
    await sets.memory([['Good morning', 'Bonjour']]);
    await sets.glossary(['engine,moteur']);
    const { id } = await mine.translate(['Good  morning', 'Engine', 'The engine is on']);
    const { segments } = await mine.segments(id);
    expect(segments.map((one: Record<string, unknown>) => [one['target_text'], one['fast_path']])).toEqual([
      ['Bonjour', 'tm_exact'],
      ['moteur', 'glossary_exact'],
      ['fr of The engine is on', null],
    ]);
    expect(segments[0]).toMatchObject({
      quality: { score: null, needs_review: false, issues: [] },
      provenance: { engine: null },
    });
    expect(Object.keys(segments[0].provenance).length).toBeGreaterThan(1);
    expect(engine.texts()).toEqual(['The engine is on']);
    expect(engine.asked[0]?.glossary).toEqual([expect.objectContaining({ source: 'engine' })]);
  });

  test('whose translation misses a term is flagged, and the finding says so', async () => {
    await setsOf(app, mine.headers).glossary(['engine,moteur']);
    engine.reply = () => ['La machine tourne'];
    const { id, quality_report } = await mine.translate(['The engine is on']);
    expect(quality_report.findings).toEqual([
      expect.objectContaining({ severity: 'warning', code: 'terminology_noncompliant', unit_id: 'A1' }),
    ]);
    expect(quality_report.metadata.llm_quality).toEqual({ needs_review_units: 1, noncompliant_units: 1 });
    expect((await mine.segments(id, '?flagged=true')).total).toBe(1);
    expect((await mine.approve(id)).body.approval_result.skipped.needs_review).toBe(1);
  });

  test('of a target that misses a term of the glossary is translated', async () => {
    const sets = setsOf(app, mine.headers);
    await sets.memory([['The engine is on', 'La machine tourne']]);
    await sets.glossary(['engine,moteur']);
    engine.reply = () => ['Le moteur tourne'];
    const { id } = await mine.translate(['The engine is on']);
    expect(await mine.targets(id)).toEqual(['Le moteur tourne']);
  });
});

describe('A 8.2: the allowance', () => {
  test('holds the characters from admit on, until they are used', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const id = await theirs.queue(['x'.repeat(60)]);
    // Nothing is held before it is known how much.
    await theirs.job({ source_text: 'y'.repeat(10) });
    engine.reply = async ({ segments }) => {
      if (segments[0]?.startsWith('x')) {
        expect((await theirs.submit({ source_text: 'z'.repeat(31), target_lang: 'fr' })).status).toBe(429);
        expect((await theirs.submit({ source_text: 'z'.repeat(30), target_lang: 'fr' })).status).toBe(200);
        expect(await theirs.row(id)).toMatchObject({ stage: 'map_translate', reserved_chars: '60' });
      }
      return ['fr'];
    };
    await theirs.run(id);
    expect(await theirs.row(id)).toMatchObject({ status: 'translated', reserved_chars: '0' });
    expect((await theirs.submit({ source_text: 'z', target_lang: 'fr' })).status).toBe(429);
  });

  test('that has no room ends the job before anything is translated', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const cells = ['x'.repeat(101)];
    const waited = await theirs.send({
      source_document: workbookFile(cells),
      wait: 'true',
      idempotency_key: 'full',
    });
    expect([waited.status, waited.body.error_code]).toEqual([429, 'quota_exceeded']);
    const again = await theirs.send({ source_document: workbookFile(cells), idempotency_key: 'full' });
    expect(again).toMatchObject({
      status: 200,
      body: {
        status: 'failed',
        billable_chars: 0,
        error: expect.any(String),
        failure: {
          code: 'quota_exceeded',
          stage: 'admit',
          retry_attempts: 0,
          transient: false,
          timeout: false,
        },
      },
    });
    expect(again.body.error).toBe(again.body.failure.message);
    expect(engine.asked).toEqual([]);
    expect(await theirs.records()).toEqual([]);
    // And holds nothing.
    expect((await theirs.submit({ source_text: 'z'.repeat(100), target_lang: 'fr' })).status).toBe(200);
  });

  test('of two documents that fit alone and not together admits one', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const ids = [await theirs.queue(['x'.repeat(60)]), await theirs.queue(['y'.repeat(60)])];
    await Promise.all(ids.map((id) => theirs.run(id)));
    const statuses = await Promise.all(ids.map(async (id) => (await theirs.read(id)).status));
    expect(statuses.toSorted()).toEqual(['failed', 'translated']);
  });

  test('of a failed job is free again', async () => {
    const theirs = await openDocuments(app, { monthly_char_limit: 100 });
    const id = await theirs.queue(['x'.repeat(60)]);
    engine.reply = () => {
      throw new AppError('content_filtered', 'refused');
    };
    await theirs.run(id);
    expect(await theirs.row(id)).toMatchObject({ status: 'failed', reserved_chars: '0', running: false });
    engine.reset();
    expect((await theirs.submit({ source_text: 'z'.repeat(100), target_lang: 'fr' })).status).toBe(200);
  });
});

describe('B 8 "Per-stage time budget": a stage that fails', () => {
  test('for a passing reason is tried again, twice', { timeout: 20_000 }, async () => {
    const id = await mine.queue(['Hello']);
    let calls = 0;
    engine.reply = () => {
      if (++calls < 3) throw new AppError(calls === 1 ? 'transient_error' : 'rate_limit', 'busy');
      return ['Bonjour'];
    };
    await mine.run(id);
    expect(calls).toBe(3);
    expect(await mine.read(id)).toMatchObject({ status: 'translated', failure: null });
    expect(await mine.records()).toHaveLength(1);
  });

  test('for a passing reason three times is a transient_error', { timeout: 20_000 }, async () => {
    engine.reply = () => {
      throw new AppError('rate_limit', 'the provider is busy');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'busy' });
    expect([status, body.error_code]).toEqual([503, 'transient_error']);
    expect(engine.asked).toHaveLength(3);
    expect((await mine.send({ idempotency_key: 'busy' })).body).toMatchObject({
      status: 'failed',
      failure: {
        code: 'transient_error',
        stage: 'map_translate',
        retry_attempts: 2,
        transient: true,
        timeout: false,
      },
    });
    expect(await mine.records()).toEqual([]);
  });

  test('because the text is refused is not tried again: 422 with wait', async () => {
    engine.reply = () => {
      throw new AppError('content_filtered', 'refused');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'refused' });
    expect([status, body.error_code]).toEqual([422, 'content_filtered']);
    expect(engine.asked).toHaveLength(1);
    expect((await mine.send({ idempotency_key: 'refused' })).body.failure).toMatchObject({
      code: 'unexpected_error',
      stage: 'map_translate',
      retry_attempts: 0,
    });
  });

  test('by a fault says nothing about the inside', async () => {
    engine.reply = () => {
      throw new Error('secret detail');
    };
    const { status, body } = await mine.send({ wait: 'true', idempotency_key: 'fault' });
    expect([status, body.error_code]).toEqual([500, 'internal_error']);
    const { body: job } = await mine.send({ idempotency_key: 'fault' });
    expect(job.failure.code).toBe('unexpected_error');
    expect(JSON.stringify([body, job])).not.toContain('secret detail');
  });

  test('keeps what its groups have translated', async () => {
    const id = await mine.queue(texts(90));
    engine.reply = ({ segments, targetLang }) => {
      if (segments[0] === 'Text number 40') throw new AppError('content_filtered', 'refused');
      return segments.map((segment) => `${targetLang} of ${segment}`);
    };
    await mine.run(id);
    expect(await mine.row(id)).toMatchObject({ status: 'failed', segments: 90, translated_segments: 50 });
    expect(await mine.read(id)).toMatchObject({ billable_chars: 0, quality_report: null });
  });

  test('at the end of its time is a stage_timeout: 504 with wait', { timeout: 20_000 }, async () => {
    const theirs = await openDocuments(hasty);
    engine.reply = (_task, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    const { status, body } = await theirs.send({ wait: 'true', idempotency_key: 'slow' });
    expect([status, body.error_code]).toEqual([504, 'stage_timeout']);
    const { body: job } = await theirs.send({ idempotency_key: 'slow' });
    expect(job.failure).toMatchObject({
      code: 'stage_timeout',
      stage: 'map_translate',
      timeout: true,
      transient: false,
      retry_attempts: 0,
    });
    expect(engine.asked).toHaveLength(1);
    expect(await theirs.records()).toEqual([]);
  });

  test('counts the time of the workers before', async () => {
    const theirs = await openDocuments(hasty);
    const id = await theirs.queue(['Hello']);
    await openSuperuser(hasty.superuserUrl)`
      update document_jobs set stage_timings = '{"extract": 1000}' where document_id = ${id}`;
    await theirs.run(id);
    expect((await theirs.read(id)).failure).toMatchObject({ code: 'stage_timeout', stage: 'extract' });
  });
});

describe('a worker that dies', () => {
  test('is followed by another, which goes on where it stood', async () => {
    const id = await mine.queue(texts(90));
    engine.reply = ({ segments, targetLang }) => {
      if (segments[0] === 'Text number 40') throw new AppError('content_filtered', 'refused');
      return segments.map((segment) => `${targetLang} of ${segment}`);
    };
    await mine.run(id);
    // As if it had been killed instead.
    await mine.change(id, { status: 'extracted', running: true, failure: null, reserved_chars: 1 });
    engine.reset();
    await mine.run(id);
    expect(engine.texts()).toEqual(texts(90).slice(40, 80));
    expect(await mine.row(id)).toMatchObject({
      status: 'translated',
      attempt: 2,
      translated_segments: 90,
      interruptions: 0,
    });
    expect(await mine.records()).toHaveLength(1);
  });

  test('and was only slow writes nothing once another has the job', async () => {
    const id = await mine.queue(['Hello']);
    engine.reply = async () => {
      if (engine.asked.length > 1) return ['of the second'];
      // A second worker takes the job while this one waits for the engine.
      await mine.run(id);
      return ['of the first'];
    };
    expect(await mine.run(id)).toBeUndefined();
    expect(await mine.targets(id)).toEqual(['of the second']);
    expect(await mine.row(id)).toMatchObject({ status: 'translated', attempt: 2, translated_segments: 1 });
    expect(await mine.records()).toHaveLength(1);
    expect(await mine.artifacts(id)).toHaveLength(2);
  });

  test.each(['ingest', 'extract', 'admit', 'map_translate', 'reconstruct'])(
    'at the beginning of %s costs nothing but an interruption',
    async (stage) => {
      const id = await mine.queue(['Hello']);
      const stored = await stopAt(id, stage);
      expect(stored).toMatchObject({ stage, running: true, interruptions: 0 });
      await mine.run(id);
      expect(await mine.read(id)).toMatchObject({ status: 'translated', billable_chars: 5 });
      expect(engine.texts()).toEqual(['Hello']);
      expect(await mine.records()).toHaveLength(1);
    },
  );

  /** Stores the job as a worker leaves it that was killed when the stage began. */
  async function stopAt(id: string, stage: string) {
    const sql = openSuperuser(app.superuserUrl);
    await sql`create table if not exists stops (document_id text, stage text)`;
    await sql`grant all on stops to public`;
    await sql`insert into stops values (${id}, ${stage})`;
    await sql`
      create or replace function stop_at() returns trigger language plpgsql as $$ begin
        if old.stage in (select stage from stops s where s.document_id = old.document_id) and new.stage_timings <> old.stage_timings
        then raise exception 'killed'; end if; return new; end $$`;
    if (stage === 'ingest') await mine.change(id, { running: true, attempt: 1 });
    else {
      await sql`create trigger stop before update on document_jobs for each row execute function stop_at()`;
      try {
        await expect(mine.run(id)).rejects.toThrow();
      } finally {
        await sql`drop trigger stop on document_jobs`;
      }
    }
    return mine.row(id);
  }

  test('again and again, without progress, ends the job as interrupted', async () => {
    const id = await mine.queue(['Hello']);
    await mine.change(id, { running: true, interruptions: 19 });
    await mine.run(id);
    expect((await mine.read(id)).status).toBe('translated');

    const other = await mine.queue(['Hello'], { idempotency_key: 'deadly' });
    await mine.change(other, { running: true, interruptions: 20 });
    await mine.run(other);
    expect(await mine.read(other)).toMatchObject({
      status: 'failed',
      failure: { code: 'interrupted', stage: 'worker', transient: false },
    });
    expect(await mine.row(other)).toMatchObject({ running: false, reserved_chars: '0' });
  });

  test('is noticed: the sweep queues the job again', { timeout: 30_000 }, async () => {
    const id = await mine.queue(['Hello']);
    const sql = openSuperuser(app.superuserUrl);
    await sql`select graphile_worker.remove_job(${`run_document:${id}`})`;
    await mine.change(id, { running: true, updated_at: new Date(Date.now() - 3_600_000) });
    await tasks.sweep_stale_jobs.run(app.services, {});
    await withWorkers(app, async () => {
      await poll(async () => (await mine.read(id)).status === 'translated');
    });
  });
});

test('a worker gives way to others between two batches, and queues the job again', async () => {
  const id = await mine.queue(texts(500));
  const { backgroundWork } = app.services;
  Object.assign(app.services, { backgroundWork: { ...backgroundWork, closing: true } });
  const progress = [];
  try {
    for (let runs = 0; runs < 5 && (await mine.read(id)).status !== 'translated'; runs++) {
      await mine.run(id);
      progress.push((await mine.row(id))['translated_segments']);
      const [job] = await openSuperuser(app.superuserUrl)`
        select attempts from graphile_worker.jobs where key = ${`run_document:${id}`}`;
      expect(job).toBeDefined();
    }
  } finally {
    Object.assign(app.services, { backgroundWork });
  }
  expect(progress).toEqual([200, 400, 500]);
  expect(engine.texts().toSorted()).toEqual(texts(500).toSorted());
  expect(await mine.row(id)).toMatchObject({ attempt: 3, interruptions: 0 });
});

test('what a segment costs is summed, whatever the engine is', async () => {
  const judged = { score: 92, issues: [], summary: '' };
  engine.assessEach = async ({ segments }) =>
    answered(
      segments.map(() => judged),
      3,
    );
  try {
    const { id } = await mine.translate(texts(41));
    expect(await mine.records()).toEqual([
      expect.objectContaining({ job_id: id, input_tokens: 26, output_tokens: 26, models: ['model'] }),
    ]);
  } finally {
    engine.assessEach = async ({ segments }) => answered(segments.map(() => judged));
  }
});
