import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { workbook } from '#test/factories/workbook.ts';
import { env, operatorKey } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startAccount } from '#test/storage/data-lake-account.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

/** An import with more segments than this runs in the background. */
const most = 5;
const app = useTestApp({
  env: {
    ...env,
    TM_ASYNC_THRESHOLD: String(most),
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
  },
});

let workers: Workers | undefined;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(() => workers?.stop());

const clientOf = (options: sdk.LinguaLoopOptions) => new sdk.LinguaLoop({ baseUrl: app.address, ...options });
const operator = () => clientOf({ apiKey: operatorKey });

async function founded() {
  const { tenantId, apiKey, accessToken } = await app.signUp();
  return { tenantId, apiKey, client: clientOf({ apiKey }), admin: clientOf({ accessToken }) };
}

const hello = { source_text: 'Hello', target_lang: 'fr' };
const legal = { source_text: 'The contract ends.', target_lang: 'fr', domain: 'legal' };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const quickly = { pollEvery: { firstMs: 20, maxMs: 100 } };

describe('texts', () => {
  test('are translated, listed page after page, and deleted by an administrator only', async () => {
    const { client, admin } = await founded();
    const { translations } = client;
    const first = await translations.create(hello, { idempotencyKey: 'mine' });
    expect(first).toMatchObject({ status: 'published', final_translation: '[fr] Hello' });
    expect((await translations.create({ ...hello, idempotency_key: 'mine' })).id).toBe(first.id);
    const inputs = [{ Text: 'One', Targets: [{ Language: 'fr', Tone: undefined }, { Language: 'de' }] }];
    const jobs = [first, ...(await translations.createBatch({ inputs }))];
    expect(jobs.map((job) => job.final_translation)).toEqual(['[fr] Hello', '[fr] One', '[de] One']);
    const ids = jobs.map(({ id }) => id).toReversed();
    const listed = await translations.list({ limit: 2, status: 'published' }).toArray({ limit: 9 });
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const page = await translations.listPage({ limit: 2 });
    expect((await page.nextPage())?.items).toEqual([first]);

    await expect(translations.delete(first.id)).rejects.toBeInstanceOf(sdk.AuthenticationError);
    expect(await admin.translations.delete(first.id)).toMatchObject({ deleted: true, job_id: first.id });
    await expect(translations.get(first.id)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  test('are saved, approved and downloaded by a reviewer', async () => {
    const { translations } = (await founded()).client;
    const { id, status } = await translations.create(legal);
    expect(status).toBe('awaiting_review');
    await expect(translations.golden(id)).rejects.toBeInstanceOf(sdk.ConflictError);
    await translations.review(id, { action: 'save', final_translation: 'Le contrat prend fin.' });
    expect(await translations.review(id, { action: 'approve', reviewer: 'Ada' })).toMatchObject({
      status: 'human_edited',
      agent_run: { human_review_task: { status: 'completed', completed_by: 'Ada' } },
    });
    const { bytes, fileName } = await translations.golden(id);
    expect([new TextDecoder().decode(bytes), fileName]).toEqual([
      'Le contrat prend fin.',
      `translation-${id}.fr.txt`,
    ]);
  });

  test('are read from a file, whose name and fields arrive', async () => {
    const { translations } = (await founded()).client;
    const request = { target_lang: 'fr', domain: 'press', metadata: { order: 7 } };
    const file = { name: 'Žlutý plán 漢字 100%.html', data: bytesOf('<p>The plan</p>') };
    const [job] = await translations.createFromFile(file, request, { idempotencyKey: 'plan 1' });
    expect(job).toMatchObject({
      final_translation: '[fr] The plan',
      request: {
        domain: 'press',
        idempotency_key: 'plan 1:1',
        metadata: { order: 7, source_document: { name: file.name } },
      },
    });
    const pdf = await translations.golden(job!.id, { format: 'pdf' });
    expect(pdf).toMatchObject({ contentType: 'application/pdf', fileName: 'Žlutý plán 漢字 100%.fr.pdf' });
    const [page] = await translations.createFromFile({ name: 'again.pdf', data: pdf.bytes }, request);
    expect(page?.request.source_text).toContain('The plan');
  });

  test('have errors with the request ID, and an entry for each wrong field', async () => {
    const { translations } = (await founded()).client;
    const missing = await translations.get('none', { requestId: 'order-7' }).catch((thrown) => thrown);
    expect(missing).toMatchObject({ code: 'not_found', requestId: 'order-7', detail: 'job not found' });
    expect(String(missing)).toBe('NotFoundError: 404 job not found (request order-7)');
    const fields = await translations.listPage({ limit: 0 }).catch((thrown) => thrown);
    expect(fields).toBeInstanceOf(sdk.UnprocessableContentError);
    expect(fields.detail).toMatchObject([{ loc: ['query', 'limit'], type: 'too_small' }]);
    expect(fields.message).toMatch(/^422 query\.limit: .+ \(request [0-9a-f]{32}\)$/);
  });
});

test('a document is translated, corrected, approved, downloaded and deleted', async () => {
  const { client, admin } = await founded();
  const { documents } = client;
  const menu = { name: 'Menü.xlsx', data: workbook('Soup', 'Fresh bread', 'Soup') };
  const job = await (await documents.translate(menu, { target_lang: 'fr' }, quickly)).pollUntilDone();
  expect(job).toMatchObject({ status: 'translated', quality_report: { translated_units: 3 } });
  const texts = await documents.segments(job.id, { limit: 2 }).toArray({ limit: 9 });
  expect(texts.map(({ target_text }) => target_text)).toEqual(['[fr] Soup', '[fr] Fresh bread', '[fr] Soup']);
  const [{ region_id, cell_id }] = texts as [sdk.DocumentSegment];
  const corrections = [{ region_id, cell_id, target_text: 'Potage' }];
  const reviewed = await documents.review(job.id, { corrections, reviewer: 'Ada' });
  expect(reviewed.review_history).toMatchObject([{ reviewer: 'Ada', corrections: 1 }]);
  const { approval_result } = await documents.approve(job.id, { reviewer: 'Ada' });
  expect(approval_result).toMatchObject({ approved: true, already_approved: false, reviewer: 'Ada' });
  const file = await documents.download(job.id);
  expect([file.fileName, file.sourceFileName]).toEqual(['Menü.fr.xlsx', 'Menü.xlsx']);
  const artifacts = await documents.artifacts(job.id);
  expect((await file.bytes()).length).toBe(artifacts.at(-1)!.size_bytes);
  expect(await documents.summary()).toMatchObject({ total: 1, approved: 1, by_format: { xlsx: 1 } });
  expect(await admin.documents.delete(job.id)).toMatchObject({ deleted: true, artifacts_removed: 3 });
});

describe('a translation memory', () => {
  /** A TMX file with this many units. */
  function tmx(units: number) {
    const unit = (n: number) =>
      `<tu tuid="u${n}"><tuv xml:lang="en"><seg>Sentence ${n}</seg></tuv><tuv xml:lang="de"><seg>Satz ${n}</seg></tuv></tu>`;
    const all = Array.from({ length: units }, (_, index) => unit(index + 1)).join('\n');
    const text = `<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>${all}</body></tmx>`;
    return { name: 'ui.tmx', data: bytesOf(text) };
  }
  const request = { name: 'UI', source_lang: 'en', target_lang: 'de' };

  test('is stored at once if it is small, exported and deleted', async () => {
    const { memory } = (await founded()).client;
    const set = await (await memory.importTmx(tmx(3), request)).pollUntilDone();
    expect(set).toMatchObject({ ...request, entry_count: 3, total_units: 3, imported: 3, skipped_units: 0 });
    expect(await memory.imports()).toEqual([]);
    const exported = await memory.export(set.id);
    expect(exported.fileName).toMatch(/\.tmx$/);
    const text = Buffer.from(await exported.bytes()).toString();
    expect([...text.matchAll(/tuid="(\w+)"/g)].map(([, tuid]) => tuid)).toEqual(['u1', 'u2', 'u3']);
    await memory.delete(set.id);
    expect(await memory.list()).toEqual([]);
  });

  test.each([2, most + 1])('of %i units is imported once, even if the response is lost', async (units) => {
    const { apiKey } = await founded();
    let posts = 0;
    const lossy: sdk.Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (init.method !== 'POST' || posts++ > 0) return answer;
      await answer.arrayBuffer();
      throw new TypeError('fetch failed', { cause: new Error('lost') });
    };
    const { memory } = clientOf({ apiKey, fetch: lossy, backoff: { firstMs: 1, maxMs: 1 } });
    const set = await (await memory.importTmx(tmx(units), request, quickly)).pollUntilDone();
    expect(set).toMatchObject({ entry_count: units, imported: units });
    const isSmall = units <= most;
    expect([posts, (await memory.imports()).length]).toEqual(isSmall ? [2, 0] : [1, 1]);
    expect(await memory.list()).toHaveLength(1);
  });
});

test('usage is read by day, by month and record by record, with tokens for an operator', async () => {
  const { tenantId, client, admin } = await founded();
  const job = await client.translations.create(hello);
  const day = new Date().toISOString().slice(0, 10);
  expect(await admin.usage.daily({ from: day, to: day })).toMatchObject({
    tenant_id: tenantId,
    days: [{ date: day, jobs: 1, billable_chars: 5 }],
  });
  expect((await operator().usage.daily({}, { tenantId })).totals).toMatchObject({ jobs: 1 });
  const summary = await admin.usage.summary(tenantId, { limit: 1 });
  expect(summary).toMatchObject({ jobs: 1, allowance: { used: 5, reserved: 0 } });
  const recordsOf = async ({ usage }: sdk.LinguaLoop) => {
    const records: sdk.TenantUsageRecord[] = [];
    for await (const record of usage.records(tenantId)) records.push(record);
    return records;
  };
  expect(await recordsOf(admin)).toEqual(summary.records);
  expect(await recordsOf(operator())).toMatchObject([{ job_id: job.id, total_tokens: expect.any(Number) }]);
  const { body, fileName } = await admin.usage.export(tenantId, { format: 'csv' });
  expect(fileName).toBe(`usage-${tenantId}-${day.slice(0, 7)}.csv`);
  expect((await new Response(body).text()).trimEnd().split('\r\n')).toHaveLength(2);
});

test('system.health needs no credential; baseUrl may end with a slash', async () => {
  const { system } = clientOf({ baseUrl: `${app.address}/` });
  expect(await system.health()).toMatchObject({ status: 'ok', live_services: false });
});
