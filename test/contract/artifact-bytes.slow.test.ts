import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { scopes } from '#server/identity/access/api-keys.ts';
import { callAsEverybody, expectedOf } from '#test/contract/guards/callers.ts';
import { useGuardFixture } from '#test/contract/guards/guard-fixture.ts';
import type { Procedure } from '#test/contract/procedures.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { type Documents, openDocuments, recordingEngine } from '#test/documents/workspace.ts';
import { addKey, apiKey, env, type Fields, type Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Bound, openBound } from '#test/storage/bound-workspace.ts';
import { startAccount } from '#test/storage/data-lake-account.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

const engine = recordingEngine();
const app = useTestApp({
  env: { ...env, STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url },
  engine,
});
const guarded = useGuardFixture();

let mine: Documents;
beforeEach(async () => {
  engine.reset();
  mine = await openDocuments(app);
});

const address = (documentId: string, artifactId: string) =>
  `/app/documents/${documentId}/artifacts/${artifactId}`;
const bytesOf = (documentId: string, artifactId: string, headers: Headers = mine.admin) =>
  app.request(address(documentId, artifactId), { headers });
const errorOf = async (response: Response) => (await response.json()) as Fields;
const refusal = async (response: Response) => [response.status, (await errorOf(response))['detail']];

/** The route in the form in which the contract tests call procedures. */
const route: Procedure = {
  path: 'the bytes of an artifact',
  type: 'query',
  route: {
    method: 'GET',
    path: '/app/documents/{document_id}/artifacts/{artifact_id}',
    tag: '',
    summary: '',
  },
};

test('A 5.2: the guard is tenant identity, whose cookie does not count', { timeout: 60_000 }, async () => {
  const { app: service, founder, documentId } = guarded;
  const { body } = await service.json('GET', `/api/documents/${documentId}/artifacts`, {
    headers: founder.key,
  });
  const probe = {
    input: () => ({ document_id: documentId, artifact_id: body[0].id }),
    abroad: '404 document job not found' as const,
  };
  expect(await callAsEverybody(service, guarded, route, probe, 'REST')).toEqual(
    expectedOf('tenant_identity', probe, 'REST'),
  );
});

test('needs an API key with the scope read or translate', { timeout: 60_000 }, async () => {
  const { app: service, founder, documentId } = guarded;
  const { body } = await service.json('GET', `/api/documents/${documentId}/artifacts`, {
    headers: founder.key,
  });
  const statuses: Record<string, number> = {};
  for (const scope of scopes) {
    const { api_key } = await addKey(service, founder, { scopes: [scope] });
    statuses[scope] = (
      await service.request(address(documentId, body[0].id), { headers: apiKey(api_key) })
    ).status;
  }
  expect(statuses).toEqual({ translate: 200, read: 200, review: 403, admin: 403 });
});

