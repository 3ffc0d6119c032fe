import { afterAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openBound } from './bound-workspace.ts';
import { startAccount } from './data-lake-account.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

const app = useTestApp({
  env: { STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url },
});

describe('a binding', () => {
  test('starts unverified, and after a probe records and files go to the account', async () => {
    const mine = await openBound(app, account);
    expect((await mine.binding()).body).toMatchObject({
      provider: 'platform',
      status: 'verified',
      has_secret: false,
    });
    const bound = await mine.bind();
    expect([bound.status, bound.body]).toMatchObject([
      200,
      { provider: 'datalake', status: 'unverified', has_secret: true },
    ]);
    expect(JSON.stringify(bound.body)).not.toContain('sig=');
    const refused = await app.json('POST', '/api/translations', {
      headers: mine.headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'storage_binding_not_verified']);
    const verified = await mine.verify();
    expect([verified.status, verified.body]).toMatchObject([
      200,
      { status: 'verified', last_error: null, replay: { published: 0, failed: 0, remaining: 0 } },
    ]);
    const job = await mine.job();
    const { id } = await mine.translate(['Hello']);
    await expect
      .poll(() => mine.stored())
      .toEqual([
        expect.stringMatching(new RegExp(`^documents/${id}/source-[0-9a-f]{32}\\.xlsx$`)),
        expect.stringMatching(new RegExp(`^documents/${id}/translated-[0-9a-f]{32}\\.xlsx$`)),
        `golden/${job.id.slice(0, 6)}/${job.id}.json`,
        expect.stringMatching(/^golden\/manifest\/\d{4}-\d\d-\d\d\.jsonl$/),
      ]);
    const download = await app.request(`/api/documents/${id}/download`, { headers: mine.headers });
    expect(download.status).toBe(200);
    expect((await mine.unbind()).body).toMatchObject({ provider: 'platform', status: 'verified' });
    expect((await app.request(`/api/documents/${id}/download`, { headers: mine.headers })).status).toBe(409);
  });
});
