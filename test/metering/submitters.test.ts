import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { viaRpc } from '#test/contract/call.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env, type Fields, type Headers, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { type Documents, openDocuments } from '../documents/workspace.ts';
import { keyed } from '../translations/workspace.ts';
import { addRecords } from './ledger.ts';

const control = { failing: false };
const engine = engineOf(async ({ segments }) => {
  if (control.failing) throw new AppError('transient_error', 'translate failed');
  return answered(
    segments.map((text) => `fr of ${text}`),
    7,
  );
});

const app = useTestApp({ env, engine });

const mine = {} as Documents & { one: Person; other: Person };

beforeEach(async () => {
  control.failing = false;
  const workspace = await openDocuments(app);
  const bearer: Headers = workspace.admin;
  const [one, other] = await Promise.all([1, 2].map(() => join(app, { bearer } as Person)));
  Object.assign(mine, workspace, { one, other });
});

/** The groups of the report as the administrator sees them: jobs and characters by submitter. */
async function submitters(as: Headers = mine.admin): Promise<Record<string, [jobs: number, chars: number]>> {
  const { status, body } = await viaRpc(
    app,
    { path: 'usage.breakdown', type: 'query' },
    { input: { by: 'submitted_by' }, headers: as },
  );
  expect(status).toBe(200);
  return Object.fromEntries(
    body.groups.map(({ name, jobs, billable_chars }: Fields) => [name, [jobs, billable_chars]]),
  );
}

const text = (source_text: string, fields: Fields = {}) => ({ source_text, target_lang: 'fr', ...fields });

const translate = (body: Fields, as: Headers) => app.json('POST', '/api/translations', { headers: as, body });

/** Queues a workbook with one cell, and returns the ID of its job. */
async function upload(path: string, cell: string, { bearer }: Person): Promise<string> {
  const body = new FormData();
  body.append('source_document', workbookFile([cell]));
  body.append('target_lang', 'fr');
  const response = await app.request(path, { method: 'POST', headers: bearer, body });
  expect(response.ok).toBe(true);
  return ((await response.json()) as { id: string }).id;
}

const batch = { inputs: [{ Text: 'abc', Targets: [{ Language: 'fr' }, { Language: 'de' }] }] };

describe('billed characters by submitter', () => {
  test('name the members and the API key, for texts, batches, files and documents, on each transport', async () => {
    const { one, other, headers: key } = mine;
    await translate(text('ab'), key);
    await translate(text('abcd'), one.bearer);
    await translate(batch, other.bearer);
    const call = { path: 'translations.create', type: 'mutation' } as const;
    expect((await viaRpc(app, call, { input: text('abcdefgh'), headers: one.bearer })).status).toBe(200);
    expect((await mine.post('abcde', { 'content-type': 'text/plain' }, '?target_lang=fr')).status).toBe(200);
    expect(await submitters()).toEqual({
      api_key: [2, 7],
      [one.email]: [2, 12],
      [other.email]: [2, 6],
    });

    // A document is run by a worker, which has no caller.
    await mine.run(await upload('/api/documents/translate', 'Goodbye.', other));
    expect((await submitters())[other.email]).toEqual([3, 14]);
    await mine.run(await upload('/api/translations', 'Good evening.', one));
    expect((await submitters())[one.email]).toEqual([3, 25]);
  });

  test('count a replay for no one, and a repeat from the TM for who sent it', async () => {
    const { one, other, headers: key } = mine;
    await translate(text('abcd'), { ...one.bearer, ...keyed('k') });
    const replay = await translate(text('abcd'), { ...other.bearer, ...keyed('k') });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(await submitters()).toEqual({ [one.email]: [1, 4] });
    expect((await translate(text('abcd'), key)).status).toBe(200);
    expect(await submitters()).toEqual({ [one.email]: [1, 4], api_key: [1, 4] });
  });

  test('count a failed job that is sent again for its second sender, and a failed job for no one', async () => {
    const { one, other } = mine;
    control.failing = true;
    expect((await translate(text('abcd'), { ...one.bearer, ...keyed('k') })).status).toBe(503);
    expect(await submitters()).toEqual({});
    control.failing = false;
    expect((await translate(text('abcd'), { ...other.bearer, ...keyed('k') })).status).toBe(200);
    expect(await submitters()).toEqual({ [other.email]: [1, 4] });
  });

  test('remain when the job is deleted and its submitter is deactivated', async () => {
    const { body } = await translate(text('abcd'), mine.one.bearer);
    expect((await mine.remove(body.id, mine.admin)).status).toBe(200);
    await app.json('PATCH', `/api/tenants/users/${mine.one.userId}`, {
      headers: mine.admin,
      body: { active: false },
    });
    expect(await submitters()).toEqual({ [mine.one.email]: [1, 4] });
  });

  test('are unnamed for earlier jobs, and keep the ID of a member who no longer exists', async () => {
    const at = new Date().toISOString();
    await addRecords(app, mine.tenantId, [
      { at, billableChars: 9 },
      { at, billableChars: 5, submittedBy: 'f'.repeat(32) },
    ]);
    expect(await submitters()).toEqual({ '': [1, 9], ['f'.repeat(32)]: [1, 5] });
    // A document that a process of the previous version has queued.
    const { id } = (await mine.send({ source_document: workbookFile(['Hi.']) })).body;
    await openSuperuser(app.superuserUrl)`
      update document_jobs set submitted_by = null where document_id = ${id}`;
    await mine.run(id);
    expect((await submitters())['']).toEqual([2, 12]);
  });
});
