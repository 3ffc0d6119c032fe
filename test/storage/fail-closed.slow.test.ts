import { beforeEach, describe, expect, test } from 'vitest';
import { paid } from '#test/billing/payments.ts';
import { recordingEngine } from '#test/documents/workspace.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { keyed } from '#test/translations/workspace.ts';
import { type Bound, openBound, useAccountApp } from './bound-workspace.ts';

const engine = recordingEngine();
const { account, app } = await useAccountApp({ engine });

const billed = useTestApp({
  env: { ...paid(), STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url },
});

let mine: Bound;
beforeEach(async () => {
  engine.reset();
  mine = await openBound(app, account);
});

const refused = { status: 409, body: { error_code: 'storage_binding_not_verified' } };
const sensitive = { metadata: { sensitive: true } };

/** Events after which a verified binding cannot be used. */
const states: Record<string, () => Promise<unknown>> = {
  'the binding was edited': () => mine.bind(),
  'the binding’s last probe failed': async () => {
    const end = mine.fail({ how: 403 });
    await mine.verify();
    end();
  },
  'the secret was sealed with a key that is gone': () =>
    openSuperuser(app.superuserUrl)`
      update storage_bindings set secret_key_id = '00000000', revision = revision + 1
      where tenant_id = ${mine.tenantId}`,
  'the secret cannot be decrypted': () =>
    openSuperuser(app.superuserUrl)`
      update storage_bindings set secret = decode(repeat('00', 100), 'hex'), revision = revision + 1
      where tenant_id = ${mine.tenantId}`,
  'the secret is missing': () =>
    openSuperuser(app.superuserUrl)`
      update storage_bindings set secret = null, revision = revision + 1 where tenant_id = ${mine.tenantId}`,
};

const requestsOf = ({ filesystem }: Bound) =>
  account.lake.requests.filter((request) => request.filesystem === filesystem);

const stateRows = () =>
  countRows(openSuperuser(app.superuserUrl), [
    'translation_jobs',
    'document_jobs',
    'document_artifacts',
    'document_segments',
    'usage_records',
    'graphile_worker._private_jobs',
  ]);

describe.each(Object.entries(states))('while %s (B "Routing")', (_name, spoil) => {
  beforeEach(async () => {
    await mine.connect();
    await spoil();
  });

  test('new work is 409 before a job, a file or a usage record exists', async () => {
    const before = await stateRows();
    const requests = requestsOf(mine).length;
    const text = new TextEncoder().encode('Hello\n');
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('source_document', workbookFile(['Hello']));
    const submissions = {
      'a text': mine.submit({ source_text: 'Hello', target_lang: 'fr' }),
      'a text for review by its domain': mine.submit({
        source_text: 'a',
        target_lang: 'fr',
        domain: 'legal',
      }),
      'a text for review by its flag': mine.submit({ source_text: 'a', target_lang: 'fr', ...sensitive }),
      'a keyed text': mine.submit({ source_text: 'Hello', target_lang: 'fr' }, keyed('new')),
      'a batch': mine.submit({ inputs: [{ Text: 'Hello', Targets: [{ Language: 'fr' }] }] }),
      'pages of a file': mine.post(text, { 'content-type': 'text/plain' }, '?target_lang=fr'),
      'a document': mine.send(),
      'a document that is waited for': mine.send({ wait: 'true' }),
      'a document in a form of texts': mine.post(form, {}),
    };
    for (const [name, submission] of Object.entries(submissions))
      expect(await submission, name).toMatchObject(refused);
    expect(await stateRows()).toEqual(before);
    expect(engine.asked).toEqual([]);
    expect(requestsOf(mine)).toHaveLength(requests);
    expect(await mine.usage()).toEqual([]);
  });
});

test('a text that glossary or TM serves is rejected, too', async () => {
  await setsOf(app, mine.headers).memory([['Hello', 'Allô']]);
  await mine.bind();
  expect(await mine.submit({ source_text: 'Hello', target_lang: 'fr' })).toMatchObject(refused);
  expect(await mine.list()).toEqual([]);
});

