import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { workbook } from '#test/factories/workbook.ts';
import { bearer } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let workers: Workers | undefined;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(() => workers?.stop());

async function founded() {
  const { apiKey, accessToken, headers } = await app.signUp();
  const of = (options: Partial<sdk.LinguaLoopOptions>) =>
    new sdk.LinguaLoop({ baseUrl: app.address, ...options });
  return { headers, admin: of({ accessToken }), bearer: bearer(accessToken), ...of({ apiKey }) };
}

const menu: sdk.NamedContent = { name: 'Menü.xlsx', data: workbook('Soup', 'Fresh bread', 'Soup') };
const request = { target_lang: 'fr' };
const quickly = { pollEvery: { firstMs: 20, maxMs: 100 } };

describe('B 4.3: documents', () => {
  test('a document is translated, downloaded, corrected, approved and deleted', async () => {
    const { documents, admin } = await founded();
    const reported: string[] = [];
    const poller = await documents.translate(menu, request, {
      ...quickly,
      onProgress: ({ status }) => void reported.push(status),
    });
    expect(poller.job).toMatchObject({ status: 'queued', source_file_name: 'Menü.xlsx' });
    const job = await poller.pollUntilDone();
    expect(job).toMatchObject({ status: 'translated', quality_report: { translated_units: 3 } });
    expect(reported[0]).toBe('queued');
    expect(reported.at(-1)).toBe('translated');

    const texts: (string | null)[] = [];
    for await (const { target_text } of documents.segments(job.id, { limit: 2 })) texts.push(target_text);
    expect(texts).toEqual(['[fr] Soup', '[fr] Fresh bread', '[fr] Soup']);
    for await (const flagged of documents.segments(job.id, { flagged: true }))
      expect.unreachable(flagged.place);
    const { segments, total } = await documents.segmentPage(job.id, { limit: 1 });
    expect([segments.length, total]).toEqual([1, 3]);

    const [soup] = segments;
    const reviewed = await documents.review(job.id, {
      corrections: [{ region_id: soup!.region_id, cell_id: soup!.cell_id, target_text: 'Potage' }],
      reviewer: 'Ada',
    });
    expect(reviewed.review_history).toMatchObject([{ reviewer: 'Ada', corrections: 1 }]);
    const { approval_result } = await documents.approve(job.id, { reviewer: 'Ada' });
    expect(approval_result).toMatchObject({ approved: true, already_approved: false, reviewer: 'Ada' });
    expect((await documents.approve(job.id, { reviewer: 'Eve' })).approval_result).toMatchObject({
      already_approved: true,
      reviewer: 'Ada',
    });

    const file = await documents.download(job.id);
    expect([file.fileName, file.sourceFileName]).toEqual(['Menü.fr.xlsx', 'Menü.xlsx']);
    const bytes = await file.bytes();
    const artifacts = await documents.artifacts(job.id);
    expect(artifacts.map(({ kind, revision }) => [kind, revision])).toEqual([
      ['source', 1],
      ['translated', 1],
      ['translated', 2],
    ]);
    expect(bytes.length).toBe(artifacts.at(-1)!.size_bytes);

    expect(await documents.summary()).toMatchObject({ total: 1, approved: 1, by_format: { xlsx: 1 } });
    await expect(documents.summary({ include_tenant_breakdown: true })).rejects.toBeInstanceOf(
      sdk.PermissionDeniedError,
    );
    await expect(documents.delete(job.id)).rejects.toBeInstanceOf(sdk.AuthenticationError);
    expect(await admin.documents.delete(job.id)).toMatchObject({ deleted: true, artifacts_removed: 3 });
    await expect(documents.get(job.id)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  test('with `wait` it is translated when the call returns; its failure is the call’s', async () => {
    const { documents } = await founded();
    const poller = await documents.translate(menu, request, { wait: true });
    expect(poller.job.status).toBe('translated');
    await expect(
      documents.translate({ name: 'a.xlsx', data: new TextEncoder().encode('PK') }, request, { wait: true }),
    ).rejects.toBeInstanceOf(sdk.BadRequestError);
  });

  test('the same key finds the document again, in another process, by its handle too', async () => {
    const { documents } = await founded();
    const first = await documents.translate(menu, request, { idempotencyKey: 'menu' });
    const again = await documents.translate(menu, request, { idempotencyKey: 'menu', ...quickly });
    expect(again.id).toBe(first.id);
    const resumed = await documents.resume(JSON.parse(JSON.stringify(first)), quickly);
    const [one, other] = await Promise.all([again.pollUntilDone(), resumed.pollUntilDone()]);
    expect(one).toEqual(other);
    const listed: string[] = [];
    for await (const { id } of documents.list({ status: 'translated' })) listed.push(id);
    expect(listed).toEqual([first.id]);
    expect(await documents.listPage()).toMatchObject({ items: [{ id: first.id }], nextCursor: null });
  });

  test('a response that is lost leads to one document, billed once', async () => {
    const { documents, headers } = await founded();
    let lost = false;
    const lossy: sdk.Fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (lost || !url.endsWith('/translate')) return response;
      lost = true;
      throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    };
    const unlucky = new sdk.LinguaLoop({
      baseUrl: app.address,
      apiKey: headers['x-api-key']!,
      fetch: lossy,
      backoff: { firstMs: 1, maxMs: 1 },
    });
    await (await unlucky.documents.translate(menu, request, quickly)).pollUntilDone();
    expect(lost).toBe(true);
    expect(await documents.summary()).toMatchObject({ total: 1, billable_chars: 19 });
  });

  test('a file of another kind is refused', async () => {
    const { documents } = await founded();
    const text = { name: 'a.txt', data: new TextEncoder().encode('Hello') };
    await expect(documents.translate(text, request)).rejects.toBeInstanceOf(sdk.UnsupportedMediaTypeError);
  });
});
