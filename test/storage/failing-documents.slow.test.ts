import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sendMeasurements } from '#server/platform/telemetry.ts';
import { recordingEngine } from '#test/documents/workspace.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { keyed } from '#test/translations/workspace.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';
import type { FaultRule } from './data-lake-emulator.ts';

const engine = recordingEngine();
const { account, app } = await useAccountApp({ engine, accountTimes: impatient });

async function connected(): Promise<Bound> {
  const workspace = await openBound(app, account);
  await workspace.connect();
  return workspace;
}

let mine: Bound;
beforeEach(async () => {
  engine.reset();
  mine = await connected();
});

const writeFaults: [string, FaultRule][] = [
  ['create: 403', { operation: 'create', how: 403, message: 'Not authorized.' }],
  ['append: 500', { operation: 'append', how: 500, message: 'The server is busy.' }],
  ['append: no response', { operation: 'append', how: 'timeout' }],
  ['append: cut after the work is done', { operation: 'append', how: 'cut_after' }],
];

/**
 * Runs a case for all faults concurrently, each in a separate workspace, because most of the time is spent in waits
 * before retries.
 */
const forEachFault = (work: (workspace: Bound, rule: FaultRule, name: string) => Promise<void>) =>
  Promise.all(writeFaults.map(async ([name, rule]) => work(await connected(), rule, name)));

/** The data of a document that a rejected request must not change. */
const stateOf = async (workspace: Bound, id: string) => ({
  job: await workspace.read(id),
  segments: await workspace.segments(id),
  artifacts: await workspace.artifacts(id),
});

describe('the account fails at each write', () => {
  test('an upload is refused, nothing of it is left, and the same key works later', {
    timeout: 60_000,
  }, async () => {
    await forEachFault(async (workspace, rule, name) => {
      const end = workspace.fail({ ...rule, path: /^documents\// });
      const answer = await workspace.send({ wait: 'true' }, keyed('one'));
      expect([name, answer.status]).toEqual([name, 503]);
      expect(answer.body).toMatchObject({ error_code: 'transient_error' });
      expect((await workspace.listDocuments()).body).toEqual([]);
      expect(await workspace.usage()).toEqual([]);
      end();
      const again = await workspace.send({ wait: 'true' }, keyed('one'));
      expect([again.status, again.body.status]).toEqual([200, 'translated']);
      expect(await workspace.usage()).toHaveLength(1);
    });
  });

  test('a translated file that cannot be written fails its job, unbilled', { timeout: 60_000 }, async () => {
    await forEachFault(async (workspace, rule, name) => {
      const id = await workspace.queue(['Hello'], { idempotency_key: 'one' });
      workspace.fail({ ...rule, path: /\/translated-/ });
      await workspace.run(id);
      expect(await workspace.read(id), name).toMatchObject({
        status: 'failed',
        failure: { stage: 'reconstruct', code: 'transient_error' },
        artifacts: [{ kind: 'source' }],
      });
      const { failure, error } = await workspace.read(id);
      expect(error).toBe(failure.message);
      expect(failure.message).not.toMatch(/sig=|127\.0\.0\.1/);
      expect(await workspace.usage(), name).toEqual([]);
      expect((await workspace.download(id)).status).toBe(409);
    });
  });

  test('a correction is refused and changes nothing; later it is applied', { timeout: 60_000 }, async () => {
    await forEachFault(async (workspace, rule, name) => {
      const { id } = await workspace.translate(['Hello', 'World']);
      const before = await stateOf(workspace, id);
      const end = workspace.fail({ ...rule, path: /\/translated-/ });
      const answer = await workspace.correct(id, { A1: 'Bonjour' });
      expect([name, answer.status]).toEqual([name, 503]);
      expect(await stateOf(workspace, id), name).toEqual(before);
      end();
      expect((await workspace.correct(id, { A1: 'Bonjour' })).status).toBe(200);
      expect(await workspace.targets(id)).toEqual(['Bonjour', 'fr of World']);
      expect((await workspace.artifacts(id)).length).toBe(before.artifacts.length + 1);
      expect(await workspace.usage()).toHaveLength(1);
    });
  });

  test('one passing failure is not noticed: one file each, billed once', async () => {
    const rule: FaultRule = { how: 'cut_after', times: 1 };
    for (const kind of [/\/source-/, /\/translated-/])
      for (const operation of ['create', 'append'] as const) mine.fail({ ...rule, operation, path: kind });
    const { id } = await mine.translate(['Hello']);
    expect(mine.stored().map((path) => path.split('-')[0])).toEqual([
      `documents/${id}/source`,
      `documents/${id}/translated`,
    ]);
    expect(await mine.usage()).toHaveLength(1);
    expect((await mine.download(id)).status).toBe(200);
  });
});

describe('the account fails at a read', () => {
  test('of the source: the job fails, unbilled, and nothing is translated', async () => {
    const id = await mine.queue(['Hello']);
    mine.fail({ how: 403, operation: 'read', message: 'No reading here.' });
    await mine.run(id);
    expect(await mine.read(id)).toMatchObject({ status: 'failed', billable_chars: 0 });
    expect(engine.asked).toEqual([]);
    expect(await mine.usage()).toEqual([]);
  });

  test('of a download: refused with the provider’s words, and later served', async () => {
    const { id } = await mine.translate(['Hello']);
    const end = mine.fail({ how: 403, operation: 'read', message: 'No reading here.' });
    const refused = await mine.download(id);
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as { detail: string }).detail).toContain('No reading here.');
    end();
    expect((await mine.download(id)).status).toBe(200);
  });

  test('of a source for a correction: refused, and nothing changes', async () => {
    const { id } = await mine.translate(['Hello']);
    const before = await stateOf(mine, id);
    mine.fail({ how: 403, operation: 'read' });
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(503);
    expect(await stateOf(mine, id)).toEqual(before);
  });

  test('for an approval: refused, nothing is stamped or learned, and later it is approved', async () => {
    const { id } = await mine.translate(['Hello']);
    const before = await stateOf(mine, id);
    const end = mine.fail({ how: 403, operation: 'read' });
    expect((await mine.approve(id)).status).toBe(503);
    expect(await stateOf(mine, id)).toEqual(before);
    end();
    expect((await mine.approve(id)).body.approval_result).toMatchObject({ already_approved: false });
  });

  test('a file that is gone, or that somebody changed, is 500, and the source is never served instead', async () => {
    const { id } = await mine.translate(['Hello']);
    const [translated = ''] = mine.stored().filter((path) => path.includes('/translated-'));
    const content = account.lake.files(account.name, mine.filesystem).get(translated)!;
    content.fill(0xff, content.length - 4);
    const changed = await mine.download(id);
    // The size is sent before the last byte has been read. If the response has begun, the connection is therefore cut.
    if (changed.status === 200) await expect(changed.arrayBuffer()).rejects.toThrow();
    else expect(changed.status).toBe(500);
    const missing = { how: 404, headers: { 'x-ms-error-code': 'PathNotFound' } };
    mine.fail({ ...missing, path: /translated-/ });
    const gone = await mine.download(id);
    expect([gone.status, await gone.json()]).toMatchObject([
      500,
      { detail: 'stored artifact failed its checksum' },
    ]);
  });
});

