import { expect, test } from 'vitest';
import { pruneClaims } from '#server/translation/review/claims.ts';
import { addDocument, env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });

test('claims that have ended are deleted in all workspaces, and no others', async () => {
  const mine = await openReviewers(app);
  const other = await openReviewers(app);
  const [kept, ended, foreign] = [await mine.held(), await mine.held(), await other.held()];
  for (const { id } of [kept, ended]) await mine.call('reviews.claim', { kind: 'job', id });
  await other.call('reviews.claim', { kind: 'job', id: foreign.id });
  const sql = mine.sql();
  await sql`update review_claims set expires_at = now() where item_id = any(${[ended.id, foreign.id]})`;
  expect(await app.database.inPlatform(pruneClaims)).toBe(2);
  const rows = await sql`select item_id from review_claims`;
  expect([...rows]).toEqual([{ item_id: kept.id }]);
});

test('a document is claimed as a job is, and its claim is no claim of a job', async () => {
  const mine = await openReviewers(app);
  const colleague = await mine.join();
  const id = await addDocument(app, mine.founder);
  await mine.call('reviews.claim', { kind: 'document', id });
  const { others } = await mine.call('reviews.claim', { kind: 'document', id }, colleague);
  expect(others).toMatchObject([{ holder: mine.founder.email }]);
  expect((await mine.refused('reviews.claim', { kind: 'job', id }, colleague)).status).toBe(404);
});
