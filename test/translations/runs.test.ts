import { afterEach, expect, test, vi } from 'vitest';
import { AppError } from '#server/errors.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { recordsOf } from './golden-files.ts';
import { keyed, useWorkspace } from './workspace.ts';

const runs = holdRuns();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: runs.engine });
const outage = () => new AppError('transient_error', 'the upstream is away');

const mine = useWorkspace(app);
afterEach(() => {
  vi.restoreAllMocks();
  runs.release();
});

const submit = (key?: string) =>
  mine.submit({ source_text: 'held', target_lang: 'fr' }, key === undefined ? {} : keyed(key));

test('a re-run starts with an empty trace', async () => {
  const first = submit('key');
  (await runs.next()).fail(outage());
  expect((await first).status).toBe(503);
  const again = submit('key');
  const run = await runs.next();
  const [job] = await mine.list();
  expect(job).toMatchObject({
    status: 'pending',
    agent_run: { status: 'pending', error: null, steps: [] },
  });
  run.succeed();
  expect((await again).body.status).toBe('published');
});

test('a run that another has replaced leaves no golden record', async () => {
  const slow = submit('key');
  const replaced = await runs.next();
  await openSuperuser(app.superuserUrl)`
    update translation_jobs set updated_at = now() - interval '1 hour' where tenant_id = ${mine.tenantId}`;
  const resend = submit('key');
  const run = await runs.next();
  replaced.succeed();
  const { body } = await slow;
  expect(await recordsOf(app, mine, body.id)).toEqual([]);
  run.succeed();
  await resend;
  expect(await recordsOf(app, mine, body.id)).toHaveLength(1);
});

test('a run whose model claims more tokens than can be stored is billed all the same', async () => {
  const answer = submit();
  (await runs.next()).succeed(Number.MAX_SAFE_INTEGER - 1);
  const { status, body } = await answer;
  expect([status, body.status]).toEqual([200, 'published']);
  expect(await mine.usage()).toHaveLength(1);
});

test('a run is aborted after REQUEST_DEADLINE_SECONDS, by a timer that ends with the run', async () => {
  const begun = vi.spyOn(globalThis, 'setTimeout');
  const ended = vi.spyOn(globalThis, 'clearTimeout');
  const answer = submit();
  const run = await runs.next();
  const at = begun.mock.calls.findIndex(([, delay]) => delay === 100_000);
  expect(run.signal?.aborted).toBe(false);
  begun.mock.calls[at]![0]();
  expect(run.signal?.aborted).toBe(true);
  run.fail(outage());
  expect((await answer).status).toBe(503);
  expect(ended.mock.calls.map(([timer]) => timer)).toContain(begun.mock.results[at]!.value);
});
