import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { goldenFiles } from './golden-files.ts';
import {
  about,
  askedRoles,
  bread,
  cat,
  garden,
  german,
  good,
  heldReply,
  liveEngine,
  train,
  when,
} from './live.ts';
import { keyed, openWorkspace, type Workspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const held = holdRuns();
const holding = useTestApp({ env, engine: held.engine });
const small = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '20' }, engine: held.engine });
afterEach(() => held.release());

const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });
const slots = 8;
const narrow = useTestApp({
  env,
  engine: liveEngine(fake, {}, { concurrencyLimit: createConcurrencyLimit({ slots }) }),
});
beforeEach(() => {
  fake.otherwise(good);
  fake.requests.length = 0;
});

const batchOf = (texts: readonly string[], Language = 'de') => ({
  inputs: texts.map((Text) => ({ Text, Targets: [{ Language }] })),
});
const begun = async (count: number) => {
  const runs = [];
  for (let n = 0; n < count; n++) runs.push(await held.next());
  return runs;
};

/** Keys, statuses and usage of the tenant's jobs, in the order of their keys. */
async function storedJobs({ tenantId }: Workspace, app = holding) {
  const jobs = await openSuperuser(app.superuserUrl)`
    select j.idempotency_key, j.status, u.job_id is not null as billed
    from translation_jobs j left join usage_records u using (tenant_id, job_id)
    where j.tenant_id = ${tenantId} order by j.idempotency_key`;
  return jobs.map(({ idempotency_key, status, billed }) => [idempotency_key, status, billed]);
}

describe('items that do not depend on each other run side by side', () => {
  test('whichever ends first, the response and the list have the order of the batch', async () => {
    const mine = await openWorkspace(holding);
    const texts = ['held one', 'held two', 'held three', 'held four'];
    const answer = mine.submit(batchOf(texts), keyed('k'));
    const runs = await begun(texts.length);
    for (const run of runs.toReversed()) run.succeed();
    const { status, body } = await answer;
    expect(status).toBe(200);
    const final = (jobs: { final_translation: string }[]) => jobs.map((job) => job.final_translation);
    expect(final(body)).toEqual(texts.map((text) => `«${text}»`));
    expect(final(await mine.list())).toEqual(final(body).toReversed());
    for (const job of body) expect(await mine.read(job.id)).toEqual(job);
    expect(await storedJobs(mine)).toEqual(texts.map((_, index) => [`k:${index}`, 'published', true]));
  });

  test('an item is not stored, nor billed, before the items in front of it', async () => {
    const mine = await openWorkspace(holding);
    const answer = mine.submit(batchOf(['held one', 'held two', 'three']), keyed('k'));
    const [one, two] = await begun(2);
    two?.succeed();
    expect(await storedJobs(mine)).toEqual([0, 1, 2].map((index) => [`k:${index}`, 'pending', false]));
    one?.succeed();
    expect((await answer).status).toBe(200);
    expect((await storedJobs(mine)).map(([, , billed]) => billed)).toEqual([true, true, true]);
  });

  test('a batch that exceeds the allowance begins no item, also with a key', async () => {
    const mine = await openWorkspace(small);
    const { status } = await mine.submit(batchOf(['held number one', 'held number two']), keyed('k'));
    expect(status).toBe(429);
    const next = mine.submit(batchOf(['held 3']));
    const [run] = await begun(1);
    expect(run?.text).toBe('held 3');
    run?.succeed();
    expect((await next).status).toBe(200);
  });
});

describe('an item that fails while later ones run', () => {
  const texts = ['held apples', 'held by the sea', 'held contract', 'held door', 'held election day'];

  test('leaves the earlier items, and nothing of the later ones; a repeat continues', async () => {
    const mine = await openWorkspace(holding);
    const answer = mine.submit(batchOf(texts), keyed('k'));
    const runs = await begun(5);
    runs[3]?.succeed();
    runs[2]?.fail(new Error('broken'));
    await expect.poll(() => runs[4]?.signal?.aborted).toBe(true);
    expect([runs[0]?.signal?.aborted, runs[1]?.signal?.aborted]).toEqual([false, false]);
    runs[1]?.succeed();
    runs[0]?.succeed();
    expect((await answer).status).toBe(500);
    const kept = [
      ['k:0', 'published', true],
      ['k:1', 'published', true],
    ];
    expect(await storedJobs(mine)).toEqual([...kept, ['k:2', 'failed', false]]);
    const failed = (await mine.list()).find(({ status }: { status: string }) => status === 'failed');

    const again = mine.submit(batchOf(texts), keyed('k'));
    for (const run of await begun(3)) run.succeed();
    const { status, body } = await again;
    expect([status, body.length, body[2].id]).toEqual([200, 5, failed.id]);
    expect(await storedJobs(mine)).toEqual(texts.map((_, index) => [`k:${index}`, 'published', true]));
    expect(await mine.usage()).toHaveLength(5);
  });

  test('the first in order decides the response, whichever fails first', async () => {
    const mine = await openWorkspace(holding);
    const answer = mine.submit(batchOf(texts.slice(0, 3)), keyed('k'));
    const runs = await begun(3);
    runs[1]?.fail(new AppError('content_filtered', 'the later one'));
    await expect.poll(() => runs[2]?.signal?.aborted).toBe(true);
    runs[0]?.fail(new AppError('transient_error', 'the first one'));
    const { status, body } = await answer;
    expect([status, body.detail]).toEqual([503, 'the first one']);
    expect(await storedJobs(mine)).toEqual([['k:0', 'failed', false]]);
  });

  test('a job of a later key that a concurrent submission made stays as it is', async () => {
    const mine = await openWorkspace(holding);
    const answer = mine.submit(batchOf(['held apples', 'held by the sea', 'three']), keyed('k'));
    const [first, second] = await begun(2);
    const single = await mine.submit({ source_text: 'three', target_lang: 'de' }, keyed('k:2'));
    second?.succeed();
    first?.succeed();
    const { status, body } = await answer;
    expect([status, body.length]).toEqual([200, 3]);
    expect(body[2].id).toBe(single.body.id);
    expect([...(await goldenFiles(holding, mine)).keys()]).toHaveLength(3);
    expect(await storedJobs(mine)).toEqual([0, 1, 2].map((index) => [`k:${index}`, 'published', true]));
    expect(await mine.usage()).toHaveLength(3);
  });
});

