import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { savingIn } from './saving.ts';
import { openDocuments } from './workspace.ts';

const app = useTestApp({ env });
const texts = ['The tenant pays the rent.', 'The tenant pays the rent.', 'The roof is red.'];
const reviewUnits = (job: { quality_report: { metadata: Record<string, unknown> } }) =>
  (job.quality_report.metadata['llm_quality'] as { needs_review_units: number } | undefined)
    ?.needs_review_units;

test.each(['legal', ' LEGAL ', 'finance', 'financial', 'healthcare', 'medical', 'pharma'])(
  'each segment of a document in the domain %s needs a review, and the document is delivered',
  async (domain) => {
    const mine = await openDocuments(app);
    const job = await mine.translate(texts, { domain });
    expect(job).toMatchObject({ status: 'translated', request: { domain: domain.trim() } });
    expect(job.quality_report).toMatchObject({ overall_score: 0.92, translated_units: 3 });
    expect(reviewUnits(job)).toBe(3);
    expect((await mine.segments(job.id, '?flagged=true')).segments).toHaveLength(3);
    const file = await app.request(`/api/documents/${job.id}/download`, { headers: mine.headers });
    expect(file.status).toBe(200);
  },
);

test('other domains need none', async () => {
  const mine = await openDocuments(app);
  expect(reviewUnits(await mine.translate(texts, { domain: 'menu' })) ?? 0).toBe(0);
  expect(reviewUnits(await mine.translate(texts)) ?? 0).toBe(0);
});

test('the document can be approved; the TM gets only the segments that a reviewer has confirmed', async () => {
  const mine = await openDocuments(app);
  const { save } = savingIn(app, mine);
  const { id } = await mine.translate(texts, { domain: 'legal' });
  const [{ target_text }] = (await mine.segments(id)).segments;
  await save(id, [[0, target_text, 'Le locataire paie le loyer.', true]], { repeat: true });
  const approved = await app.json('POST', `/api/documents/${id}/approve`, { headers: mine.admin, body: {} });
  expect([approved.status, approved.body.approval_result]).toMatchObject([
    200,
    { approved: true, skipped: { needs_review: 1 } },
  ]);
});
