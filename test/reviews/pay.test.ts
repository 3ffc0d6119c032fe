import { eq } from 'drizzle-orm';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { documentJobs } from '#db/schema/documents.ts';
import { reportPay } from '#server/translation/review/pay.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, inviting } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { rowsRead } from '#test/setup/stored-rows.ts';
import { criticalEngine, savingIn } from '../documents/saving.ts';
import { useDocuments } from '../documents/workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);
const { save, undo } = savingIn(app, mine);

const ask = (name: string, input: Fields = {}, headers = mine.admin) =>
  viaRpc(app, { path: `reviews.${name}`, type: 'query' }, { input, headers });

/** The rows of the report, with only the bands that have segments. */
const rows = async (input: Fields = {}) => {
  const { status, body } = await ask('pay', input);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.rows.map(({ bands, review, segments, words, target_lang }: Fields) => ({
    ...{ review, segments, words, target_lang },
    bands: Object.fromEntries(
      Object.entries(bands as Record<string, { segments: number; words: number }>)
        .filter(([, { segments }]) => segments > 0)
        .map(([name, { segments, words }]) => [name, [segments, words]]),
    ),
  }));
};

test('a segment counts once for each member, by the match of the machine translation', async () => {
  const { id } = await mine.translate(['One two three', 'Total sum', 'Total sum', 'Close', 'Old text here']);
  const sql = openSuperuser(app.superuserUrl);
  await sql`update document_segments set provenance = '{"engine":"model","match":88}' where position = 3`;
  await sql`update document_segments set fast_path = 'tm_exact', provenance = '{"context_match":true}' where position = 4`;
  const { body: saved } = await save(id, [
    [1, 'fr of Total sum', 'Somme', true],
    [3, 'fr of Close', 'Proche', true],
    [4, 'fr of Old text here', 'Ancien', true],
  ]);
  const first = [
    {
      ...{ review: 'first', segments: 4, words: 8, target_lang: 'fr' },
      bands: { new: [1, 2], repetitions: [1, 2], from_85: [1, 1], context: [1, 3] },
    },
  ];
  expect(await rows()).toEqual(first);
  // The member changes a segment again, and undoes the first change of the others.
  await save(id, [[4, 'Ancien', 'Vieux', true]]);
  await undo(id, saved.change_id);
  expect(await rows()).toEqual(first);
  // On the day of the first time.
  await sql`update segment_events set created_at = '2026-02-03T23:59:59.999Z' where position = 3 and kind = 'confirmed'`;
  expect(await rows({ from: '2026-02-03', to: '2026-02-03' })).toMatchObject([{ segments: 1, words: 1 }]);
  expect(await rows({ from: '2026-02-04', to: '2026-02-04' })).toEqual([]);
  expect(await rows()).toMatchObject([{ segments: 3, words: 7 }]);
});

test('a colleague who confirms the same segment reviews it for the second time', async () => {
  const { id } = await mine.translate(['One two three', 'Other']);
  await save(id, [[0, 'fr of One two three', 'Un deux trois', true]]);
  const colleague = (await inviting(app, mine.admin).join()).bearer;
  await save(
    id,
    [
      [0, 'Un deux trois', 'Un, deux, trois', true],
      [1, 'fr of Other', 'Autre', true],
    ],
    {},
    colleague,
  );
  const sorted = (await rows()).toSorted((a: Fields, b: Fields) => Number(b['words']) - Number(a['words']));
  expect(sorted.filter(({ review }: Fields) => review === 'second')).toMatchObject([{ words: 3 }]);
  expect(sorted.filter(({ review }: Fields) => review === 'first')).toMatchObject([
    { words: 3 },
    { words: 1 },
  ]);
});

