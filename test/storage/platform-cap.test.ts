import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Documents, openDocuments } from '#test/documents/workspace.ts';
import { workbook, workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { startBeside } from '#test/setup/app.ts';
import { answerOf, keyed } from '#test/translations/workspace.ts';
import { openBound, useAccountApp } from './bound-workspace.ts';

/** The size of each upload in these tests, in bytes. */
const size = workbook('Hello').length;
/** A limit that is exactly enough for seven uploads. */
const cap = 7 * size;

const { account, app } = await useAccountApp({ env: { PLATFORM_STORAGE_CAP_BYTES: String(cap) } });

let mine: Documents;
beforeEach(async () => {
  mine = await openDocuments(app);
});

const usage = async ({ headers } = mine) => (await app.json('GET', '/api/storage/usage', { headers })).body;
const upload = (headers = {}, form = {}) =>
  mine.send({ source_document: workbookFile(['Hello']), ...form }, headers);

/** Uploads documents until the limit is reached. @returns the documents */
async function fill(): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) {
    const { status, body } = await upload();
    expect([status, body.detail]).toEqual([202, undefined]);
    ids.push(body.id);
  }
  return ids;
}

describe('507 (B 7)', () => {
  test('says how many bytes are used of how many allowed, and both remedies', async () => {
    await fill();
    const { status, body } = await upload();
    expect(status).toBe(507);
    expect(body.detail).toContain(`${7 * size} of ${cap} bytes`);
    expect(body.detail).toMatch(/delete documents/);
    expect(body.detail).toMatch(/connect your own storage/);
    expect((await mine.listDocuments()).body).toHaveLength(7);
    expect(await usage()).toEqual({
      provider: 'platform',
      bytes_used: 7 * size,
      bytes_allowed: cap,
      objects: 7,
    });
  });

  test('is the answer on every way to send a document, and of nothing else', async () => {
    const [id = ''] = await fill();
    await mine.run(id);
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('source_document', workbookFile(['Hello']));
    expect((await upload({}, { wait: 'true' })).status).toBe(507);
    expect((await upload(keyed('new'))).status).toBe(507);
    expect((await mine.post(form, {})).status).toBe(507);
    expect((await mine.job()).status).toBe('published');
    // Existing documents can still be corrected.
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
    expect((await mine.approve(id)).status).toBe(200);
    expect((await mine.download(id)).status).toBe(200);
  });

  test('does not come before 401, 400, 415 and 422', async () => {
    await fill();
    expect((await upload({ 'x-api-key': 'unknown' })).status).toBe(401);
    expect((await upload({}, { target_lang: 'xx' })).status).toBe(422);
    expect((await upload({}, { target_lang: undefined })).status).toBe(400);
    expect((await mine.send({ source_document: new File(['x'], 'a.zip') })).status).toBe(415);
  });

  test('does not hold back a replay', async () => {
    const first = await upload(keyed('one'));
    for (let n = 0; n < 6; n++) await upload();
    expect((await upload(keyed('two'))).status).toBe(507);
    expect(await upload(keyed('one'))).toMatchObject({ status: 202, body: { id: first.body.id } });
  });
});

test('deleting a document frees all its bytes', async () => {
  const ids = await fill();
  await mine.run(ids[0]!);
  const { bytes_used: before, objects } = await usage();
  expect([before > 7 * size, objects]).toEqual([true, 8]);
  const artifacts: { size_bytes: number }[] = await mine.artifacts(ids[0]!);
  const bytes = artifacts.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  await mine.removeDocument(ids[0]!);
  expect(await usage()).toMatchObject({ bytes_used: before - bytes, objects: 6 });
  expect((await upload()).status).toBe(202);
  expect((await upload()).status).toBe(507);
});

test('a tenant with its own storage skips the cap; its files there count nothing', async () => {
  const bound = await openBound(app, account);
  await bound.connect();
  for (let n = 0; n < 10; n++) expect((await bound.send()).status).toBe(202);
  expect((await bound.storageUsage()).body).toEqual({
    provider: 'datalake',
    bytes_used: 0,
    bytes_allowed: null,
    objects: 0,
  });
  await bound.unbind();
  expect((await bound.storageUsage()).body).toMatchObject({
    provider: 'platform',
    bytes_used: 0,
    bytes_allowed: cap,
  });
});

test('14 uploads to two applications: exactly as many are accepted as fit', async () => {
  const other = await startBeside(app, { ...env, PLATFORM_STORAGE_CAP_BYTES: String(cap) });
  onTestFinished(() => other.close());
  const apps = [app, other];
  const { headers } = await app.signUp();
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, n) => {
      const body = new FormData();
      body.append('target_lang', 'fr');
      body.append('source_document', workbookFile(['Hello']));
      return answerOf(apps[n % 2]!.request('/api/documents/translate', { method: 'POST', headers, body }));
    }),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(7).fill(202),
    ...Array(7).fill(507),
  ]);
  const { body } = await apps[1]!.json('GET', '/api/storage/usage', { headers });
  expect(body).toMatchObject({ bytes_used: 7 * size, objects: 7 });
});
