import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openMetrics } from '#server/observability/metrics.ts';
import { type OperatorServer, startOperatorServer } from '#server/observability/operator-server.ts';
import { watchReadiness } from '#server/observability/readiness.ts';
import { sendMeasurements } from '#server/platform/telemetry.ts';
import { publishParkedJobs } from '#server/texts/parked-jobs.ts';
import { failStaleJobsOfTenant } from '#server/texts/stale-sweep.ts';
import { openDocuments, recordingEngine } from '#test/documents/workspace.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

let operator: OperatorServer;
let mine: Workspace;
beforeAll(async () => {
  const { log, storage } = app.services;
  const metrics = openMetrics({
    version: '1.2.3',
    models: [],
    prices: {},
    process: { pools: new Map(), engineCalls: null, files: () => ({ queues: {}, processes: 0 }) },
  });
  sendMeasurements(metrics.meter);
  operator = await startOperatorServer(
    { host: '127.0.0.1', port: 0 },
    { readiness: watchReadiness({ database: app.database, storage, log }), metrics: metrics.print },
  );
});
afterAll(async () => {
  sendMeasurements(undefined);
  await operator.stop();
});
beforeEach(async () => {
  engine.reset();
  mine = await openWorkspace(app);
});

/** The values of lingualoop_jobs_total by kind and state, from the operators' port. */
async function counts(): Promise<Record<string, number>> {
  const text = await (await fetch(`${operator.address}/metrics`)).text();
  const found = text.matchAll(/^lingualoop_jobs_total\{kind="(\w+)",state="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, kind, state, n]) => [`${kind} ${state}`, Number(n)]));
}

/** Returns how much the counts increase while `work` runs. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await counts();
  await work();
  const added = Object.entries(await counts()).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(added.filter(([, n]) => n > 0));
}

const request = { source_text: 'Hello', target_lang: 'fr' };
const heldForReview = () => mine.job({ metadata: { sensitive: true } });

test.each([
  ['approve', {}, 'text published'],
  ['modify', { final_translation: 'Salut' }, 'text human_edited'],
  ['reject', {}, 'text rejected'],
])('a review that ends a job counts it: %s', async (action, fields, state) => {
  const { id } = await heldForReview();
  expect(await counted(() => mine.review(id, { action: 'save', final_translation: 'Brouillon' }))).toEqual(
    {},
  );
  const text = action === 'approve' ? { final_translation: 'fr of Hello' } : fields;
  expect(await counted(() => mine.review(id, { action, ...text }))).toEqual({ [state]: 1 });
  // The job is already closed.
  expect(await counted(() => mine.review(id, { action, ...text }))).toEqual({});
});

test('a job is counted when its persistence is pending, and when the sweep publishes it', async () => {
  const { storage } = app.services;
  const { put } = storage;
  onTestFinished(() => void Object.assign(storage, { put }));
  storage.put = async () => {
    throw new Error('the disk is full');
  };
  const { id } = await heldForReview();
  expect(await counted(() => mine.submit(request))).toEqual({ 'text persistence_failed': 1 });
  expect(await counted(() => mine.review(id, { action: 'approve' }))).toEqual({
    'text persistence_failed': 1,
  });
  const sweep = () => publishParkedJobs(app.services, mine.tenantId);
  expect(await counted(sweep)).toEqual({});
  storage.put = put;
  expect(await counted(sweep)).toEqual({ 'text published': 2 });
  expect(await counted(sweep)).toEqual({});
});

test('a run that fails is counted once, by whoever marked its job failed', async () => {
  engine.reply = () => {
    throw new Error('no model');
  };
  expect(await counted(() => mine.submit(request))).toEqual({ 'text failed': 1 });

  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<string[]>();
  engine.reply = () => {
    asked.resolve();
    return held.promise;
  };
  const submitted = mine.submit(request);
  await asked.promise;
  const sweep = () => failStaleJobsOfTenant(app.database, mine.tenantId, -1);
  expect(await counted(sweep)).toEqual({ 'text failed': 1 });
  held.reject(new Error('no model'));
  expect(await counted(() => submitted)).toEqual({});
});

test('a document is counted once it has ended, by the worker that ended it', async () => {
  const documents = await openDocuments(app);
  expect(await counted(() => documents.translate(['Hello']))).toEqual({ 'document translated': 1 });
  engine.reply = () => {
    throw new Error('no model');
  };
  const failing = await documents.queue(['Hello']);
  expect(await counted(() => documents.run(failing))).toEqual({ 'document failed': 1 });

  // Another worker has taken the job before the model of this worker fails.
  const sql = openSuperuser(app.superuserUrl);
  const taken = await documents.queue(['Hello']);
  engine.reply = async () => {
    await sql`update document_jobs set attempt = attempt + 1 where document_id = ${taken}`;
    throw new Error('no model');
  };
  expect(await counted(() => documents.run(taken))).toEqual({});
});