describe('the order of gates (B 4.1)', () => {
  test('malformed requests, and callers without credentials, come before the storage', async () => {
    await mine.bind();
    expect((await mine.submit({ source_text: 'Hello', target_lang: 'xx' })).status).toBe(422);
    expect((await mine.submit({ source_text: ' ', target_lang: 'fr' })).status).toBe(400);
    const headers = { 'x-api-key': 'unknown' };
    const body = { source_text: 'Hello', target_lang: 'fr' };
    expect((await app.json('POST', '/api/translations', { headers, body })).status).toBe(401);
  });

  test('the allowance comes before the storage', async () => {
    await mine.bind();
    await openSuperuser(app.superuserUrl)`
      update tenants set monthly_char_limit = 3 where tenant_id = ${mine.tenantId}`;
    expect((await mine.submit({ source_text: 'Hello', target_lang: 'fr' })).status).toBe(429);
    expect(await mine.submit({ source_text: 'Hi', target_lang: 'fr' })).toMatchObject(refused);
  });
});

describe('payment is checked before the storage', () => {
  test.each([
    ['a text', (mine: Bound) => mine.submit({ source_text: 'Hello', target_lang: 'fr' })],
    ['a document', (mine: Bound) => mine.send()],
  ])('of %s', async (_name, submit) => {
    const unpaid = await openBound(billed, account);
    await unpaid.bind();
    expect((await submit(unpaid)).status).toBe(402);
    await openSuperuser(billed.superuserUrl)`
      update tenants set metadata = metadata || '{"pay_subscription_status": "active"}'
      where tenant_id = ${unpaid.tenantId}`;
    expect(await submit(unpaid)).toMatchObject(refused);
  });
});

describe('replays (B 4.2 rule 3)', () => {
  test('of finished texts, batches and documents are answered', async () => {
    await mine.connect();
    const text = { source_text: 'Hello', target_lang: 'fr' };
    const batch = { inputs: ['One', 'Two'].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })) };
    const first = await mine.submit(text, keyed('text'));
    const several = await mine.submit(batch, keyed('batch'));
    const document = await mine.send({ wait: 'true' }, keyed('document'));
    const queued = await mine.send({}, keyed('queued'));
    await mine.bind();
    const again = await mine.submit(text, keyed('text'));
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect((await mine.submit(batch, keyed('batch'))).body).toEqual(several.body);
    expect(await mine.send({}, keyed('document'))).toMatchObject({
      status: 200,
      body: { id: document.body.id, status: 'translated' },
    });
    expect(await mine.send({}, keyed('queued'))).toMatchObject({ status: 202, body: { id: queued.body.id } });
    const longer = { inputs: [...batch.inputs, { Text: 'New', Targets: [{ Language: 'fr' }] }] };
    const before = await stateRows();
    expect(await mine.submit(longer, keyed('batch'))).toMatchObject(refused);
    expect(await stateRows()).toEqual(before);
  });

  test('of a failed job would run it again: refused, and the job stays as it is', async () => {
    await mine.connect();
    engine.reply = () => {
      throw new Error('no model');
    };
    const body = { source_text: 'Hello', target_lang: 'fr' };
    await mine.submit(body, keyed('failing'));
    engine.reset();
    const [failed] = await mine.list();
    expect(failed.status).toBe('failed');
    await mine.bind();
    expect(await mine.submit(body, keyed('failing'))).toMatchObject(refused);
    expect(await mine.readJob(failed.id)).toEqual(failed);
    expect(await mine.usage()).toEqual([]);
    await mine.verify();
    expect((await mine.submit(body, keyed('failing'))).body).toMatchObject({
      id: failed.id,
      status: 'published',
    });
  });
});

