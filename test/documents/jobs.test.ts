import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { withWorkers } from '#test/translation-memory/background.ts';
import { fieldPart, filePart, multipart } from '#test/translation-memory/sets.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'warn', DEFAULT_MONTHLY_CHAR_LIMIT: '5000000' } });

async function submit(headers: Record<string, string>, file: Uint8Array, fields: Record<string, string> = {}) {
  const { body, type } = multipart([
    ...Object.entries({ target_lang: 'fr', ...fields }).map(([name, value]) => fieldPart(name, value)),
    filePart('source_document', { name: 'Book.xlsx' }, file),
  ]);
  const response = await app.request('/api/documents/translate', {
    method: 'POST',
    headers: { ...headers, 'content-type': type },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

describe('a document job', () => {
  test('with wait, it is translated when the response arrives', async () => {
    const { headers } = await app.signUp();
    const file = await readFile('test/corpus/xlsx/made-table-dropdown-rich.xlsx').catch(() => readFile('/work/shared/corpus/xlsx/made-table-dropdown-rich.xlsx'));
    const { status, body } = await submit(headers, file, { wait: 'true' });
    console.log(status, JSON.stringify(body, null, 1));
    const id = body.id;
    const segs = await app.json('GET', `/api/documents/${id}/segments`, { headers });
    console.log(JSON.stringify(segs.body, null, 1).slice(0, 1500));
    const dl = await app.request(`/api/documents/${id}/download`, { headers });
    console.log(dl.status, [...dl.headers], (await dl.arrayBuffer()).byteLength);
    const [first] = segs.body.segments;
    const rv = await app.json('POST', `/api/documents/${id}/review`, { headers, body: { corrections: [{ region_id: first.region_id, cell_id: first.cell_id, target_text: 'Bonjour' }], reviewer: 'me' } });
    console.log(rv.status, JSON.stringify(rv.body.review_history), rv.body.artifacts?.length, JSON.stringify(rv.body.feed_manifest), rv.body.detail);
    const ap = await app.json('POST', `/api/documents/${id}/approve`, { headers, body: { reviewer: 'me' } });
    console.log(ap.status, JSON.stringify(ap.body.approval_result), ap.body.detail);
    const sm = await app.json('GET', `/api/documents/summary`, { headers });
    console.log(sm.status, JSON.stringify(sm.body));
    const ls = await app.json('GET', `/api/documents`, { headers });
    console.log(ls.status, ls.body.length);
    expect(status).toBe(200);
  });

  test('queued', { timeout: 100_000 }, async () => {
    const { headers } = await app.signUp();
    const file = await readFile('/work/shared/corpus/xlsx/made-large-24000-strings.xlsx');
    const { status, body } = await submit(headers, file);
    expect([status, body.status]).toEqual([202, 'queued']);
    const t = Date.now();
    await withWorkers(app, async () => {
      const done = await poll(async () => {
        const { body: job } = await app.json('GET', `/api/documents/${body.id}`, { headers });
        return ['translated', 'failed'].includes(job.status) ? job : undefined;
      }, 90);
      console.log(await app.database.inTenant(done.tenant_id, (tx) => tx.execute('select stage_timings, attempt from document_jobs' as never)));
      console.log(Date.now() - t, JSON.stringify({ ...done, artifacts: done.artifacts.length }));
    });
  });
});
