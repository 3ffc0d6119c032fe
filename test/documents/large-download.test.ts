import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Documents, openDocuments } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const content = randomBytes(5_000_000);
let mine: Documents;
let id: string;
let file: string;

/** A document with a large translated file. */
beforeEach(async () => {
  mine = await openDocuments(app);
  const document = await mine.translate(['Hello']);
  id = document.id;
  const { artifacts } = document;
  const folder = join(app.services.settings.DATA_DIR, 'storage', mine.tenantId, 'documents');
  const name = (await readdir(folder)).find((one) => one.includes(artifacts[1].id));
  file = join(folder, name as string);
  await writeFile(file, content);
  await openSuperuser(app.superuserUrl)`update document_artifacts
    set size_bytes = ${content.length}, sha256 = ${createHash('sha256').update(content).digest('hex')}
    where artifact_id = ${artifacts[1].id}`;
});

describe('the download of a large document', () => {
  test('has the whole file, its length and its name, again and again', async () => {
    for (let time = 0; time < 2; time++) {
      const response = await mine.download(id);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe(String(content.length));
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="Book\.xlsx"/);
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    }
  });

  test('to a HEAD request has the same headers and no body', async () => {
    const response = await app.request(`/api/documents/${id}/download`, {
      method: 'HEAD',
      headers: mine.headers,
    });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(content.length)]);
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });

  test('that its reader breaks off leaves the service ready for others', async () => {
    for (let time = 0; time < 70; time++) {
      const broken = new AbortController();
      const response = await app.request(`/api/documents/${id}/download`, {
        headers: mine.headers,
        signal: broken.signal,
      });
      await response.body?.getReader().read();
      broken.abort();
    }
    const whole = await mine.download(id);
    expect((await whole.arrayBuffer()).byteLength).toBe(content.length);
  });
});
