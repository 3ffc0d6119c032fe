import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemoWorkspace, servicesFor } from '#server/demo/demo-workspace.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { databaseForVisitors, demoTenantId, visitCookie } from '#server/identity/access/visits.ts';
import { viaRpc } from '#test/contract/call.ts';
import { procedures } from '#test/contract/procedures.ts';
import { env, found, type Headers, submit } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';

// The allowance of new workspaces does not suffice for the demo workspace, which has its own.
const app = useTestApp({ env: { ...env, DEMO_WORKSPACE: 'true', DEFAULT_MONTHLY_CHAR_LIMIT: '200' } });

const cookieOf = (line: string | null): Headers => ({ cookie: (line ?? '').split(';')[0] as string });

/** Calls a procedure as a visitor, or with other headers. */
const ask = async (path: string, input: object = {}, headers: Headers = visitor) => {
  const procedure = procedures.find((one) => one.path === path)!;
  return viaRpc(app, procedure, { input: { ...input }, headers });
};

let visitor: Headers;
beforeAll(async () => {
  // Two processes that start at the same time.
  await Promise.all([makeDemoWorkspace(app.services), makeDemoWorkspace(app.services)]);
  await makeDemoWorkspace(app.services);
  for (const id of await documentIds())
    await runDocument(servicesFor(app.services, demoTenantId), demoTenantId, id);
  const response = await app.request('/demo', { redirect: 'manual' });
  visitor = cookieOf(response.headers.get('set-cookie'));
});

const rowsOf = (query: ReturnType<typeof sql>) =>
  app.database.inTenant(demoTenantId, async (tx) => tx.execute(query));
const documentIds = async () =>
  (await rowsOf(sql`select document_id as id from document_jobs order by created_at`)).map(({ id }) =>
    String(id),
  );

describe('a visitor', () => {
  test('finds translated texts and files, one of which has critical findings', async () => {
    const texts = (await ask('translations.search')).body.jobs;
    expect(texts.map((job: { status: string }) => job.status)).toEqual(Array(5).fill('published'));
    const { files } = (await ask('documents.files')).body;
    expect(files.map((file: { target_lang: string }) => file.target_lang).sort()).toEqual(['de', 'es']);
    const { tasks } = (await ask('reviews.inbox')).body;
    expect(tasks).toMatchObject([
      { target_lang: 'es', severity: 'critical', critical: 1, warnings: 1 },
      { target_lang: 'de', severity: 'rule', critical: 0, warnings: 0 },
    ]);
    const { segments } = (await ask('documents.search', { document_id: tasks[0].id })).body;
    const flagged = segments.filter(
      ({ quality }: { quality: { needs_review: boolean } }) => quality.needs_review,
    );
    expect(flagged).toHaveLength(2);
  });

  test('reads the files of a document over REST', async () => {
    const [id] = await documentIds();
    const { body, status } = await app.json('GET', `/api/documents/${id}`, { headers: visitor });
    expect([status, body.status]).toEqual([200, 'translated']);
    const download = await app.request(`/api/documents/${id}/download`, { headers: visitor });
    expect(download.status).toBe(200);
    const source = body.artifacts.find((artifact: { kind: string }) => artifact.kind === 'source');
    const preview = await app.request(`/app/documents/${id}/artifacts/${source.id}`, { headers: visitor });
    expect(preview.status).toBe(200);
  });

  test('is the caller only without another credential, and of no other workspace', async () => {
    const ana = await found(app);
    const input = { job_id: await submit(app, ana) };
    expect((await ask('translations.get', input, { ...ana.key, ...visitor })).status).toBe(200);
    const elsewhere = { ...visitor, 'x-tenant-id': ana.tenantId };
    expect((await ask('translations.search', {}, elsewhere)).status).toBe(401);
  });

  test('leaves no trace: no session, audit event, usage or claim', async () => {
    const trace = () =>
      rowsOf(sql`select (select count(*) from tokens) + (select count(*) from audit_log)
        + (select count(*) from usage_records) + (select count(*) from review_openings) as rows`);
    const before = await trace();
    await ask('documents.files');
    await ask('documents.get', { document_id: (await documentIds())[0] });
    expect(await trace()).toEqual(before);
  });
});