test('a later report of past days reads no changes, until some of them are deleted', async () => {
  const { id } = await mine.translate(['One two three', 'Other']);
  const kept = await mine.translate(['Four words are here']);
  await save(id, [
    [0, 'fr of One two three', 'Un deux trois', true],
    [1, 'fr of Other', 'Autre', true],
  ]);
  await save(kept.id, [[0, 'fr of Four words are here', 'Quatre mots sont ici', true]]);
  const sql = openSuperuser(app.superuserUrl);
  await sql`update segment_events set created_at = now() - interval '3 days' where document_id in (${id}, ${kept.id})`;
  await sql`update document_jobs set updated_at = now() - interval '3 days' where document_id in (${id}, ${kept.id})`;
  const both = [{ segments: 3, words: 8 }];
  // Two at the same time: one of them counts the days.
  expect(await Promise.all([rows(), rows()])).toMatchObject([both, both]);
  const [{ tenantId }] = (await sql`
    select tenant_id as "tenantId" from document_jobs where document_id = ${id}`) as unknown as [
    { tenantId: string },
  ];
  await app.database.inTenant(tenantId, async (tx) => {
    const before = await rowsRead(tx, ['segment_events', 'document_segments']);
    expect((await reportPay(tx, tenantId, {})).rows).toMatchObject(both);
    expect(await rowsRead(tx, ['segment_events', 'document_segments'])).toBe(before);
    await tx.delete(documentJobs).where(eq(documentJobs.documentId, id));
  });
  expect(await rows()).toMatchObject([{ segments: 1, words: 4 }]);
});

test('texts that are published count, rejected ones and those of a key do not', async () => {
  const texts = ['One two', 'Three four five', 'Six'].map((source_text) =>
    mine.job({ source_text, domain: 'legal' }),
  );
  const [published, rejected, ofKey] = await Promise.all(texts);
  const review = (id: string, body: Fields, headers = mine.admin) =>
    app.json('POST', `/api/translations/${id}/review`, { headers, body });
  expect((await review(published!.id, { action: 'approve' })).status).toBe(200);
  expect((await review(rejected!.id, { action: 'reject' })).status).toBe(200);
  await openSuperuser(
    app.superuserUrl,
  )`update translation_jobs set status = 'human_edited', decided_at = now(),
    decided_by = null where job_id = ${ofKey!.id}`;
  expect(await rows()).toEqual([
    { review: 'first', segments: 1, words: 2, target_lang: 'fr', bands: { new: [1, 2] } },
  ]);
  // Names are texts and counts are numbers, whatever a member is called.
  const [{ user_id }] = (await ask('pay')).body.rows;
  for (const name of ['=1+1', '@SUM(A1)', '\u202eאבג']) {
    await openSuperuser(app.superuserUrl)`update users set email = ${name} where user_id = ${user_id}`;
    const { body } = await ask('payXlsx', {});
    expect(body.file_name).toMatch(/^pay-.*\.xlsx$/);
    const sheet = strFromU8(unzipSync(Buffer.from(body.content, 'base64'))['xl/worksheets/sheet1.xml']!);
    expect(sheet).not.toContain('<f');
    expect(sheet).toContain(`t="inlineStr"`);
    expect(sheet).toContain(name);
    expect(sheet.match(/<v>\d+<\/v>/g)!.slice(0, 3)).toEqual(['<v>1</v>', '<v>2</v>', '<v>2</v>']);
  }
});

test('a report that would read a million segments, changes and texts is rejected', async () => {
  const { id } = await mine.translate(['One two three']);
  await save(id, [[0, 'fr of One two three', 'Un deux trois', true]]);
  const sql = openSuperuser(app.superuserUrl);
  // With one change, and the limit reached by all three together.
  await sql`update document_jobs set segments = 999998 where document_id = ${id}`;
  expect(await rows()).toMatchObject([{ segments: 1 }]);
  await sql`update document_jobs set segments = 999999 where document_id = ${id}`;
  const { status, body } = await ask('pay');
  expect([status, body.detail]).toEqual([
    400,
    'from: the report would read more than 1000000 segments, changes and texts; choose fewer days',
  ]);
  // Documents that were not reviewed in these days are not read.
  await sql`update segment_events set created_at = '2026-01-01' where document_id = ${id}`;
  expect(await rows()).toEqual([]);
});
