import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import type { Tx } from '#db/client.ts';
import { approvedItemsInput, exportApprovedItems } from '#server/review/approved-items.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { criticalEngine, savingIn } from '../documents/saving.ts';
import { useDocuments } from '../documents/workspace.ts';
import { useAssignments } from './assigning.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });
const documents = useDocuments(app, engine);
const { save, undo } = savingIn(app, documents);
const { mine, assign, approve, pass, saveProfile } = useAssignments(app);

type Ask = (input: Fields) => Promise<{ file_name: string; content: string }>;

const ofReviewers: Ask = (input) => mine.call('reviews.approvedItems', input);
const ofDocuments: Ask = (input) =>
  app
    .json('GET', `/trpc/reviews.approvedItems?input=${encodeURIComponent(JSON.stringify(input))}`, {
      headers: documents.admin,
    })
    .then(({ body }) => body.result.data as { file_name: string; content: string });

/** The rows of the CSV file, by the names of its columns. */
async function rows(ask: Ask, input: Fields = {}): Promise<Record<string, string>[]> {
  const { content } = await ask({ format: 'csv', ...input });
  const [head, ...lines] = Buffer.from(content, 'base64')
    .toString()
    .trimEnd()
    .split('\r\n')
    .map((line) => line.match(/"(?:[^"]|"")*"|[^,"]+|(?<=,)(?=,|$)/g) ?? []);
  const plain = (cell = '') => cell.replace(/^"|"$/g, '').replaceAll('""', '"');
  return lines.map((line) =>
    Object.fromEntries((head ?? []).map((name, at) => [plain(name), plain(line[at])])),
  );
}

test('a text that was passed on has both reviewers, and one that was not has one', async () => {
  const [one, two] = [await mine.join(), await mine.join()];
  const [both, alone] = [await mine.held({ source_text: 'one two three' }), await mine.held()];
  const rejected = await mine.held();
  await assign(both, { assignee: one.userId, second: two.userId });
  expect((await pass(both, one))[0]).toBe(200);
  expect((await pass(both, two, { back: true }))[0]).toBe(200);
  expect((await pass(both, one))[0]).toBe(200);
  expect((await approve(both, two))[0]).toBe(200);
  const { body } = await mine.review(alone.id, { action: 'approve', final_translation: 'deux mots' }, one);
  expect(body.status).toBe('human_edited');
  expect((await mine.review(rejected.id, { action: 'reject' }, one)).status).toBe(200);
  const found = await rows(ofReviewers);
  expect(found.map(({ id }) => id)).toEqual([both.id, alone.id]);
  const [first, second] = found;
  expect(first).toMatchObject({
    ...{ kind: 'text', target_lang: 'fr', source_words: '3', changed_words: '0' },
    first_reviewer_email: one.email,
    second_reviewer_email: two.email,
    findings_resolved: '0',
  });
  expect(first!['first_reviewed_at']! < first!['second_reviewed_at']!).toBe(true);
  expect(second).toMatchObject({
    ...{ words: '2', first_reviewer_email: one.email, second_reviewer: '', second_reviewed_at: '' },
  });
  expect(Number(second!['changed_words'])).toBeGreaterThan(0);
  // A reopened text is left out.
  await mine.call('reviews.reopen', { kind: 'job', id: alone.id });
  expect((await rows(ofReviewers)).map(({ id }) => id)).toEqual([both.id]);
});

test('a first review stays when the second one is removed, and one that was passed back does not count', async () => {
  const [one, two, three] = [await mine.join(), await mine.join(), await mine.join()];
  const [kept, back] = [await mine.held(), await mine.held()];
  for (const job of [kept, back]) {
    await assign(job, { assignee: one.userId, second: two.userId });
    expect((await pass(job, one))[0]).toBe(200);
  }
  expect((await pass(back, two, { back: true }))[0]).toBe(200);
  for (const job of [kept, back]) {
    await assign(job, { assignee: three.userId, second: null, four_eyes: false });
    expect((await approve(job, three))[0]).toBe(200);
  }
  const found = await rows(ofReviewers);
  const emails = (row: Record<string, string> = {}) => [
    row['first_reviewer_email'],
    row['second_reviewer_email'],
  ];
  expect(emails(found.find(({ id }) => id === kept.id))).toEqual([one.email, three.email]);
  expect(emails(found.find(({ id }) => id === back.id))).toEqual([three.email, '']);
});

test('a document counts the texts as they stand: a change that was undone does not count', async () => {
  const { id } = await documents.translate(['One two three', 'Total sum', 'Other']);
  const { body: all } = await save(id, [
    [0, 'fr of One two three', 'Un deux trois', true],
    [1, 'fr of Total sum', 'Somme', true],
  ]);
  await undo(id, all.change_id);
  await save(id, [[2, 'fr of Other', 'fr of Others', true]]);
  expect(await rows(ofDocuments)).toEqual([]);
  expect((await documents.approve(id, {}, documents.admin)).status).toBe(200);
  expect(await rows(ofDocuments)).toMatchObject([
    {
      ...{ kind: 'document', id, source_words: '6', changed_words: '1', changed_since_approval: 'no' },
      ...{ words: '12', second_reviewer: '' },
    },
  ]);
});