describe('a job that fails after its translated file reached the account (B 2.7)', () => {
  /** Makes the transaction fail that completes documents of the tenant. */
  async function refuseToFinish(workspace: Bound, { times = 100, code = 'P0001' } = {}) {
    const sql = openSuperuser(app.superuserUrl);
    await sql.unsafe(`
      create sequence refusals maxvalue 1000; grant all on sequence refusals to public;
      create or replace function refuse_finish() returns trigger language plpgsql as $$ begin
        if new.tenant_id = '${workspace.tenantId}' and new.kind = 'translated' and nextval('refusals') <= ${times}
        then raise exception 'no room' using errcode = '${code}'; end if; return new; end $$;
      create trigger refuse_finish before insert on document_artifacts for each row execute function refuse_finish()`);
    onTestFinished(async () => {
      await sql.unsafe('drop trigger refuse_finish on document_artifacts; drop sequence refusals');
    });
  }

  test('is billed once, as failed, and need not be sent again', async () => {
    await refuseToFinish(mine);
    const counted: string[] = [];
    sendMeasurements({
      duration: () => {},
      documentWait: () => {},
      count: (what, label) => void counted.push(`${what} ${label}`),
      tokens: () => {},
    });
    onTestFinished(() => sendMeasurements(undefined));
    const id = await mine.queue(['Hello']);
    await mine.run(id);
    expect(counted).toEqual(['jobs document failed']);
    const job = await mine.read(id);
    expect(job).toMatchObject({
      status: 'failed',
      billable_chars: 5,
      failure: { stage: 'reconstruct', transient: false },
    });
    expect((await mine.summary()).body.billable_chars).toBe(5);
    expect(job.error).toMatch(/need not be sent again|no resubmi/);
    expect(job.error).toMatch(/billed/);
    expect(job.error).not.toContain('no room');
    expect(await mine.records()).toMatchObject([
      { job_id: id, kind: 'document', job_status: 'failed', source_chars: 5 },
    ]);
    expect(mine.stored().filter((path) => path.includes('/translated-')).length).toBeGreaterThan(0);
    await mine.run(id);
    expect(await mine.records()).toHaveLength(1);
    expect((await mine.download(id)).status).toBe(409);
    const { body } = await app.json('GET', `/api/tenants/${mine.tenantId}/billing`, { headers: mine.admin });
    expect(body).toMatchObject({ jobs: 1, billable_chars: 5, allowance: { used: 5, reserved: 0 } });
  });

  test('answers a client that waits with the same words', async () => {
    await refuseToFinish(mine);
    const { status, body } = await mine.send({ wait: 'true' });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(body.detail).toMatch(/need not be sent again/);
  });

  test('on platform storage is not billed', async () => {
    await mine.unbind();
    await refuseToFinish(mine);
    const id = await mine.queue(['Hello']);
    await mine.run(id);
    const job = await mine.read(id);
    expect(job).toMatchObject({ status: 'failed', billable_chars: 0 });
    expect((await mine.summary()).body.billable_chars).toBe(0);
    expect(job.error).not.toMatch(/billed|need not be sent/);
    expect(await mine.records()).toEqual([]);
  });

  test('a database that fails for a moment is not noticed: one file, billed once', async () => {
    await refuseToFinish(mine, { times: 1, code: '40001' });
    const id = await mine.queue(['Hello']);
    await mine.run(id);
    expect((await mine.read(id)).status).toBe('translated');
    expect(await mine.records()).toMatchObject([{ job_status: 'translated' }]);
    expect(mine.stored().filter((path) => path.includes('/translated-'))).toHaveLength(1);
  });
});