describe('what exists', () => {
  test('jobs are read, downloaded and deleted while the storage cannot be used', async () => {
    await mine.connect();
    const { id } = await mine.job();
    await mine.bind();
    expect((await mine.readJob(id)).status).toBe('published');
    expect((await mine.golden(id)).status).toBe(200);
    expect((await mine.remove(id, mine.admin)).status).toBe(200);
  });

  test.each([
    ['approve', {}, 'published'],
    ['modify', { final_translation: 'Salut' }, 'human_edited'],
  ])(
    '%s is 409, and its job is parked: final, readable, billed once, published after a verify',
    async (action, fields, published) => {
      await mine.connect();
      const job = await mine.job(sensitive);
      expect(job.status).toBe('awaiting_review');
      await mine.bind();
      expect(await mine.review(job.id, { action, reviewer: 'Rev', ...fields })).toMatchObject(refused);
      const parked = await mine.readJob(job.id);
      expect(parked).toMatchObject({
        status: 'persistence_failed',
        final_translation: 'final_translation' in fields ? 'Salut' : job.final_translation,
        agent_run: { human_review_task: { status: 'completed', completed_by: 'Rev' } },
      });
      expect((await mine.golden(job.id)).status).toBe(409);
      expect(await mine.usage()).toHaveLength(1);
      // The job is closed, so it cannot be reviewed again.
      expect((await mine.review(job.id, { action: 'reject' })).status).toBe(400);
      const { replay } = await mine.replay();
      expect(replay).toEqual({ published: 1, failed: 0, remaining: 0 });
      expect((await mine.readJob(job.id)).status).toBe(published);
      expect(mine.stored().filter((path) => path.includes(job.id))).toHaveLength(1);
      expect(await mine.usage()).toHaveLength(1);
    },
  );

  test('save and reject need no storage', async () => {
    await mine.connect();
    const [one, two] = [await mine.job(sensitive), await mine.job({ ...sensitive, source_text: 'two' })];
    await mine.bind();
    expect(await mine.review(one.id, { action: 'save', final_translation: 'draft' })).toMatchObject({
      status: 200,
      body: { status: 'awaiting_review' },
    });
    expect((await mine.review(two.id, { action: 'reject' })).body.status).toBe('rejected');
    expect(mine.stored().filter((path) => path.includes(two.id))).toEqual([]);
  });

  test('a document’s download, review and approval are refused, and change nothing', async () => {
    await mine.connect();
    const { id } = await mine.translate(['Hello', 'World']);
    await mine.bind();
    const before = [await mine.read(id), await mine.segments(id), await mine.artifacts(id)];
    const files = mine.stored();
    const download = await mine.download(id);
    expect([download.status, await download.json()]).toMatchObject([409, refused.body]);
    expect(await mine.correct(id, { A1: 'Bonjour' })).toMatchObject(refused);
    expect(await mine.approve(id)).toMatchObject(refused);
    expect([await mine.read(id), await mine.segments(id), await mine.artifacts(id)]).toEqual(before);
    expect(mine.stored()).toEqual(files);
    expect((await setsOf(app, mine.headers).memories()).length).toBe(0);
    await mine.verify();
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
    expect((await mine.approve(id)).body.approval_result).toMatchObject({ approved: true });
    expect((await mine.download(id)).status).toBe(200);
  });

  test('a document of the platform’s storage follows the binding, too', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.connect();
    expect((await mine.download(id)).status).toBe(200);
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
    // The new file is stored in the account that is bound now.
    expect(mine.stored().filter((path) => path.startsWith(`documents/${id}/`))).toHaveLength(1);
    await mine.unbind();
    expect(await (await mine.download(id)).json()).toMatchObject(refused.body);
    expect((await mine.read(id)).status).toBe('translated');
  });

  test('a document that was queued before fails: not billed, nothing written', async () => {
    await mine.connect();
    const id = await mine.queue(['Hello']);
    await mine.bind();
    const files = mine.stored();
    await mine.run(id);
    expect(await mine.read(id)).toMatchObject({ status: 'failed', failure: { message: expect.any(String) } });
    expect(await mine.usage()).toEqual([]);
    expect(mine.stored()).toEqual(files);
  });
});
