import { sql as raw } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { retryBackgroundJobs, viewQueue } from '#server/operations/queue.ts';
import { addJob, type TaskName } from '#server/platform/job-queue.ts';
import { operatorEnv } from '#test/factories/operators.ts';
import { join, openTeam, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { operateHere, outputOf } from '../admin/command.ts';
import { viaRpc } from '../contract/call.ts';

const app = useTestApp({ env: { ...operatorEnv, OPERATOR_API_KEY: operator['x-api-key'] } });
const superuser = () => openSuperuser(app.superuserUrl);

/** Calls a procedure that changes data. */
const act = (name: string, input: object, headers: Record<string, string> = operator) =>
  viaRpc(app, { path: `operations.${name}`, type: 'mutation' }, { input: { ...input }, headers });
const view = (name: string, input: object = {}, headers: Record<string, string> = operator) =>
  viaRpc(app, { path: `operations.${name}`, type: 'query' }, { input: { ...input }, headers });

/** Adds a job that has failed. @param attempts of 25 */
async function failedJob(task: TaskName, payload: object, attempts = 25): Promise<string> {
  await app.database.inPlatform((tx) => addJob(tx, task, payload as never));
  const [row] = await superuser()`
    update graphile_worker._private_jobs set attempts = ${attempts}, last_error = 'x failed: AppError',
      run_at = now() + interval '1 hour'
    where id = (select max(id) from graphile_worker._private_jobs) returning id::text as id`;
  return row!['id'];
}
const jobOf = async (id: string) => {
  const [row] =
    await superuser()`select *, run_at <= now() as due from graphile_worker._private_jobs where id = ${id}`;
  return row;
};
const retriesOf = (tenantId: string) => eventsOf(app, tenantId, 'background_job_retried');

describe('the queue', () => {
  beforeEach(() => superuser()`delete from graphile_worker._private_jobs`);

  test('counts each job once, and lists failed ones with the kind of the error', async () => {
    const { tenantId } = await app.signUp();
    const payload = { tenantId, documentId: 'd' };
    const dead = await failedJob('run_document', payload);
    const retrying = await failedJob('run_document', payload, 2);
    await app.database.inPlatform(async (tx) => {
      await addJob(tx, 'run_document', { tenantId, documentId: 'later' }, { afterSeconds: 60 });
      await addJob(tx, 'run_document', { tenantId, documentId: 'now' });
      await addJob(tx, 'run_document', { tenantId, documentId: 'running' });
      await tx.execute(raw`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w'
        where payload ->> 'documentId' = 'running'`);
    });
    const { body } = await view('queue');
    expect(body.tasks).toEqual([
      {
        task: 'run_document',
        running: 1,
        waiting: 1,
        scheduled: 1,
        retrying: 1,
        failed: 1,
        oldest_seconds: expect.any(Number),
      },
    ]);
    const error = 'x failed: AppError';
    expect(body.failed).toMatchObject([
      { id: retrying, attempts: 2, error, next_attempt_at: expect.any(String) },
      { id: dead, task: 'run_document', tenant_id: tenantId, attempts: 25, error, next_attempt_at: null },
    ]);
    const lines = await operateHere(app, ['queue', '--failed']);
    expect(lines[2]).toMatch(
      new RegExp(`^${dead} +run_document +${tenantId} +25 +25 .* - +x failed: AppError$`),
    );
  });

  test('a failed job is retried once, with an audit event: a second call changes nothing', async () => {
    const { tenantId } = await app.signUp();
    const id = await failedJob('run_document', { tenantId, documentId: 'd' });
    expect(await act('retry', { job_id: id })).toMatchObject({ status: 200, body: { retried: 1 } });
    expect(await jobOf(id)).toMatchObject({ attempts: 0, due: true });
    expect((await act('retry', { job_id: id })).body).toEqual({ retried: 0 });
    expect(await retriesOf(tenantId)).toMatchObject([
      { actor: 'operator_key', target: id, details: { task: 'run_document' } },
    ]);
    expect((await act('retry', { job_id: '999999999' })).status).toBe(404);
    expect((await act('retry', {})).status).toBe(422);
  });

  test('a running job is not changed, and concurrent retries count each job once', async () => {
    const ids = [await failedJob('check_document_files', {}), await failedJob('check_document_files', {})];
    const other = await failedJob('apply_retention', {});
    const running = await failedJob('check_document_files', {});
    await superuser()`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where id = ${running}`;
    expect(await act('retry', { job_id: running })).toMatchObject({ status: 409 });
    const counts = await Promise.all(
      [1, 2, 3].map(() =>
        retryBackgroundJobs(app.database, { task: 'check_document_files' }, operatorAtServer),
      ),
    );
    expect(counts.reduce((sum, one) => sum + one)).toBe(2);
    for (const id of ids) expect(await jobOf(id)).toMatchObject({ attempts: 0 });
    expect(await jobOf(running)).toMatchObject({ attempts: 25 });
    expect(await jobOf(other)).toMatchObject({ attempts: 25 });
    const events = await retriesOf('');
    expect(events.map(({ details }) => details.jobs).reduce((sum, one) => sum + one)).toBe(2);
  });

  test('workers run a retried job to its end', { timeout: 60_000 }, async () => {
    const id = await failedJob('check_document_files', {});
    expect(await outputOf(app, ['retry', '--id', id])).toEqual([{ retried: 1 }]);
    await withWorkers(app, () => poll(async () => (await jobOf(id)) === undefined));
    expect(await outputOf(app, ['retry', '--task', 'check_document_files'])).toEqual([{ retried: 0 }]);
    expect((await viewQueue(app.database)).failed).toEqual([]);
  });
});

describe('one workspace', () => {
  test('shows limits, storage, key and sessions, but no text of the workspace', async () => {
    const { founder: mine } = await openTeam(app);
    await join(app, mine);
    await app.json('POST', '/api/translations', {
      headers: mine.bearer,
      body: { source_text: 'A secret text', target_lang: 'fr' },
    });
    await superuser()`update translation_jobs set status = 'failed',
      agent_run = ${superuser().json({ error: 'the text "A secret text" failed' })} where tenant_id = ${mine.tenantId}`;
    const { body } = await view('workspace', { tenant_id: mine.tenantId });
    expect(body).toMatchObject({
      id: mine.tenantId,
      active: true,
      deletion_due_at: null,
      monthly_char_limit: 500_000,
      allowance: { limit: 500_000, remaining: expect.any(Number) },
      storage: { provider: 'platform', bytes_used: 0, own_cap: null },
      api_key_prefix: expect.stringMatching(/^.{8}$/),
      api_keys: 1,
      members_total: expect.any(Number),
      failures: [{ kind: 'text', reason: 'the text … failed' }],
    });
    const founder = body.members.find(({ user_id }: { user_id: string }) => user_id === mine.userId);
    expect(founder).toMatchObject({ sessions: 1, last_used_at: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await view('workspace', { tenant_id: 'unknown' })).status).toBe(404);
    const lines = await operateHere(app, ['tenant', mine.tenantId]);
    expect(lines.join('\n')).toMatch(
      /allowance\.limit +500000\n[\s\S]*\nmembers:\nuser_id +email +role +active +sessions/,
    );
    await expect(operateHere(app, ['tenant', 'unknown'])).rejects.toThrow('unknown tenant: unknown');
  });

  test('ending the sessions of one member leaves those of others', async () => {
    const { founder: mine } = await openTeam(app);
    const other = await join(app, mine);
    const [{ email }] =
      (await superuser()`select email from users where user_id = ${other.userId}`) as unknown as [
        { email: string },
      ];
    const [ended] = await outputOf(app, ['end-sessions', mine.tenantId, '--email', email]);
    expect(ended).toMatchObject({ sessions: 1 });
    expect((await app.json('GET', '/api/auth/me', { headers: other.bearer })).status).toBe(401);
    expect((await app.json('GET', '/api/auth/me', { headers: mine.bearer })).status).toBe(200);
    expect(await eventsOf(app, mine.tenantId, 'sessions_ended')).toMatchObject([
      { actor: 'server', target: other.userId, details: { sessions: 1 } },
    ]);
    const nobody = operateHere(app, ['end-sessions', mine.tenantId, '--email', 'nobody@example.com']);
    await expect(nobody).rejects.toThrow('no member with this email address');
  });

  test('X-Tenant-ID limits an operator', async () => {
    const { tenantId: tenant_id } = await app.signUp();
    const narrowed = { ...operator, 'x-tenant-id': 'another' };
    expect((await view('workspace', { tenant_id }, narrowed)).status).toBe(404);
  });
});

test('platform storage: space, the workspaces with the most files, completed runs and parked jobs', async () => {
  const [small, large] = [await app.signUp(), await app.signUp()];
  await superuser()`insert into storage_totals (tenant_id, bytes, objects, cap_bytes)
    values (${small.tenantId}, 10, 1, null), (${large.tenantId}, 2500000, 3, 5000000)`;
  await superuser()`insert into maintenance_runs (name, finished_at) values ('backup', now() - interval '1 hour')`;
  const [report] = await outputOf(app, ['storage']);
  expect(report).toMatchObject({
    provider: 'directory',
    up: true,
    free_bytes: expect.any(Number),
    parked_jobs: 0,
    workspaces: [
      { tenant_id: large.tenantId, bytes: 2_500_000, files: 3, bytes_allowed: 5_000_000 },
      { tenant_id: small.tenantId, bytes: 10 },
    ],
    maintenance: expect.arrayContaining([
      { task: 'backup', age_seconds: expect.closeTo(3600, -2), interval_seconds: null },
    ]),
  });
  const lines = await operateHere(app, ['storage']);
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${large.tenantId} .* 2\\.5 MB +3 +5 MB$`)));
  expect(lines).toContainEqual(expect.stringMatching(/^backup +60 min +-$/));
});
