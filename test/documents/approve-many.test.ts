import { expect, test } from 'vitest';
import { env, type Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openDocuments, recordingEngine, stoppable, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

/** Reports that the founder has opened a document, like the document screen. */
const open = async (id: string, fields = {}) => {
  const body = { json: { kind: 'document', id, opened: true, ...fields } };
  const answer = await app.json('POST', '/trpc/reviews.claim', { headers: mine.admin, body });
  expect(answer.status).toBe(200);
};

/** Confirms each document individually, because the rule about opened documents is tested elsewhere. */
const approve = async (document_ids: string[], fields = {}, as: Headers = mine.admin) => {
  const named = { document_ids, confirm_unopened: document_ids };
  const { status, body } = await mine.mutate('approveMany', { ...named, ...fields }, as);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.results;
};

test('each document is approved or rejected separately', async () => {
  const theirs = await openDocuments(app);
  const [first, second, done] = [
    await mine.translate(['One']),
    await mine.translate(['Two']),
    await mine.translate(['Three']),
  ];
  const damaged = await mine.translate(['Four']);
  const { id: sourceId } = damaged.artifacts[0];
  await app.services.storage.remove(`${mine.tenantId}/documents/${damaged.id}.${sourceId}`);
  const queued = await mine.queue();
  const foreign = await theirs.translate(['Five']);
  await mine.approve(done.id, { reviewer: 'Somebody else' });
  const refused = { outcome: 'refused', retry_after: null };
  const notFound = {
    ...refused,
    http_status: 404,
    detail: 'document job not found',
    error_code: 'not_found',
  };
  const invalid = { ...refused, http_status: 400, error_code: 'validation_error' };
  const results = await approve([queued, first.id, foreign.id, damaged.id, second.id, 'nothing', done.id]);
  expect(results).toEqual([
    {
      ...invalid,
      document_id: queued,
      detail: `document job ${queued} is not in a completed state (status=queued)`,
    },
    {
      outcome: 'done',
      document_id: first.id,
      approval_result: {
        approved: true,
        already_approved: false,
        reviewer: expect.stringMatching(/@example\.org$/),
        fed_pairs: 1,
        skipped: { fast_path: 0, needs_review: 0, duplicates: 0, empty: 0 },
        feed_error: null,
      },
    },
    { ...notFound, document_id: foreign.id },
    { ...invalid, document_id: damaged.id, detail: 'document layout is unavailable' },
    { outcome: 'done', document_id: second.id, approval_result: expect.objectContaining({ fed_pairs: 1 }) },
    { ...notFound, document_id: 'nothing' },
    {
      outcome: 'done',
      document_id: done.id,
      approval_result: expect.objectContaining({ already_approved: true, reviewer: 'Somebody else' }),
    },
  ]);
  const approved = await Promise.all([first.id, second.id, damaged.id].map((id) => mine.read(id)));
  expect(approved.map(({ approved_at }) => approved_at !== null)).toEqual([true, true, false]);
  expect((await theirs.read(foreign.id)).approved_at).toBeNull();
});

test('what the caller has not opened is left out, and so are critical findings, until they are named', async () => {
  const [opened, unopened, critical] = [
    await mine.translate(['One']),
    await mine.translate(['Two']),
    await mine.translate(['Pay 1,200 euros by Friday']),
  ];
  // Issues of an engine that is not live do not count, but a reviewer's text is checked.
  await mine.correct(critical.id, { A1: 'Payez 9 900 euros avant vendredi' });
  for (const { id } of [opened, critical]) await open(id);
  const ids = [opened.id, unopened.id, critical.id];
  expect(await approve(ids, { confirm_unopened: [] })).toMatchObject([
    { outcome: 'done', document_id: opened.id },
    { outcome: 'left_out', document_id: unopened.id, reason: 'unopened', critical_findings: [] },
    {
      outcome: 'left_out',
      document_id: critical.id,
      reason: 'critical_findings',
      critical_findings: [{ cell_id: 'A1', issues: [{ severity: 'critical' }] }],
    },
  ]);
  for (const { id } of [unopened, critical]) expect((await mine.read(id)).approved_at).toBeNull();
  const named = { confirm_unopened: [unopened.id], confirm_critical: [critical.id] };
  const results = await approve(ids, named);
  expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['done', 'done', 'done']);
});

test('a document that others changed after the caller read it is left out, also if it was opened later', async () => {
  const { id } = await mine.translate(['One']);
  await mine.correct(id, { A1: 'Un' });
  await open(id, { read_ms_ago: 60_000 });
  const one = { confirm_unopened: [] };
  expect(await approve([id], one)).toMatchObject([{ outcome: 'left_out', reason: 'unopened' }]);
  await open(id);
  expect(await approve([id], one)).toMatchObject([{ outcome: 'done' }]);
});

test('twice at once is one approval of each, and feeds each once', async () => {
  const ids = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => (await mine.translate([`Text ${i}`])).id),
  );
  const [one, other] = await Promise.all([approve(ids), approve(ids.toReversed())]);
  const both = [...one, ...other].map(({ approval_result }) => approval_result);
  expect(both.filter(({ already_approved }) => !already_approved)).toHaveLength(ids.length);
  expect(both.reduce((sum, { fed_pairs }) => sum + fed_pairs, 0)).toBe(ids.length);
});

test('an unexpected failure of one does not affect others, and reveals no cause', async () => {
  const ids = [(await mine.translate(['One'])).id, (await mine.translate(['Two'])).id] as const;
  const sql = openSuperuser(app.superuserUrl);
  await sql.unsafe(
    `alter table document_jobs add constraint broken check (document_id <> '${ids[0]}' or approved_by is null) not valid`,
  );
  try {
    expect(await approve([...ids])).toMatchObject([
      { outcome: 'refused', http_status: 500, detail: 'internal error', error_code: 'internal_error' },
      { outcome: 'done' },
    ]);
  } finally {
    await sql`alter table document_jobs drop constraint broken`;
  }
});

test('a process that stops begins none of those that are left', async () => {
  const { id } = await mine.translate(['One']);
  const process = stoppable(app);
  process.stop();
  try {
    expect(await approve([id])).toMatchObject([
      { outcome: 'refused', http_status: 503, error_code: 'transient_error' },
    ]);
  } finally {
    process.restore();
  }
  expect((await mine.read(id)).approved_at).toBeNull();
});

test('a list that is empty, too long, or names a document twice is rejected as a whole', async () => {
  const { id } = await mine.translate(['One']);
  const status = async (document_ids: unknown) => (await mine.mutate('approveMany', { document_ids })).status;
  expect(await status([])).toBe(422);
  expect(await status(Array.from({ length: 101 }, (_, index) => `${index}`))).toBe(422);
  expect(await status([id, id])).toBe(422);
  expect((await mine.mutate('approveMany', { document_ids: [id] }, {})).status).toBe(401);
  expect((await mine.read(id)).approved_at).toBeNull();
});
