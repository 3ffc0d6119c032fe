import { beforeEach, describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { savingIn } from './saving.ts';
import { type Documents, openDocuments, recordingEngine } from './workspace.ts';

const finding = (severity: QualityIssue['severity']): QualityIssue => ({
  severity,
  category: 'accuracy',
  span: null,
  explanation: `${severity}: the amount is not that of the source`,
  suggestion: null,
});

/** Finds a critical issue in texts with "wrong", a minor one in those with "odd", and gives "doubtful" a low score. */
const engine = recordingEngine({
  assessEach: async ({ segments }) =>
    answered(
      segments.map((text) => ({
        score: text.includes('doubtful') ? 40 : 92,
        issues: [
          ...(text.includes('wrong') ? [finding('critical')] : []),
          ...(text.includes('odd') ? [finding('minor')] : []),
        ],
        summary: '',
      })),
    ),
});
const app = useTestApp({ env, engine });

let mine: Documents;
let reviewers: ReturnType<typeof savingIn>;
beforeEach(async () => {
  engine.reset();
  mine = await openDocuments(app);
  reviewers = savingIn(app, mine);
});

const qualities = async (id: string) =>
  (await mine.segments(id)).segments.map(({ quality }: { quality: unknown }) => quality);

describe('a finding of a model, when a reviewer changes one character', () => {
  test('stays, is not rechecked, and blocks what it blocked', async () => {
    const { id } = await mine.translate(['This is wrong', 'This is odd', 'This is doubtful']);
    const { segments } = await mine.segments(id);
    const texts = segments.map(({ target_text }: { target_text: string }) => target_text);
    const saved = await reviewers.save(
      id,
      texts.map((text: string, position: number) => [position, text, `${text}.`]),
    );
    expect(saved.status).toBe(200);
    expect(saved.body.segments.map(({ status }: { status: string }) => status)).toEqual([
      'critical',
      'warning',
      'warning',
    ]);
    expect(await qualities(id)).toMatchObject([
      { score: null, needs_review: true, issues: [{ ...finding('critical'), status: 'not_rechecked' }] },
      { score: null, needs_review: false, issues: [{ ...finding('minor'), status: 'not_rechecked' }] },
      { score: null, needs_review: true, issues: [{ severity: 'major', status: 'not_rechecked' }] },
    ]);
    const confirmed = await reviewers.save(id, [[0, `${texts[0]}.`, `${texts[0]}.`, true]]);
    expect([confirmed.status, confirmed.body.error_code]).toEqual([409, 'critical_findings']);
    const all = await mine.mutate('confirmAll', { document_id: id, statuses: ['todo', 'draft'] }, mine.admin);
    expect(all.body).toMatchObject({ confirmed: 0, left: 3 });
    const approved = await mine.mutate('approve', { document_id: id }, mine.admin);
    expect([approved.status, approved.body.error_code]).toEqual([409, 'critical_findings']);
    const many = await mine.mutate('approveMany', { document_ids: [id], confirm_unopened: [id] }, mine.admin);
    expect(many.body.results).toMatchObject([{ outcome: 'left_out', reason: 'critical_findings' }]);
  });
});
