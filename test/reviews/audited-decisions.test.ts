import { expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { openDocuments, recordingEngine } from '#test/documents/workspace.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env, engine: recordingEngine() });

/** A workspace with a session and an API key, and its decisions in the audit log, oldest first. */
async function open() {
  const documents = await openDocuments(app);
  const { admin, headers: key } = documents;
  const held = async (source_text: string) => {
    const body = { source_text, target_lang: 'fr', domain: 'legal' };
    const { body: job } = await app.json('POST', '/api/translations', { headers: key, body });
    expect(job.status).toBe('awaiting_review');
    return job;
  };
  const review = async (id: string, body: object, headers = key) =>
    (await app.json('POST', `/api/translations/${id}/review`, { headers, body })).body;
  const decisions = async () => {
    const { body } = await viaRpc(app, { path: 'audit.list', type: 'query' }, { input: {}, headers: admin });
    return body.events
      .filter(({ action }: { action: string }) => action.startsWith('review_'))
      .toReversed()
      .map(({ action, actor, target, details, request_id, address }: Record<string, unknown>) => {
        expect([typeof request_id, typeof address]).toEqual(['string', 'string']);
        return { action, actor, target, details };
      });
  };
  return { ...documents, admin, key, held, review, decisions };
}

const byKey = { kind: 'api_key', id: null };
const workspaceKey = { key_id: expect.any(String), key_name: expect.any(String) };

test('each approval and rejection of a text stands in the audit log, and a name that a key sends is a claim', async () => {
  const mine = await open();
  const [approved, changed, rejected, own] = [
    await mine.held('One.'),
    await mine.held('Two.'),
    await mine.held('Three.'),
    await mine.held('Four.'),
  ];
  const claim = await mine.review(approved.id, { action: 'approve', reviewer: 'ceo@example.org' });
  expect(claim.agent_run.human_review_task).toMatchObject({
    completed_by: 'ceo@example.org',
    claimed_via: { id: expect.any(String), name: expect.any(String) },
  });
  expect(claim.agent_run.steps.at(-1)).toMatchObject({
    actor: 'ceo@example.org',
    claimed_via: { id: expect.any(String) },
  });
  await mine.review(changed.id, { action: 'save', final_translation: 'Brouillon' });
  await mine.review(changed.id, { action: 'modify', final_translation: 'Deux' });
  await mine.review(rejected.id, { action: 'reject', reviewer: 'Ann', notes: 'no' });
  const session = await mine.review(own.id, { action: 'approve', reviewer: 'ceo@example.org' }, mine.admin);
  expect(session.agent_run.human_review_task).toMatchObject({
    completed_by: expect.stringMatching(/@example\.org$/),
  });
  expect(session.agent_run.human_review_task.claimed_via ?? null).toBeNull();
  expect(session.agent_run.human_review_task.completed_by).not.toBe('ceo@example.org');
  // A repeat decides nothing.
  await mine.review(own.id, { action: 'approve' }, mine.admin);
  const job = { kind: 'job' };
  expect(await mine.decisions()).toEqual([
    {
      action: 'review_approved',
      actor: byKey,
      target: approved.id,
      details: { ...job, edited: false, ...workspaceKey, claimed_reviewer: 'ceo@example.org' },
    },
    {
      action: 'review_approved',
      actor: byKey,
      target: changed.id,
      details: { ...job, edited: true, ...workspaceKey, claimed_reviewer: null },
    },
    {
      action: 'review_rejected',
      actor: byKey,
      target: rejected.id,
      details: { ...job, ...workspaceKey, claimed_reviewer: 'Ann' },
    },
    {
      action: 'review_approved',
      actor: { kind: 'member', id: expect.any(String) },
      target: own.id,
      details: { ...job, edited: false },
    },
  ]);
});

test('the approval of a document stands in the audit log once, with the claimed name', async () => {
  const mine = await open();
  const { id } = await mine.translate(['Hello']);
  await mine.correct(id, { A1: 'Bonjour' }, { reviewer: 'Ann' });
  const { body } = await mine.approve(id, { reviewer: 'ceo@example.org' });
  await mine.approve(id, { reviewer: 'Bob' });
  expect(body.job).toMatchObject({
    approved_by: 'ceo@example.org',
    approved_via: { id: expect.any(String), name: expect.any(String) },
    review_history: [{ reviewer: 'Ann', claimed_via: { id: expect.any(String) } }],
  });
  const other = await mine.translate(['World']);
  const own = await mine.approve(other.id, { reviewer: 'Bob' }, mine.admin);
  expect(own.body.job.approved_via).toBeNull();
  expect(await mine.decisions()).toEqual([
    {
      action: 'review_approved',
      actor: byKey,
      target: id,
      details: { kind: 'document', ...workspaceKey, claimed_reviewer: 'ceo@example.org' },
    },
    {
      action: 'review_approved',
      actor: { kind: 'member', id: expect.any(String) },
      target: other.id,
      details: { kind: 'document' },
    },
  ]);
});
