import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { openDocuments } from '../documents/workspace.ts';
import { useReviewers } from '../translations/workplace/reviewers.ts';

const ofTheModel: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: 'Bonjour',
  explanation: 'it greets the wrong person',
  suggestion: null,
};

const verdict = (issues: QualityIssue[]) => ({ score: 95, issues, summary: 'judged' });

const app = useTestApp({
  env,
  engine: engineOf(async ({ segments }) => answered(segments.map(() => 'Bonjour')), {
    verify: async () => answered({ ...verdict([ofTheModel]), passed: false }),
    assessEach: async ({ segments }) => answered(segments.map(() => verdict([ofTheModel]))),
  }),
});

const mine = useReviewers(app);

describe('approving a job with critical findings over /trpc', () => {
  test('is 409 with the findings and changes nothing, until they are confirmed', async () => {
    const job = await mine.held();
    const approval = { job_id: job.id, updated_at: job.updated_at, action: 'approve' };
    for (const path of ['translations.act', 'translations.review']) {
      const { status, body } = await mine.refused(path, approval);
      expect([status, body.error_code]).toEqual([409, 'critical_findings']);
      expect(body.present).toMatchObject({ critical_findings: [ofTheModel] });
    }
    expect(await mine.read(job.id)).toEqual(job);
    const done = await mine.call('translations.act', { ...approval, confirm_critical: true });
    expect(done.status).toBe('published');
    expect(done.agent_run.human_review_task.metadata).toMatchObject({ confirmed_critical: true });
  });

  test('a model’s finding stays when the text changes; the checks look at the new text', async () => {
    const job = await mine.held({ source_text: 'Pay 1,200 euros by Friday' });
    const findingsOf = async (final_translation: string) => {
      const { status, body } = await mine.refused('translations.act', {
        job_id: job.id,
        updated_at: job.updated_at,
        action: 'modify',
        final_translation,
      });
      expect(status).toBe(409);
      return body.present.critical_findings;
    };
    const kept = { ...ofTheModel, status: 'not_rechecked' };
    expect(await findingsOf('Payez 9 900 euros avant vendredi')).toMatchObject([
      { span: '1,200', found_by: 'check' },
      kept,
    ]);
    expect(await findingsOf('Payez 1 200 euros avant vendredi')).toMatchObject([kept]);
  });
});

test('over REST an approval publishes, unless the caller asks for the check', async () => {
  const [plain, asking] = [await mine.held(), await mine.held()];
  expect((await mine.review(plain.id, { action: 'approve' })).body.status).toBe('published');
  const refused = await mine.review(asking.id, { action: 'approve', confirm_critical: false });
  expect([refused.status, refused.body.error_code]).toEqual([409, 'critical_findings']);
  const done = await mine.review(asking.id, { action: 'approve', confirm_critical: true });
  expect(done.body.status).toBe('published');
});

test('a document with critical segments that are unconfirmed is approved over /trpc with a confirmation', async () => {
  const documents = await openDocuments(app);
  const { id } = await documents.translate(['Hello']);
  const refused = await documents.mutate('approve', { document_id: id }, documents.admin);
  expect([refused.status, refused.body.error_code]).toEqual([409, 'critical_findings']);
  expect(refused.body.present.critical_findings).toMatchObject([
    { position: 0, cell_id: 'A1', issues: [ofTheModel] },
  ]);
  expect((await documents.read(id)).approved_at).toBeNull();
  const approval = { document_id: id, confirm_critical: true };
  expect((await documents.mutate('approve', approval, documents.admin)).status).toBe(200);
  const other = await documents.translate(['Hello']);
  expect((await documents.approve(other.id)).status).toBe(200);
});
