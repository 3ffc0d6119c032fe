import { beforeEach, expect, test } from 'vitest';
import { addDocument, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { callAt } from '../translations/workplace/reviewers.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';
import { setPreferences } from './preferences.ts';

const app = useTestApp({
  env: mailEnv,
  engine: engineOf(async ({ segments }) => answered(segments.map((text) => `fr of ${text}`))),
});

let member: Person;
let reviewer: Person;
beforeEach(async () => {
  reviewer = await found(app);
  member = await join(app, reviewer);
  await confirmAddresses(app, member);
});

const held = async (headers: Record<string, string>, source_text: string): Promise<string> => {
  const body = { source_text, target_lang: 'fr', metadata: { sensitive: true } };
  return (await app.json('POST', '/api/translations', { headers, body })).body.id;
};

/** Decides about a text, as a member in a session or with a key. */
const decide = async (id: string, action: string, headers: Record<string, string> = reviewer.bearer) => {
  const body = { action, reviewer: 'Ada', final_translation: 'A secret translation' };
  expect((await app.json('POST', `/api/translations/${id}/review`, { headers, body })).status).toBe(200);
};

const decisions = async () =>
  (await outboxOf(app, member.tenantId)).filter(({ kind }) => kind === 'decisions');

test('the submitter hears of a rejection and of approvals in one mail, with links and nothing of the texts', async () => {
  const smtp = await useSmtp();
  const rejected = await held(member.bearer, 'A confidential text');
  await decide(rejected, 'reject');
  expect(await decisions()).toMatchObject([{ user_id: member.userId, items: 1, failed_items: 1 }]);
  const [first] = await attemptAll(app, smtp, member.tenantId);
  expect(first).toMatchObject({ to: member.email });
  expect(first!.headers['subject']).toBe('1 translation was rejected.');
  expect(first!.text).toContain(`https://lingua.example.org/jobs/${rejected}`);
  expect(first!.raw + first!.text + first!.html).not.toMatch(/confidential|secret/);

  await decide(await held(member.bearer, 'one'), 'modify', reviewer.key);
  await decide(await held(member.bearer, 'two'), 'approve');
  await decide(await held(member.bearer, 'three'), 'reject');
  const [, second] = await decisions();
  expect(second).toMatchObject({ items: 3, failed_items: 1, subject_id: 'job', state: 'pending' });
  const mail = (await attemptAll(app, smtp, member.tenantId)).at(-1);
  expect(mail!.headers['subject']).toBe('2 translations were approved. 1 translation was rejected.');
});

test('the approval of a document is told, also over a bulk approval', async () => {
  const id = await addDocument(app, member);
  const input: Fields = { document_ids: [id], confirm_unopened: [id] };
  const { status } = await callAt(app, 'documents.approveMany', input, reviewer.bearer);
  expect(status).toBe(200);
  expect(await decisions()).toMatchObject([{ items: 1, failed_items: 0, subject_id: `document ${id}` }]);
});

test('neither an own decision, nor a draft, nor what a key has submitted is told', async () => {
  await decide(await held(member.bearer, 'own'), 'approve', member.bearer);
  await decide(await held(member.bearer, 'draft'), 'save');
  await decide(await held(reviewer.key, 'of a key'), 'reject');
  expect(await decisions()).toEqual([]);
});

test('a member who has switched mails about submissions off gets none', async () => {
  await setPreferences(app, member, { documents: false });
  await decide(await held(member.bearer, 'one'), 'reject');
  expect(await decisions()).toEqual([]);
});
