import { beforeEach, expect, test } from 'vitest';
import {
  AuthenticationError,
  CursorExpiredError,
  LinguaLoop,
  UnprocessableContentError,
} from '#sdk/index.ts';
import { env } from '#test/factories.ts';
import { type Signup, startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { startCuttingProxy } from '../events/cutting-proxy.ts';

const app = useTestApp({ env });

let at: Signup;
beforeEach(async () => {
  at = await app.signUp();
});
const clientAt = (baseUrl = app.address, apiKey = at.apiKey) => new LinguaLoop({ baseUrl, apiKey });
const translate = async (text: string): Promise<string> =>
  (await clientAt().translations.create({ source_text: text, target_lang: 'fr' })).id;

test('a loop gets each event once, although its connection is cut after each event', async () => {
  const proxy = await startCuttingProxy(app.address);
  const { events } = clientAt(proxy.address);
  const { next_cursor: after } = await events.list();
  const jobs: string[] = [];
  for (let n = 0; n < 10; n += 1) jobs.push(await translate(`text ${n}`));
  const seen: string[] = [];
  let cuts = 0;
  for await (const event of events.stream({ after, onReconnect: () => {} })) {
    seen.push(event.resource_id);
    cuts += proxy.cut();
    if (seen.length === 15) break;
    if (seen.length >= jobs.length) jobs.push(await translate(`text ${jobs.length}`));
  }
  expect(seen).toEqual(jobs.slice(0, 15));
  expect(cuts).toBeGreaterThan(5);
});

test('without a cursor, a loop gets the events after its first connection, even if that is cut', async () => {
  const proxy = await startCuttingProxy(app.address);
  const stream = clientAt(proxy.address).events.stream();
  const first = stream.next();
  const sql = openSuperuser(app.superuserUrl);
  await expect
    .poll(
      async () => (await sql`select from event_feeds where tenant_id = ${at.tenantId} and complete`).length,
    )
    .toBe(1);
  const job = await translate('words');
  expect((await first).value.resource_id).toBe(job);
  proxy.cut();
  const second = await translate('more words');
  expect((await stream.next()).value.resource_id).toBe(second);
  await stream.return(undefined as never);
});

test('a loop survives a restart of the service', async () => {
  const [one, two] = [await startBeside(app, env), await startBeside(app, env)];
  const proxy = await startCuttingProxy(one.address);
  const reasons: string[] = [];
  const { events } = clientAt(proxy.address);
  const { next_cursor: after } = await events.list();
  const stream = events.stream({ after, onReconnect: ({ name }) => reasons.push(name) });
  const job = await translate('before');
  expect((await stream.next()).value.resource_id).toBe(job);
  await one.close();
  const next = stream.next();
  const later = await translate('after');
  await expect.poll(() => reasons.length).toBeGreaterThan(0);
  proxy.moveTo(two.address);
  expect((await next).value.resource_id).toBe(later);
  await stream.return(undefined as never);
  await two.close();
});

test('a cursor that is too old is a CursorExpiredError, of the list and of the stream', async () => {
  const { next_cursor: cursor } = await clientAt().events.list();
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from event_feeds where tenant_id = ${at.tenantId}`;
  const listed = await clientAt()
    .events.list({ cursor })
    .catch((error) => error);
  const streamed = await clientAt()
    .events.stream({ after: cursor })
    .next()
    .catch((error) => error);
  for (const error of [listed, streamed]) {
    expect(error).toBeInstanceOf(CursorExpiredError);
    expect([error.name, error.status, error.message]).toEqual([
      'CursorExpiredError',
      409,
      expect.stringContaining('the cursor is too old'),
    ]);
  }
});

test('an open stream whose feed is switched off throws a CursorExpiredError', async () => {
  const stream = clientAt().events.stream({ after: (await clientAt().events.list()).next_cursor });
  await translate('words');
  await stream.next();
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from event_feeds where tenant_id = ${at.tenantId}`;
  await expect(stream.next()).rejects.toBeInstanceOf(CursorExpiredError);
});

test('errors that do not go away end the loop', async () => {
  const withoutKey = clientAt(app.address, 'll_wrong').events.stream();
  await expect(withoutKey.next()).rejects.toBeInstanceOf(AuthenticationError);
  const unreadable = clientAt().events.stream({ after: 'x' });
  await expect(unreadable.next()).rejects.toBeInstanceOf(UnprocessableContentError);
});

test('a signal ends the loop between events, and between attempts', async () => {
  const abort = new AbortController();
  const open = clientAt().events.stream({ signal: abort.signal }).next();
  const closed = clientAt('http://127.0.0.1:9').events.stream({ signal: abort.signal }).next();
  const reason = new Error('enough');
  abort.abort(reason);
  await expect(open).rejects.toBe(reason);
  await expect(closed).rejects.toBe(reason);
});
