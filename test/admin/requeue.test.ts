import { expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { viaRpc } from '../contract/call.ts';
import { type Documents, openDocuments, recordingEngine } from '../documents/workspace.ts';
import { byTheServer, env, operateHere, outputOf } from './command.ts';

const engine = recordingEngine();
const app = useTestApp({
  env: { ...env, OPERATOR_API_KEY: operator['x-api-key'], OUTAGE_HOURS: '0' },
  engine,
});

const texts = (count: number) => Array.from({ length: count }, (_, n) => `Text number ${n}`);

/**
 * Creates a document with two groups of texts in each of these workspaces. The second group has failed, because the
 * model was unavailable.
 */
async function failed(...workspaces: Documents[]): Promise<string[]> {
  engine.reset();
  const queued = workspaces.map(async (mine) => ({ mine, id: await mine.queue(texts(81)) }));
  const documents = await Promise.all(queued);
  engine.reply = ({ segments, targetLang }) => {
    if (segments.includes('Text number 80')) throw new AppError('transient_error', 'not reachable');
    return segments.map((segment) => `${targetLang} of ${segment}`);
  };
  await Promise.all(documents.map(({ mine, id }) => mine.run(id)));
  for (const { mine, id } of documents) expect((await mine.read(id)).failure.code).toBe('transient_error');
  engine.reset();
  return documents.map(({ id }) => id);
}

test('requeue: a failed document is finished from where it stopped, and billed once', {
  timeout: 60_000,
}, async () => {
  const mine = await openDocuments(app);
  const [id] = (await failed(mine)) as [string];
  const found = [{ code: 'transient_error', documents: 1 }];
  expect(await outputOf(app, ['requeue', '--id', id, '--dry-run'])).toEqual([
    { requeued: 0, left: 1, found },
  ]);
  expect((await mine.read(id)).status).toBe('failed');
  expect(await outputOf(app, ['requeue', '--id', id])).toEqual([{ requeued: 1, left: 0, found }]);
  expect(await mine.read(id)).toMatchObject({ status: 'extracted', failure: null, error: null });
  await mine.run(id);
  expect(await mine.read(id)).toMatchObject({ status: 'translated' });
  expect(engine.texts()).toEqual(['Text number 80']);
  expect(await mine.records()).toHaveLength(1);
  expect((await mine.artifacts(id)).map(({ kind }: { kind: string }) => kind)).toEqual([
    'source',
    'translated',
  ]);
  expect(await eventsOf(app, mine.tenantId, 'document_requeued')).toEqual([
    byTheServer(id, { code: 'transient_error', stage: 'map_translate' }),
  ]);
  await expect(operateHere(app, ['requeue', '--id', id])).rejects.toThrow('did not fail (status=translated)');
  await expect(operateHere(app, ['requeue', '--id', 'unknown'])).rejects.toThrow('not found');
});

test('requeue: all that failed since a moment, but nothing that was billed or is the file’s fault', {
  timeout: 60_000,
}, async () => {
  const [mine, other] = [await openDocuments(app), await openDocuments(app)];
  const ids = await failed(mine, mine, mine, mine, other);
  const [earlier, wanted, billed, unreadable, foreign] = ids as [string, string, string, string, string];
  await mine.change(earlier, { updated_at: new Date('2026-01-01T00:00:00Z') });
  const failure = (await mine.read(wanted)).failure;
  await mine.change(billed, { failure: { ...failure, metadata: { delivered_to: 'https://account/x' } } });
  await mine.change(unreadable, { failure: { ...failure, code: 'unexpected_error' } });
  await mine.change(wanted, { failure: { ...failure, code: 'interrupted', stage: 'worker' } });
  const args = ['requeue', '--since', '2026-02-01', '--tenant', mine.tenantId];
  const found = [{ code: 'interrupted', documents: 1 }];
  expect(await outputOf(app, args)).toEqual([{ requeued: 1, left: 0, found }]);
  const statuses = async () => {
    const read = [earlier, wanted, billed, unreadable].map(async (id) => (await mine.read(id)).status);
    return [...(await Promise.all(read)), (await other.read(foreign)).status];
  };
  expect(await statuses()).toEqual(['failed', 'extracted', 'failed', 'failed', 'failed']);
  await expect(operateHere(app, ['requeue'])).rejects.toThrow('--id or --since is required');
  await expect(operateHere(app, ['requeue', '--id', wanted, '--since', '2026-02-01'])).rejects.toThrow(
    'not both',
  );

  // Calls a procedure of the operators' screen.
  const call = (path: string, type: 'query' | 'mutation', input: object, headers: Record<string, string>) =>
    viaRpc(
      app,
      { path: `documents.${path}`, type },
      { input: { since: '2026-02-01T00:00:00Z', ...input }, headers },
    );
  expect((await call('requeue', 'mutation', {}, mine.admin)).status).toBe(403);
  expect((await call('outage', 'query', {}, mine.admin)).status).toBe(403);
  expect((await call('outage', 'query', {}, operator)).body).toEqual({
    waiting: [],
    failed: [{ code: 'transient_error', documents: 1 }],
  });
  const elsewhere = { ...operator, 'x-tenant-id': 'another' };
  expect((await call('outage', 'query', {}, elsewhere)).body.failed).toEqual([]);
  expect((await call('requeue', 'mutation', {}, elsewhere)).body).toMatchObject({ found: [], requeued: 0 });
  expect((await call('requeue', 'mutation', {}, operator)).body).toMatchObject({ requeued: 1, left: 0 });
  expect(await statuses()).toEqual(['failed', 'extracted', 'failed', 'failed', 'extracted']);
});

test('cancel-document: a running document ends unbilled, its worker stores nothing more, and it can be queued again', {
  timeout: 60_000,
}, async () => {
  const mine = await openDocuments(app);
  engine.reset();
  const id = await mine.queue(texts(80));
  let canceled: object[] | undefined;
  const reply = ({ segments, targetLang }: { segments: readonly string[]; targetLang: string }) =>
    segments.map((segment) => `${targetLang} of ${segment}`);
  engine.reply = async (task) => {
    canceled ??= await outputOf(app, ['cancel-document', id]);
    return reply(task);
  };
  await mine.run(id);
  expect(canceled).toEqual([{ tenant_id: mine.tenantId, stage: 'map_translate' }]);
  expect(await mine.read(id)).toMatchObject({ status: 'failed', failure: { code: 'interrupted' } });
  expect(await mine.records()).toEqual([]);
  expect(await eventsOf(app, mine.tenantId, 'document_canceled')).toEqual([
    byTheServer(id, { stage: 'map_translate' }),
  ]);
  await expect(operateHere(app, ['cancel-document', id])).rejects.toThrow('not in progress (status=failed)');
  await expect(operateHere(app, ['cancel-document', 'unknown'])).rejects.toThrow('not found');
  engine.reset();
  await operateHere(app, ['requeue', '--id', id]);
  await mine.run(id);
  expect(await mine.read(id)).toMatchObject({ status: 'translated' });
  expect(await mine.records()).toHaveLength(1);
});
