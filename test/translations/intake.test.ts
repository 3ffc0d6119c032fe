import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const text = { source_text: 'Hello', target_lang: 'fr' };
const plain = { 'content-type': 'text/plain' };
const withMetadata = (json: string) => `?target_lang=fr&metadata=${encodeURIComponent(json)}`;

test('a text sent as a document returns no fields for operators', async () => {
  const mine = await openWorkspace(app);
  const metadata = { source_document: {}, candidate_models: 'rival' };
  const { body } = await mine.submit({ ...text, metadata });
  expect(body).toHaveLength(1);
  expect(JSON.stringify(body)).not.toContain('rival');
  expect(body[0].agent_run.steps.filter((step: object) => 'metadata' in step)).toEqual([]);
});

test('metadata has at most 65536 characters of JSON, and may have all of them', async () => {
  const mine = await openWorkspace(app);
  const sized = (size: number) => ({ note: 'x'.repeat(size - '{"note":""}'.length) });
  expect((await mine.submit({ ...text, metadata: sized(65_536) })).status).toBe(200);
  expect((await mine.submit({ ...text, metadata: sized(65_537) })).status).toBe(413);
});

describe('keys that the service writes are discarded from a submission (B 2.6)', () => {
  const metadata = {
    tenant: { id: 'another' },
    primary_model: 'another',
    terminology_matches: 1,
    terminology_entries: 1,
    terminology_gate: 1,
    terminology_gate_override: 1,
    golden_uri: 'golden/another.json',
    provenance: { fast_path: 'tm_exact' },
    review_pipeline_candidate: 'another',
    redaction: { replaced: { names: 9 } },
    sensitive: true,
    note: 'kept',
  };
  type Mine = Awaited<ReturnType<typeof openWorkspace>>;

  test.each<[string, (mine: Mine) => Promise<{ id: string }>]>([
    ['a text', async (mine) => (await mine.submit({ ...text, metadata })).body],
    [
      'a text sent as a document',
      async (mine) =>
        (await mine.submit({ ...text, metadata: { ...metadata, source_document: {} } })).body[0],
    ],
    [
      'an upload',
      async (mine) => (await mine.post('Hello', plain, withMetadata(JSON.stringify(metadata)))).body[0],
    ],
  ])('of %s', async (_door, send) => {
    const mine = await openWorkspace(app);
    const { id } = await send(mine);
    const [row] = await openSuperuser(app.superuserUrl)`
      select request->'metadata' as metadata from translation_jobs where job_id = ${id}`;
    const { tenant, source_document: _, ...rest } = row!['metadata'];
    expect(tenant.id).toBe(mine.tenantId);
    expect(rest).toEqual({ sensitive: true, note: 'kept' });
  });
});

test('an upload’s metadata with a character that cannot be stored is 400', async () => {
  const mine = await openWorkspace(app);
  expect((await mine.post('Hello', plain, withMetadata('{"note":"\\u0000"}'))).status).toBe(400);
  expect(await mine.list()).toEqual([]);
});

test('the text of a flattened file is plain, whatever text_type is asked for', async () => {
  const mine = await openWorkspace(app);
  const html = { 'content-type': 'text/html' };
  const { body } = await mine.post('<p>a < b</p>', html, '?target_lang=fr&text_type=Html');
  expect(body[0].request.text_type).toBe('Plain');
});

test('create on /trpc returns one job, and takes no document: 422', async () => {
  const mine = await openWorkspace(app);
  const { status } = await app.json('POST', '/trpc/translations.create', {
    headers: mine.headers,
    body: { json: { ...text, metadata: { source_document: { name: 'a' } } } },
  });
  expect(status).toBe(422);
  expect(await mine.list()).toEqual([]);
});