test('a transaction for a visitor cannot write, and no other transaction can be opened', async () => {
  const database = databaseForVisitors(app.database);
  const write = database.inTenant(demoTenantId, (tx) => tx.execute(sql`update tenants set name = 'Mine'`));
  await expect(write).rejects.toMatchObject({ cause: { code: '25006' } });
  const nothing = async () => 'opened';
  await expect(database.inTenant('another', nothing)).rejects.toThrow();
  await expect(database.inPlatform(nothing)).rejects.toThrow();
});

test('starting again, also after a kill in the middle, creates what is missing and nothing else', async () => {
  const count = () =>
    rowsOf(sql`select (select count(*) from translation_jobs) as texts,
      (select count(*) from document_jobs) as documents, (select count(*) from terminology_sets) as glossaries`);
  expect(await count()).toMatchObject([{ texts: '5', documents: '2', glossaries: '1' }]);
  await rowsOf(sql`delete from translation_jobs where request ->> 'target_lang' = 'fr'`);
  await Promise.all([makeDemoWorkspace(app.services), makeDemoWorkspace(app.services)]);
  expect(await count()).toMatchObject([{ texts: '5', documents: '2', glossaries: '1' }]);
});

describe('the cookie', () => {
  test('is refused if it is forged, has another end, or is over', async () => {
    const [value = ''] = (visitor['cookie'] ?? '').split('=').slice(1);
    const [end, hash] = value.split('.');
    for (const forged of [`${end}.${'A'.repeat(43)}`, `${Number(end) + 1}.${hash}`, `${end}`, 'x', ''])
      expect((await ask('documents.files', {}, { cookie: `ll_demo=${forged}` })).status).toBe(401);
    const now = Date.now;
    try {
      Date.now = () => now() - 3 * 3600_000;
      const old = cookieOf(visitCookie(app.services));
      Date.now = now;
      expect((await ask('documents.files', {}, old)).status).toBe(401);
    } finally {
      Date.now = now;
    }
  });

  test('is HttpOnly, and no cookie of a session', async () => {
    const { headers } = await app.request('/demo', { redirect: 'manual' });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ll_demo=\d+\.[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Lax$/),
    ]);
    expect(headers.get('location')).toBe('/app');
  });

  test('ends at /demo/leave', async () => {
    const { headers } = await app.request('/demo/leave', { redirect: 'manual' });
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^ll_demo=; Path=\/; Max-Age=0/)]);
  });
});

test('a request with DEMO_WORKSPACE off: no link, no page, and an earlier cookie is refused', async () => {
  expect(await (await app.request('/')).text()).toContain('href="/demo"');
  const off = await startBeside(app, env);
  try {
    expect(await (await off.request('/')).text()).not.toContain('/demo"');
    expect((await off.request('/demo')).status).toBe(404);
    expect((await off.request('/api/documents/an-id', { headers: visitor })).status).toBe(401);
  } finally {
    await off.close();
  }
});

test('the requests of one address are limited', async () => {
  const limited = await startBeside(app, { DEMO_WORKSPACE: 'true' });
  try {
    const statuses = new Set<number>();
    for (let sent = 0; sent < 31; sent += 1)
      statuses.add((await limited.request('/demo', { redirect: 'manual' })).status);
    expect([...statuses]).toEqual([303, 429]);
  } finally {
    await limited.close();
  }
});

test('a deactivated workspace is closed, and stays as it is', async () => {
  await rowsOf(sql`update tenants set active = false`);
  expect((await ask('documents.files')).status).toBe(401);
  expect((await app.request('/demo')).status).toBe(404);
  await rowsOf(sql`delete from translation_jobs`);
  await makeDemoWorkspace(app.services);
  expect(await rowsOf(sql`select job_id from translation_jobs`)).toEqual([]);
});
