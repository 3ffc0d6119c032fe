import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { criticalEngine } from './saving.ts';
import { openDocuments, useDocuments } from './workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const confirm = (document_id: string, position: number, target_text: string, fields = {}) =>
  mine.mutate('confirm', { document_id, segments: [{ position, target_text }], ...fields }, mine.admin);

test('a confirmed translation stays as it is, with who confirmed it and when, and counts as no longer open', async () => {
  const { id } = await mine.translate(['a doubtful one', 'Hello', 'another doubtful one']);
  const { status, body } = await confirm(id, 0, 'fr of a doubtful one');
  expect(status).toBe(200);
  const [segment] = body.segments;
  expect(segment).toMatchObject({
    target_text: 'fr of a doubtful one',
    corrected: false,
    quality: { score: 40, needs_review: true },
    confirmed_by: expect.stringMatching(/@example\.org$/),
  });
  expect(Date.parse(segment.confirmed_at)).toBeLessThanOrEqual(Date.parse(body.updated_at));
  const { documents } = (await mine.query('progress', { document_ids: [id] })).body;
  expect(documents).toMatchObject([{ needs_review_segments: 1, confirmed_segments: 1 }]);
  const open = await mine.query('search', { document_id: id, flagged: true, confirmed: false });
  expect(open.body.segments.map(({ position }: { position: number }) => position)).toEqual([2]);
  // The documented list still contains the segments that the checks have flagged.
  expect((await mine.segments(id, '?flagged=true')).total).toBe(2);
  expect((await mine.read(id)).quality_report.metadata).toMatchObject({
    llm_quality: { needs_review_units: 2 },
    human_review: { confirmed_units: 1, unresolved_units: 1 },
  });
  const withdrawn = await confirm(id, 0, 'fr of a doubtful one', { confirmed: false });
  expect(withdrawn.body.segments).toMatchObject([{ confirmed_at: null, confirmed_by: null }]);
});

test('a translation that the reviewer did not see is not confirmed, and none of the request is', async () => {
  const { id } = await mine.translate(['One', 'Two']);
  const segments = [
    { position: 0, target_text: 'fr of One' },
    { position: 1, target_text: 'something else' },
  ];
  const { status, body } = await mine.mutate('confirm', { document_id: id, segments }, mine.admin);
  expect([status, body.error_code]).toEqual([409, 'conflict']);
  expect(body.present).toMatchObject([{ index: 1, position: 1, target_text: 'fr of Two' }]);
  expect((await mine.segments(id)).segments[0].confirmed_at).toBeNull();
  expect((await confirm(id, 7, 'x')).status).toBe(422);
  const theirs = await openDocuments(app);
  const foreign = { document_id: id, segments: segments.slice(0, 1) };
  expect((await theirs.mutate('confirm', foreign, theirs.admin)).status).toBe(404);
});

test('a critical finding is confirmed only as such, and then approval asks no more and feeds the segment', async () => {
  const { id } = await mine.translate(['a wrong one', 'a doubtful one']);
  const refused = await confirm(id, 0, 'fr of a wrong one');
  expect([refused.status, refused.body.error_code]).toEqual([409, 'critical_findings']);
  expect(refused.body.present.critical_findings).toMatchObject([{ position: 0, cell_id: 'A1' }]);
  const reason = { code: 'client_wants_it', note: 'The client insists on it.' };
  for (const fields of [{ confirm_critical: true }, { reason }])
    expect((await confirm(id, 0, 'fr of a wrong one', fields)).status).toBe(409);
  const confirmed = await confirm(id, 0, 'fr of a wrong one', { confirm_critical: true, reason });
  expect(confirmed.status).toBe(200);
  const { events } = (await mine.query('history', { document_id: id, position: 0 })).body;
  expect(events).toMatchObject([{ kind: 'confirmed', reason }]);
  const { status, body } = await mine.mutate('approve', { document_id: id }, mine.admin);
  expect(status).toBe(200);
  expect(body.approval_result).toMatchObject({ fed_pairs: 1, skipped: { needs_review: 1 } });
  expect(body.job.feed_manifest.fed_pairs).toMatchObject([{ source_text: 'a wrong one', corrected: false }]);
});

test('a corrected segment has the findings of the checks on its new text at once, and keeps those of the model', async () => {
  const { id } = await mine.translate(['Pay 1,200 euros by Friday', 'a wrong one']);
  const check = await mine.mutate('check', {
    document_id: id,
    position: 0,
    text: 'Payez 9 900 euros avant vendredi',
  });
  expect(check.body.issues).toMatchObject([{ severity: 'critical' }]);
  await mine.correct(id, { A1: 'Payez 9 900 euros avant vendredi', A2: 'un bon' });
  const [first, second] = (await mine.segments(id)).segments;
  expect(first.quality).toMatchObject({ score: null, needs_review: true, issues: check.body.issues });
  expect(second.quality).toMatchObject({ needs_review: true, issues: [{ status: 'not_rechecked' }] });
  await mine.correct(id, { A1: 'Payez 1 200 euros avant vendredi' });
  expect((await mine.segments(id)).segments[0].quality).toMatchObject({ needs_review: false, issues: [] });
});
