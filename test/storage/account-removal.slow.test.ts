import { beforeEach, describe, expect, test } from 'vitest';
import { recordingEngine } from '#test/documents/workspace.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({ engine: recordingEngine(), accountTimes: impatient });

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
  await mine.connect();
});

const recordsOf = (id: string) => mine.stored().filter((path) => path.includes(`${id}.json`));
const filesOf = (id: string) => mine.stored().filter((path) => path.startsWith(`documents/${id}/`));

/** The states in which the account cannot be used when something is deleted. */
const unreachable: [string, () => Promise<unknown> | unknown][] = [
  ['refuses (403)', () => mine.fail({ how: 403 })],
  ['does not respond', () => mine.fail({ how: 'timeout' })],
  ['is unverified', () => mine.bind()],
  ['is bound no more', () => mine.unbind()],
  [
    'is another one now',
    () => {
      // A container can belong to only one workspace.
      const filesystem = `other-${mine.filesystem}`;
      account.lake.addFilesystem(account.name, filesystem);
      return mine.connect({ prefixes: { golden: 'other/' }, filesystem });
    },
  ],
];

describe('DELETE of a job (B 4.1)', () => {
  test('removes its record in the account', async () => {
    const job = await mine.job();
    const other = await mine.job({ source_text: 'Other' });
    expect((await mine.remove(job.id, mine.admin)).body).toMatchObject({
      deleted: true,
      records_removed: 1,
      golden_records_deleted: 1,
    });
    expect([recordsOf(job.id).length, recordsOf(other.id).length]).toEqual([0, 1]);
  });

  test.each(unreachable)('whose account %s is not blocked, and counts no record', async (_name, change) => {
    const { id } = await mine.job();
    await change();
    expect(await mine.remove(id, mine.admin)).toMatchObject({
      status: 200,
      body: { deleted: true, records_removed: 1, golden_records_deleted: 0 },
    });
    expect((await mine.get(id)).status).toBe(404);
    expect(recordsOf(id)).toHaveLength(1);
    expect(await mine.usage()).toHaveLength(1);
  });

  test('whose record is gone already counts none', async () => {
    const { id } = await mine.job();
    mine.fail({ how: 404, operation: 'delete', headers: { 'x-ms-error-code': 'PathNotFound' } });
    expect((await mine.remove(id, mine.admin)).body).toMatchObject({
      deleted: true,
      golden_records_deleted: 0,
    });
  });
});

describe('DELETE of a document (B 4.3)', () => {
  test('removes all its files in the account', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const other = await mine.translate(['Other']);
    await mine.correct(id, { A1: 'Bonjour' });
    await mine.approve(id);
    expect(filesOf(id)).toHaveLength(3);
    expect((await mine.removeDocument(id)).body).toMatchObject({
      deleted: true,
      artifacts_removed: 3,
      segments_removed: 2,
      golden_records_deleted: 1,
    });
    expect([filesOf(id).length, filesOf(other.id).length]).toEqual([0, 2]);
  });

  test.each(unreachable)('whose account %s is not blocked, and counts no file', async (_name, change) => {
    const { id } = await mine.translate(['Hello']);
    await change();
    expect(await mine.removeDocument(id)).toMatchObject({
      status: 200,
      body: { deleted: true, artifacts_removed: 0, segments_removed: 1 },
    });
    expect((await mine.download(id)).status).toBe(404);
    expect(filesOf(id)).toHaveLength(2);
  });

  test('of which the account keeps one file counts the others', async () => {
    const { id } = await mine.translate(['Hello']);
    mine.fail({ how: 403, operation: 'delete', path: /\/translated-/ });
    const { body } = await mine.removeDocument(id);
    expect(filesOf(id)).toEqual([expect.stringContaining('/translated-')]);
    expect(body.artifacts_removed).toBe(1);
  });

  test('with files in both storages removes both', async () => {
    await mine.unbind();
    const { id } = await mine.translate(['Hello']);
    await mine.connect();
    await mine.correct(id, { A1: 'Bonjour' });
    expect(filesOf(id)).toHaveLength(1);
    expect((await mine.removeDocument(id)).body.artifacts_removed).toBe(3);
    expect(filesOf(id)).toEqual([]);
  });

  test('that failed after its translated file was delivered removes that, too', async () => {
    const id = await mine.failDelivered();
    expect(filesOf(id)).toHaveLength(2);
    expect((await mine.removeDocument(id)).body.artifacts_removed).toBe(2);
    expect(filesOf(id)).toEqual([]);
  });

  test('of a job that a worker has leaves no file', async () => {
    const id = await mine.queue(['Hello']);
    const [running] = await Promise.all([mine.run(id), mine.removeDocument(id)]);
    expect(running).toBeUndefined();
    expect(filesOf(id)).toEqual([]);
  });
});

test('uploads of one key at the same time leave one source', async () => {
  const sent = await Promise.all(
    Array.from({ length: 6 }, () => mine.send({}, { 'idempotency-key': 'one' })),
  );
  const [id, ...others] = new Set(sent.map(({ body }) => body.id));
  expect(others).toEqual([]);
  await expect.poll(() => mine.stored()).toEqual([expect.stringMatching(`^documents/${id}/source-`)]);
});