test('the words of more changes than one transaction reads are all compared', async () => {
  const { id } = await documents.translate(['One']);
  const sql = openSuperuser(app.superuserUrl);
  await sql`insert into document_segments select (jsonb_populate_record(s, jsonb_build_object('position', n,
      'region_id', 'copy-' || n, 'corrected', true, 'pipeline_text', 'a, b c', 'target_text', 'a: x c!'))).*
    from document_segments s, generate_series(1, 1200) n where document_id = ${id} and position = 0`;
  expect((await documents.approve(id, {}, documents.admin)).status).toBe(200);
  const [row] = (await rows(ofDocuments)).filter((one) => one['id'] === id);
  expect(row).toMatchObject({ changed_words: '1200' });
});

test('findings that a person has settled are counted', async () => {
  const { id } = await documents.translate(['This is wrong', 'Other']);
  const sql = openSuperuser(app.superuserUrl);
  await sql`update document_segments set issues = jsonb_set(issues, '{0,status}', '"not_an_error"')
    where document_id = ${id} and position = 0`;
  expect((await documents.approve(id, {}, documents.admin)).status).toBe(200);
  const [row] = (await rows(ofDocuments)).filter((one) => one['id'] === id);
  expect(row).toMatchObject({ findings_resolved: '1', changed_words: '0' });
});

test('days are in UTC, more items than a page are exported once each, and a bad day is named', async () => {
  const sql = mine.sql();
  const job = await mine.held();
  expect((await approve(job))[0]).toBe(200);
  await sql`insert into translation_jobs select (jsonb_populate_record(j, jsonb_build_object(
      'job_id', 'copy-' || n, 'decided_at', '2026-02-03T23:59:59.999Z'))).*
    from translation_jobs j, generate_series(1, 450) n where job_id = ${job.id}`;
  const day = { from: '2026-02-03', to: '2026-02-03' };
  const ids = (await rows(ofReviewers, day)).map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([450, 450]);
  expect(await rows(ofReviewers, { from: '2026-02-04', to: '2026-02-04' })).toEqual([]);
  const refused = await mine.refused('reviews.approvedItems', { ...day, from: '2026-02-30', format: 'csv' });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('from')]);
});

test('a range with too many segments is refused before they are read', async () => {
  const { id } = await documents.translate(['One']);
  expect((await documents.approve(id, {}, documents.admin)).status).toBe(200);
  await openSuperuser(
    app.superuserUrl,
  )`update document_jobs set segments = 1000001 where document_id = ${id}`;
  const { status, body } = await app.json('GET', '/trpc/reviews.approvedItems', { headers: documents.admin });
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining('1000000 segments; choose fewer days'),
  ]);
});

test('an approval with an API key has the name in the request, and never that of the member whose ID it is', async () => {
  const { founder } = mine;
  await saveProfile(founder, { display_name: 'Founder' });
  for (const reviewer of [founder.userId, 'Kim', undefined]) {
    const { id } = await mine.held();
    const body = { action: 'approve', reviewer };
    const sent = await app.json('POST', `/api/translations/${id}/review`, { headers: founder.key, body });
    expect(sent.status).toBe(200);
    const row = (await rows(ofReviewers)).find((one) => one['id'] === id);
    expect(row).toMatchObject({ first_reviewer: reviewer ?? '', first_reviewer_email: '' });
  }
  const { id } = await documents.translate(['One']);
  expect((await documents.approve(id, { reviewer: founder.userId })).status).toBe(200);
  const row = (await rows(ofDocuments)).find((one) => one['id'] === id);
  expect(row).toMatchObject({ first_reviewer: founder.userId, first_reviewer_email: '' });
});

test('an export ends with its client', async () => {
  const { tenantId: id } = documents;
  const asAdministrator = <T>(work: (tx: Tx, principal: { tenant: { id: string } }) => Promise<T>) =>
    app.database.inTenant(id, (tx) => work(tx, { tenant: { id } }));
  const disconnected = () => AbortSignal.abort(new Error('the client has gone'));
  const asked = exportApprovedItems({ asAdministrator, disconnected }, approvedItemsInput.parse({}));
  await expect(asked).rejects.toThrow('has gone');
});

test('names are texts in both formats, never formulas', async () => {
  const one = await mine.join();
  await saveProfile(one, { display_name: '=1+1' });
  expect((await approve(await mine.held(), one))[0]).toBe(200);
  expect(await rows(ofReviewers)).toMatchObject([{ first_reviewer: "'=1+1" }]);
  const { file_name, content } = await ofReviewers({ format: 'xlsx' });
  expect(file_name).toMatch(/^approved-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.xlsx$/);
  const sheet = strFromU8(unzipSync(Buffer.from(content, 'base64'))['xl/worksheets/sheet1.xml']!);
  expect(sheet).not.toContain('<f');
  expect(sheet).toContain('=1+1');
});
