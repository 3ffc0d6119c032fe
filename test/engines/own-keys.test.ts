import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspaceEngines } from '#server/engines/workspace-engines.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { type SecretsKeys, seal, unseal } from '#server/platform/encryption.ts';
import { engineFor } from '#server/platform/engines/engine.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { type TenantEngine, withTenantEngines } from '#server/platform/engines/tenant-engine.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { readSettings } from '#server/settings.ts';
import { operateHere, outputOf } from '#test/admin/command.ts';
import { viaRpc } from '#test/contract/call.ts';
import { useDocuments } from '#test/documents/workspace.ts';
import { env, type Fields } from '#test/factories.ts';
import { failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { startTranslator } from '#test/fakes/translators.ts';
import { paragraph, run, wordFile } from '#test/formats/docx-file.ts';
import { type Signup, secretsKey, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { plainTask } from '#test/setup/engine.ts';
import { auditOf, everyRow } from '#test/setup/stored-rows.ts';
import { bread, cat, german, good, liveEngine, train, translate } from '#test/translations/live.ts';

const [deepl, theirs, chat] = await Promise.all([
  startTranslator('deepl'),
  startFakeOpenAi(),
  startFakeOpenAi(),
]);
afterAll(() => Promise.all([deepl, theirs, chat].map((fake) => fake.close())));

const addresses = { deepl: deepl.url, openai: theirs.baseUrl };
const app = useTestApp({
  env: { ...env, OPENAI_MAX_RETRIES: '0' },
  engine: liveEngine(chat),
  engineAddresses: addresses,
});
const mine = useDocuments(app);
const sql = () => openSuperuser(app.superuserUrl);

const key = 'deepl-key-hunter2-00112233-wxyz';
const deeplKey = { kind: 'deepl', api_key: key } as const;
const modelKey = { kind: 'openai', api_key: 'sk-own-hunter2-abcdefgh', model: 'own-1' } as const;

/** All that callers and operators could read. */
const seen: string[] = [];

let other: Signup;
beforeAll(async () => {
  const write = (fields: object, message: string) => void seen.push(message, JSON.stringify(fields));
  app.services.log = { debug: write, info: write, warn: write, error: write };
  other = await app.signUp();
});
beforeEach(() => {
  deepl.reset();
  deepl.translateWith(translate);
  for (const fake of [theirs, chat]) {
    fake.requests.length = 0;
    fake.otherwise(good);
  }
});
afterEach(() => ask('remove'));

async function ask(name: string, input: Fields = {}, { headers }: Pick<Signup, 'headers'> = mine) {
  const type = name === 'get' ? 'query' : 'mutation';
  const response = await viaRpc(app, { path: `engines.${name}`, type }, { input, headers });
  seen.push(JSON.stringify(response));
  return response;
}

const save = async (body: Fields) => expect((await ask('save', body)).status).toBe(200);

async function send(source_text: string, { headers }: Pick<Signup, 'headers'> = mine) {
  const body = { source_text, source_lang: 'en', target_lang: 'de', wait: true };
  const response = await app.json('POST', '/api/translations', { headers, body });
  seen.push(JSON.stringify(response.body));
  return response;
}

/** The tasks of the requests to a language model. */
const tasks = (fake: typeof chat) =>
  fake.requests.map(({ body }) =>
    /translat/i.test(body.response_format?.json_schema?.name ?? '') ? 'translate' : 'other',
  );

describe('the engine of a workspace', () => {
  test('translates its texts and documents, which the model of the deployment judges; no other workspace gets it', async () => {
    await save(deeplKey);
    expect((await send(cat)).body).toMatchObject({ status: 'published', final_translation: german[cat] });
    const source_document = new File([new Uint8Array(wordFile(paragraph(run(bread))))], 'Letter.docx');
    const fields = { source_document, wait: 'true', source_lang: 'en', target_lang: 'de' };
    const { status, body: job } = await mine.send(fields);
    expect([status, job.detail]).toEqual([200, undefined]);
    expect((await mine.segments(job.id)).segments[0]).toMatchObject({ target_text: german[bread] });
    expect(deepl.asked.flatMap(({ texts }) => texts)).toEqual([cat, bread]);
    expect(deepl.requests[0]?.headers.authorization).toBe(`DeepL-Auth-Key ${key}`);
    expect(tasks(chat)).not.toContain('translate');
    expect(chat.requests.length).toBeGreaterThan(0);

    expect((await send(train, other)).status).toBe(200);
    expect(deepl.asked).toHaveLength(2);
    expect(tasks(chat)).toContain('translate');
  });

  test('judges, too, if it is a language model', async () => {
    await save(modelKey);
    expect((await send(cat)).body.final_translation).toBe(german[cat]);
    expect(chat.requests).toEqual([]);
    expect(new Set(theirs.requests.map(({ body }) => body.model))).toEqual(new Set(['own-1']));
    expect(theirs.requests[0]?.headers.authorization).toBe(`Bearer ${modelKey.api_key}`);
  });

  test('is the only one of a run: after its removal, the rest of the text goes to no other', async () => {
    const own = {
      name: 'own',
      model: null,
      translate: stubEngine.translate,
      limit: createConcurrencyLimit(),
    };
    let found: TenantEngine | null = { engine: own, fallback: true };
    const engine = withTenantEngines(stubEngine, async () => found);
    const scope = { tenantId: mine.tenantId, run: {} };
    await engine.translate(plainTask, scope);
    found = null;
    await expect(engine.assess(plainTask, ['x'], scope)).rejects.toMatchObject({ code: 'transient_error' });
    await expect(engine.translate(plainTask, scope)).rejects.toMatchObject({ code: 'transient_error' });
    expect(await engine.translate(plainTask, { ...scope, run: {} })).toMatchObject({ value: ['[de] Hello'] });
  });

  test('is live in a deployment without a model; a translation service then gets a review', async () => {
    const { workspaceEngines } = app.services;
    const engine = withTenantEngines(stubEngine, workspaceEngines.find);
    const scope = { tenantId: mine.tenantId };
    expect(await engineFor(engine, scope)).toMatchObject({ live: false });
    await save(deeplKey);
    expect(await engineFor(engine, scope)).toMatchObject({ live: true, withoutJudge: 'review' });
    await save(modelKey);
    expect(await engineFor(engine, scope)).toMatchObject({ live: true, withoutJudge: null });
    expect(await engineFor(engine, { tenantId: other.tenantId })).toMatchObject({ live: false });
  });

  test.each([
    [false, 503, 0],
    [true, 200, 1],
  ])('with fallback %s, a rejected key gives %i', async (fallback, status, translated) => {
    await save({ ...deeplKey, fallback });
    deepl.enqueue(deepl.failing('refused'));
    const { status: found, body } = await send(`${train} ${fallback}`);
    expect(found).toBe(status);
    if (!fallback) expect(body.detail).toContain('the engine of this workspace');
    expect(tasks(chat).filter((task) => task === 'translate')).toHaveLength(translated);
  });

  test('the model that the caller names gets no text of a workspace with a translation service', async () => {
    await save(deeplKey);
    await app.services.engine.translate(
      {
        segments: [cat],
        sourceLang: 'en',
        targetLang: 'de',
        textType: 'Plain',
        tone: null,
        gender: null,
        domain: null,
      },
      { tenantId: mine.tenantId },
      'rival-zq31',
    );
    expect(chat.requests).toEqual([]);
  });

  test('has its own limit of requests at a time', async () => {
    await save({ ...deeplKey, concurrency: 2 });
    let running = 0;
    let most = 0;
    const slow = Array.from(
      { length: 8 },
      () =>
        (...[response, asked]: Parameters<ReturnType<typeof deepl.answering>>) => {
          most = Math.max(most, ++running);
          setTimeout(() => {
            running -= 1;
            deepl.answering((texts) => texts.map(translate))(response, asked);
          }, 30);
        },
    );
    deepl.enqueue(...slow);
    const task = {
      sourceLang: 'en',
      targetLang: 'de',
      textType: 'Plain',
      tone: null,
      gender: null,
      domain: null,
    } as const;
    const calls = Object.keys(german).map((text) =>
      app.services.engine.translate({ ...task, segments: [text] }, { tenantId: mine.tenantId }),
    );
    await Promise.all(calls);
    expect(most).toBe(2);
  });
});

describe('a key', () => {
  test('is tested before it is stored', async () => {
    deepl.translateWith(() => 'Guten Morgen.');
    expect((await ask('test', deeplKey)).body).toEqual({
      result: 'ok',
      status: null,
      translation: 'Guten Morgen.',
    });
    expect((await ask('get')).body.kind).toBeNull();
    deepl.enqueue(deepl.failing('refused'), deepl.failing('busy'), deepl.failing('outage'));
    const results = [];
    for (let times = 0; times < 3; times++) results.push((await ask('test', deeplKey)).body);
    expect(results).toMatchObject([
      { result: 'quota', status: 456 },
      { result: 'quota', status: 429 },
      { result: 'unreachable', status: 503 },
    ]);
    theirs.enqueue(failure(401), failure(404));
    for (const result of ['key_rejected', 'unknown_model'])
      expect((await ask('test', modelKey)).body).toMatchObject({ result, translation: null });
    expect((await ask('test', { kind: 'deepl' })).status).toBe(422);
  });

  test('shows only its end and its date, and stays if only a limit changes', async () => {
    await save(deeplKey);
    const shown = (await ask('get')).body;
    expect(shown).toEqual({
      ...{ kind: 'deepl', key_end: 'wxyz', key_set_at: expect.any(String), region: null, model: null },
      ...{ refiner_model: null, concurrency: 8, fallback: false, updated_at: expect.any(String) },
    });
    const changed = await ask('save', { kind: 'deepl', concurrency: 64 });
    expect(changed.body).toMatchObject({ key_end: 'wxyz', key_set_at: shown.key_set_at, concurrency: 64 });
    await ask('test', { kind: 'deepl' });
    expect(deepl.requests[0]?.headers.authorization).toBe(`DeepL-Auth-Key ${key}`);
    expect(await ask('remove', { updated_at: shown.updated_at })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('read it again') },
    });
    for (const _ of ['once', 'again'])
      expect((await ask('remove', { updated_at: changed.body.updated_at })).status).toBe(200);
    expect((await auditOf(app.superuserUrl, mine)).slice(-3)).toMatchObject([
      { action: 'engine_saved', details: { concurrency: 8, secret_changed: true } },
      { action: 'engine_saved', details: { concurrency: 64, secret_changed: false } },
      { action: 'engine_removed' },
    ]);
  });

  test.each([
    [{ kind: 'google' }, 'api_key is required'],
    [{ kind: 'openai', api_key: key }, 'model is required'],
    [{ ...deeplKey, model: 'x' }, 'model is not allowed'],
    [{ ...deeplKey, region: 'x' }, 'region is not allowed'],
    [{ ...modelKey, api_key: 'entra' }, 'api_key'],
    [{ ...deeplKey, concurrency: 65 }, 'concurrency'],
    [{ kind: 'apertium', url: 'http://169.254.169.254' }, 'kind'],
  ])('%j is refused, and the former one stays', async (body, problem) => {
    await save(deeplKey);
    const { status, body: refusal } = await ask('save', body);
    expect(status).toBe(422);
    expect(JSON.stringify(refusal.detail)).toContain(problem);
    expect((await ask('get')).body).toMatchObject({ kind: 'deepl', key_end: 'wxyz' });
  });

  test('is not used after its removal: at once in this process, after a minute in another one', async () => {
    await save(deeplKey);
    let now = 0;
    const secretsKeys = { current: Buffer.from(secretsKey, 'base64'), previous: null };
    const settings = readSettings({});
    const elsewhere = openWorkspaceEngines(
      Promise.resolve(app.database),
      { settings, secretsKeys, addresses, protect: () => null },
      () => now,
    );
    const { workspaceEngines: here } = app.services;
    const opened = await elsewhere.find(mine.tenantId);
    now = 60_000;
    // The row is read again; the engine, and so its count of running requests, stays.
    expect(await elsewhere.find(mine.tenantId)).toBe(opened);
    expect(await here.find(mine.tenantId)).not.toBeNull();
    await ask('remove');
    expect(await here.find(mine.tenantId)).toBeNull();
    now = 119_999;
    expect(await elsewhere.find(mine.tenantId)).toBe(opened);
    now = 120_000;
    expect(await elsewhere.find(mine.tenantId)).toBeNull();
  });

  test('that cannot be decrypted sends no text anywhere', async () => {
    await save({ ...deeplKey, fallback: true });
    await sql()`update workspace_engines set secret = ${Buffer.alloc(60)} where tenant_id = ${mine.tenantId}`;
    app.services.workspaceEngines.forget(mine.tenantId);
    const { status, body } = await send('Please call me back tomorrow.');
    expect([status, body.detail]).toEqual([503, expect.stringContaining('cannot be decrypted')]);
    expect([...deepl.requests, ...chat.requests]).toEqual([]);
  });

  test('is encrypted again with a new SECRETS_KEY, and opens for no other workspace', async () => {
    await save(deeplKey);
    const read = async () => {
      const [row] = await sql()`select secret from workspace_engines where tenant_id = ${mine.tenantId}`;
      return row!['secret'] as Buffer;
    };
    const only = (current: Buffer): SecretsKeys => ({ current, previous: null });
    const [old, next] = [Buffer.from(secretsKey, 'base64'), Buffer.alloc(32, 7)];
    expect(() =>
      unseal(only(old), 'engine', other.tenantId, seal(only(old), 'engine', mine.tenantId, next)),
    ).toThrow();
    const settings = readSettings({
      SECRETS_KEY: next.toString('base64'),
      SECRETS_KEY_PREVIOUS: secretsKey,
    });
    const [report] = await outputOf({ services: { ...app.services, settings } }, ['reseal-secrets']);
    expect(report.secrets).toContainEqual({ secrets: 'engine_keys', resealed: 1, current: 0, unreadable: 0 });
    expect(unseal(only(next), 'engine', mine.tenantId, await read()).toString()).toBe(key);
  });

  test('is deleted with its workspace, and is in no response, log line, row or export', async () => {
    const leaver = await app.signUp();
    expect((await ask('save', deeplKey, leaver)).status).toBe(200);
    await send(cat, leaver);
    await save(deeplKey);
    await app.request('/trpc/engines.save', {
      method: 'POST',
      headers: { ...mine.headers, 'content-type': 'application/json' },
      body: `{"api_key": "${key}", `,
    });
    await ask('save', { ...deeplKey, kind: key });
    deepl.enqueue((response) => response.writeHead(403).end(JSON.stringify({ message: `bad key ${key}` })));
    await send('The second train leaves an hour later.');
    deepl.enqueue((response) => response.writeHead(500).end(key));
    await ask('test', deeplKey);
    const rows = (await everyRow(sql())).map(({ row }) => row);
    expect([...seen, ...rows].filter((text) => text.includes('hunter2'))).toEqual([]);
    expect(seen.length).toBeGreaterThan(30);
    await operateHere(app, ['delete-tenant', leaver.tenantId, '--after-days', '0']);
    await deleteDueTenants(app.services);
    expect(await sql()`select tenant_id from workspace_engines`).toEqual([{ tenant_id: mine.tenantId }]);
  });
});