describe('a file of a document', () => {
  test.each([
    ['docx/header-footer-fields.docx', 'docx'],
    // The file is larger than the part that is read at once, so it is streamed.
    ['xlsx/conditional-formats-images.xlsx', 'xlsx'],
    ['pdf/made-rotations-labels-links.pdf', 'pdf'],
  ])('is the source as it was uploaded, or any revision of the translation: %s', async (path) => {
    const name = path.slice(path.indexOf('/') + 1);
    const source = new Uint8Array(corpusFile(path));
    const { id } = await mine.translate([], { source_document: new File([source], name) });
    const { region_id, cell_id } = (await mine.segments(id)).segments[0];
    await mine.reviewDocument(id, { corrections: [{ region_id, cell_id, target_text: 'Bref' }] });
    const artifacts = await mine.artifacts(id);
    const contents = [];
    for (const artifact of artifacts) {
      const response = await bytesOf(id, artifact.id);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': artifact.content_type,
        'content-length': String(artifact.size_bytes),
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      const content = Buffer.from(await response.arrayBuffer());
      expect(createHash('sha256').update(content).digest('hex')).toBe(artifact.sha256);
      contents.push(content);
    }
    expect(
      artifacts.map(({ kind, revision }: { kind: string; revision: number }) => [kind, revision]),
    ).toEqual([
      ['source', 1],
      ['translated', 1],
      ['translated', 2],
    ]);
    expect(contents[0]!.equals(source)).toBe(true);
    expect(contents[1]!.equals(contents[2]!)).toBe(false);
    const newest = Buffer.from(await (await mine.download(id)).arrayBuffer());
    expect(contents[2]!.equals(newest)).toBe(true);
  });

  test('is there while the document is in flight and after it failed: the source', async () => {
    const id = await mine.queue();
    const [source] = await mine.artifacts(id);
    expect((await bytesOf(id, source.id)).status).toBe(200);
    await mine.change(id, { status: 'failed' });
    expect((await bytesOf(id, source.id, mine.headers)).status).toBe(200);
  });

  test('is found by the ids of one document of the workspace only', async () => {
    const theirs = await openDocuments(app);
    const [own, other, foreign] = [await mine.translate(), await mine.translate(), await theirs.translate()];
    const [ownFile, otherFile, foreignFile] = [own, other, foreign].map(({ artifacts }) => artifacts[1].id);
    const noFile = [404, 'document artifact not found'];
    const noDocument = [404, 'document job not found'];
    expect(await refusal(await bytesOf(own.id, otherFile))).toEqual(noFile);
    expect(await refusal(await bytesOf(own.id, foreignFile))).toEqual(noFile);
    expect(await refusal(await bytesOf(foreign.id, foreignFile))).toEqual(noDocument);
    expect(await refusal(await bytesOf(foreign.id, ownFile))).toEqual(noDocument);
    expect(await refusal(await bytesOf(own.id, '..%2F..%2Fpostgres.json'))).toEqual(noFile);
    expect(await refusal(await bytesOf("' or true --", 'x'.repeat(10_000)))).toEqual(noDocument);
    expect((await bytesOf(own.id, '%00')).status).toBe(422);
    expect((await bytesOf(own.id, '%ff')).status).toBe(400);
    await mine.removeDocument(own.id);
    expect(await refusal(await bytesOf(own.id, ownFile))).toEqual(noDocument);
    expect((await bytesOf(other.id, otherFile)).status).toBe(200);
  });

  test('that is damaged is 500 before any of its bytes is sent, small or large', async () => {
    const { id, artifacts } = await mine.translate();
    const { id: artifactId } = artifacts[1];
    const path = `${mine.tenantId}/documents/${id}.${artifactId}`;
    const large = randomBytes(2_000_000);
    await openSuperuser(app.superuserUrl)`update document_artifacts
      set size_bytes = ${large.length}, sha256 = ${createHash('sha256').update(large).digest('hex')}
      where artifact_id = ${artifactId}`;
    await app.services.storage.put(path, large);
    const whole = Buffer.from(await (await bytesOf(id, artifactId)).arrayBuffer());
    expect(whole.equals(large)).toBe(true);
    large.writeUInt8(large.readUInt8(1_900_000) ^ 1, 1_900_000);
    await app.services.storage.put(path, large);
    const damaged = [500, 'stored artifact failed its checksum'];
    expect(await refusal(await bytesOf(id, artifactId))).toEqual(damaged);
    await app.services.storage.put(`${mine.tenantId}/documents/${id}.${artifacts[0].id}`, Buffer.from('PK'));
    expect(await refusal(await bytesOf(id, artifacts[0].id))).toEqual(damaged);
  });
});

describe('B "Routing": a file in the storage of a workspace’s own', () => {
  let bound: Bound;
  beforeEach(async () => {
    bound = await openBound(app, account);
  });

  test('comes from there, and is 409 while the binding is not verified, wherever it is', async () => {
    const before = await bound.translate(['Hello']);
    await bound.connect();
    const after = await bound.translate(['World']);
    for (const { id, artifacts } of [before, after])
      for (const { id: artifactId } of artifacts)
        expect((await bytesOf(id, artifactId, bound.admin)).status).toBe(200);
    expect(bound.stored().some((path) => path.includes(after.artifacts[0].id))).toBe(true);
    // After a change, a binding is unverified until it is verified again.
    await bound.bind();
    for (const { id, artifacts } of [before, after])
      for (const { id: artifactId } of artifacts) {
        const response = await bytesOf(id, artifactId, bound.admin);
        expect([response.status, (await errorOf(response))['error_code']]).toEqual([
          409,
          'storage_binding_not_verified',
        ]);
      }
  });

  test('is 503 while the account does not answer', async () => {
    await bound.connect();
    const { id, artifacts } = await bound.translate(['Hello']);
    const end = bound.fail({ how: 403 });
    const response = await bytesOf(id, artifacts[1].id, bound.admin);
    end();
    expect([response.status, (await errorOf(response))['error_code']]).toEqual([503, 'transient_error']);
  });
});