describe('items that depend on each other give the response of single requests', () => {
  const morning = 'The cat sleeps on the warm windowsill in the morning.';
  const translate = (text: string) =>
    text === morning ? 'Die Katze schläft am Morgen auf der warmen Fensterbank.' : (german[text] ?? text);
  const texts = [cat, bread, morning, cat, train, bread];

  /** The parts of a job that depend on the TM. */
  const leverageOf = (job: {
    status: string;
    final_translation: string;
    request: { metadata: { provenance?: { fast_path: string } } };
    agent_run: { steps: { decisions: { label: string; rationale: string }[] }[] };
  }) => ({
    status: job.status,
    final: job.final_translation,
    fastPath: job.request.metadata.provenance?.fast_path,
    close: job.agent_run.steps.flatMap(({ decisions }) =>
      decisions.filter(({ label }) => label === 'close_match').map(({ rationale }) => rationale),
    ),
  });

  test('a repeated text is served from the TM, and a similar one gets its fuzzy match', async () => {
    fake.otherwise(translatingReply({ translate }));
    const [batched, single] = [await openWorkspace(live), await openWorkspace(live)];
    // The fuzzy matches of a tenant without a TM for the languages are not looked up.
    for (const at of [batched, single]) await at.job({ source_text: garden, target_lang: 'de' });
    fake.requests.length = 0;
    const { body } = await batched.submit(batchOf(texts));
    const calls = askedRoles(fake).translation;
    expect(calls).toBe(4);
    fake.requests.length = 0;
    const jobs = [];
    for (const source_text of texts) jobs.push(await single.job({ source_text, target_lang: 'de' }));
    expect(askedRoles(fake).translation).toBe(calls);
    expect(body.map(leverageOf)).toEqual(jobs.map(leverageOf));
    expect(body.map(leverageOf)[2].close).toEqual([`“${cat}” → “${german[cat]}”`]);
    expect(body.map(leverageOf)[3].fastPath).toBe('tm_exact');
  });

  test('a similar text begins when the earlier one is stored, other texts immediately', async () => {
    const mine = await openWorkspace(live);
    await mine.job({ source_text: garden, target_lang: 'de' });
    fake.requests.length = 0;
    const gate = heldReply(translatingReply({ translate }));
    fake.otherwise(when(about(cat), gate.held, translatingReply({ translate })));
    const answer = mine.submit(batchOf([cat, morning, bread]));
    await expect.poll(() => askedRoles(fake).verification).toBe(1);
    await expect.poll(() => askedRoles(fake).translation).toBe(2);
    gate.letGo();
    expect((await answer).status).toBe(200);
    expect(askedRoles(fake).translation).toBe(3);
  });
});

test('a batch uses at most its tenant’s share of the model’s slots, and completes', async () => {
  const [busy, calm] = [await openWorkspace(narrow), await openWorkspace(narrow)];
  const gate = heldReply();
  fake.otherwise(when((asked) => !about(train)(asked), gate.held));
  const texts = Array.from({ length: 50 }, (_, n) => `${n} ${String.fromCharCode(97 + (n % 26)).repeat(9)}`);
  const answer = busy.submit(batchOf(texts));
  await gate.reached;
  expect(await calm.job({ source_text: train, target_lang: 'de' })).toMatchObject({ status: 'published' });
  expect(fake.requests).toHaveLength((slots * 3) / 4 + 3);
  gate.letGo();
  const { status, body } = await answer;
  expect([status, body.length]).toEqual([200, 50]);
});
