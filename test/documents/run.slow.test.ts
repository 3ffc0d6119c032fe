import { describe, expect, test } from 'vitest';
import { runDocument } from '#server/documents/run-document.ts';
import { AppError } from '#server/errors.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { openDocuments, recordingEngine, stoppable, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const texts = (count: number, of = 'Text number') => Array.from({ length: count }, (_, n) => `${of} ${n}`);

describe('a worker (B 3.2)', () => {
  test('translates queued documents, bills each once, and leaves no job behind', async () => {
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

  test('bills dense scripts by their weight, and shows the raw characters', async () => {
    const { id, billable_chars } = await mine.translate(['Hello 😀'], { target_lang: 'ja' });
    expect(billable_chars).toBe(7);
    expect(await mine.records()).toEqual([
      expect.objectContaining({ job_id: id, source_chars: 7, billable_chars: 25 }),
    ]);
  });

  test('the priority of a job is the number of its tenant’s unfinished documents', async () => {
    const ids = [await mine.queue(), await mine.queue(), await mine.queue()];
    const other = await openDocuments(app);
    ids.push(await other.queue());
    const rows = await openSuperuser(app.superuserUrl)`
      select key, priority from graphile_worker.jobs where key = any(${ids.map((id) => `run_document:${id}`)})`;
    const priorityOf = (id: string) => rows.find(({ key }) => key === `run_document:${id}`)?.['priority'];
    expect(ids.map(priorityOf)).toEqual([1, 2, 3, 1]);
  });

  test('of one tenant’s many documents does not keep another tenant waiting', async () => {
    const ids: string[] = [];
    for (const cell of ['first', 'second', 'third', 'fourth']) ids.push(await mine.queue([cell]));
    const other = await openDocuments(app);
    const theirs = await other.queue(['theirs']);
    await withWorkers(app, async () => {
      for (const id of ids) await poll(async () => (await mine.read(id)).status === 'translated');
      await poll(async () => (await other.read(theirs)).status === 'translated');
    });
    // Two workers start with the first document of each tenant. Documents of other tests may be in the queue, too.
    const order = engine.texts().filter((text) => text !== 'Hello');
    expect(order.slice(0, 2).toSorted()).toEqual(['first', 'theirs']);
    expect(order.slice(2).toSorted()).toEqual(['fourth', 'second', 'third']);
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
    // All groups are requested at the same time.
    const groups = engine.asked.map(({ segments, contextBefore }) => [contextBefore, segments.length]);
    expect(new Map(groups as [string | null, number][])).toEqual(
      new Map([
        [null, 80],
        ['Text number 79', 10],
      ]),
    );
    expect(engine.asked.every(({ hasTags }) => !hasTags)).toBe(true);
    engine.reset();
    await mine.translate(['x'.repeat(11_300), 'y'.repeat(200), 'z'.repeat(12_000)]);
    expect(engine.asked.map(({ segments }) => segments.length)).toEqual([1, 1, 1]);
  });

  test('equal texts are several segments and one translation', async () => {
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

  test('whose translation misses a term is flagged, with a finding', async () => {
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
});

test('a document has as many requests as the model takes: groups without capacity are translated by the others', async () => {
  const id = await mine.queue(texts(500));
  const { reply } = engine;
  let open = 0;
  const { promise: isFull, resolve: refuse } = Promise.withResolvers<void>();
  engine.reply = async (task, signal) => {
    open += 1;
    try {
      if (open > 3) {
        refuse();
        throw new AppError('rate_limit', 'too many requests');
      }
      // The open requests end after one has been refused.
      await isFull;
      return await reply(task, signal);
    } finally {
      open -= 1;
    }
  };
  try {
    await mine.run(id);
  } finally {
    engine.reset();
  }
  expect(await mine.row(id)).toMatchObject({ status: 'translated', interruptions: 0 });
});

describe('a process that stops', () => {
  /** More texts than groups in progress. Each is so long that it is a group. */
  const long = Array.from({ length: 100 }, (_, n) => `Text number ${n} ${'x'.repeat(6000)}`);
  const inFlight = 96;

  /** Whether the queued job must wait before the next worker takes it. */
  const waiting = async (id: string) =>
    (
      await openSuperuser(app.superuserUrl)`
        select run_at > now() as rests from graphile_worker.jobs where key = ${`run_document:${id}`}`
    )[0];

  test('begins no more groups, stores those in progress, and queues the job: nothing is sent twice', async () => {
    const id = await mine.queue(long);
    const process = stoppable(app);
    const { reply } = engine;
    engine.reply = (task, signal) => {
      process.stop();
      return reply(task, signal);
    };
    // The same state as if a worker had taken the job from the queue.
    await openSuperuser(app.superuserUrl)`select graphile_worker.remove_job(${`run_document:${id}`})`;
    try {
      expect(await mine.run(id)).toBeUndefined();
      expect(await mine.row(id)).toMatchObject({ stage: 'map_translate', translated_segments: inFlight });
      // Without the wait, the workers of the stopping process would take the job again immediately.
      expect(await waiting(id)).toEqual({ rests: true });
      await mine.run(id);
      expect(engine.texts()).toHaveLength(inFlight);
    } finally {
      process.restore();
    }
    await mine.run(id);
    expect(engine.texts().toSorted()).toEqual(long.toSorted());
    expect(await mine.row(id)).toMatchObject({ status: 'translated', interruptions: 0 });
  });

  test('gives a silent model little time, and keeps finished translations', async () => {
    const id = await mine.queue(long);
    const process = stoppable(app);
    const { reply } = engine;
    const silent = long[0];
    engine.reply = async (task, signal) => {
      if (!task.segments.includes(silent!)) return reply(task, signal);
      process.stop();
      const { promise, reject } = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => reject(signal.reason));
      return promise;
    };
    try {
      expect(await runDocument(app.services, mine.tenantId, id, { longestWait: 300 })).toBeUndefined();
    } finally {
      process.restore();
    }
    expect(await mine.row(id)).toMatchObject({
      stage: 'map_translate',
      translated_segments: inFlight - 1,
      running: false,
      failure: null,
    });
    expect(await waiting(id)).toBeDefined();
    engine.reset();
    await mine.run(id);
    expect(await mine.row(id)).toMatchObject({ status: 'translated', interruptions: 0 });
    expect(engine.texts()).toHaveLength(long.length - inFlight + 1);
  });
});
