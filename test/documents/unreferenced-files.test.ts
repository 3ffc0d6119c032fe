import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnreferencedFiles } from '#server/documents/unreferenced-files.ts';
import { newId } from '#server/platform/ids.ts';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answerOf } from '#test/translations/workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('a file of a document without a row is removed after an hour; nothing else is', async () => {
  const { headers, tenantId } = await app.signUp();
  const form = new FormData();
  form.append('target_lang', 'fr');
  form.append('wait', 'true');
  form.append('source_document', new File([workbook('Soup')], 'Menu.xlsx'));
  const { body: job } = await answerOf(
    app.request('/api/documents/translate', { method: 'POST', headers, body: form }),
  );
  const { storage } = app.services;
  const folder = join(app.services.settings.DATA_DIR, 'storage');
  const files = async (tenant = tenantId) => (await readdir(join(folder, tenant, 'documents'))).toSorted();
  const own = await files();
  expect(own).toHaveLength(2);

  const stranger = newId();
  const old = `${newId()}.${newId()}`;
  const fresh = `${newId()}.${newId()}`;
  // The files are: one in the tenant's directory of documents, others with other names or in other directories, and one
  // with the ID of another tenant's file.
  for (const path of [
    `${tenantId}/documents/${old}`,
    `${tenantId}/documents/${fresh}`,
    `${tenantId}/documents/notes.txt`,
    `${tenantId}/golden/${old}`,
    `${stranger}/documents/${old}`,
    `${stranger}/documents/${own[0]}`,
    `golden/documents/${old}`,
  ])
    await storage.put(path, 'x');
  const hourAgo = new Date(Date.now() - 3_601_000);
  for (const path of [
    ...own.map((name) => `${tenantId}/documents/${name}`),
    `${tenantId}/documents/${old}`,
    `${tenantId}/documents/notes.txt`,
    `${tenantId}/golden/${old}`,
    `${stranger}/documents/${old}`,
    `${stranger}/documents/${own[0]}`,
  ])
    await utimes(join(folder, path), hourAgo, hourAgo);

  expect(await removeUnreferencedFiles(app.services)).toBe(3);
  expect(await files()).toEqual([...own, fresh, 'notes.txt'].toSorted());
  expect(await files(stranger)).toEqual([]);
  expect(await storage.list(`${tenantId}/golden`)).toEqual([old]);
  expect((await app.request(`/api/documents/${job.id}/download`, { headers })).status).toBe(200);
  expect(await removeUnreferencedFiles(app.services)).toBe(0);

  // A source file stays while its document exists, and is removed after its row is deleted.
  await openSuperuser(app.superuserUrl)`delete from document_jobs where document_id = ${job.id}`;
  expect(await removeUnreferencedFiles(app.services)).toBe(2);
});
