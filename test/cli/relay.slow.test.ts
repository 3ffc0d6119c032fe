import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type RelayOptions, runRelay } from '#cli/commands/relay.ts';
import { readConfig } from '#cli/relay/config.ts';
import { LinguaLoop } from '#sdk/index.ts';
import { env } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Received, startReceiver } from './receiver.ts';

const app = useTestApp({ env });
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let at: Signup;
beforeEach(async () => {
  at = await app.signUp();
});
const client = () => new LinguaLoop({ baseUrl: app.address, apiKey: at.apiKey });
const translate = async (text: string): Promise<string> =>
  (await client().translations.create({ source_text: text, target_lang: 'fr' })).id;
const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'relay-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Starts a relay, and returns when its feed has begun. */
async function start(stateDir: string, destinations: object[], options: Partial<RelayOptions> = {}) {
  const abort = new AbortController();
  const log: string[] = [];
  const ended = runRelay({
    client: client(),
    baseUrl: app.address,
    config: readConfig({ destinations }, {}),
    stateDir,
    signal: abort.signal,
    pauses: { firstMs: 10, maxMs: 50 },
    log: (line) => log.push(line),
    ...options,
  });
  const failed = ended.catch(() => {});
  const names = destinations.map((one) => (one as { name: string }).name);
  const hasBegun = (name: string) =>
    existsSync(join(stateDir, `${name}.journal`)) &&
    readFileSync(join(stateDir, `${name}.journal`), 'utf8').includes('cursor');
  await Promise.race([failed, expect.poll(() => names.every(hasBegun)).toBe(true)]);
  const stop = async () => {
    abort.abort();
    await ended;
  };
  onTestFinished(async () => {
    abort.abort();
    await failed;
  });
  return { ended, stop, log };
}

const destination = (url: string, fields: object = {}) => ({
  name: 'app',
  url,
  secrets: [secret],
  ...fields,
});
const idOf = ({ headers }: Received) => headers['webhook-id'];
const jobOf = ({ body }: Received): string => JSON.parse(body).data.resource_id;

test('delivers events to each destination with their type', async () => {
  const [all, none] = [await startReceiver(), await startReceiver()];
  await start(folder(), [
    destination(all.url),
    destination(none.url, { name: 'failures', types: ['translation.failed'] }),
  ]);
  const jobs = [await translate('one'), await translate('two')];
  await expect.poll(() => all.received.map(jobOf)).toEqual(jobs);
  expect(none.received).toEqual([]);
});

test('a stopped relay continues after the last event, and delivers what it had not delivered', async () => {
  const stateDir = folder();
  let isDown = true;
  const { url, received } = await startReceiver(() => (isDown ? 503 : 204));
  const first = await start(stateDir, [destination(url)]);
  const jobs = [await translate('one')];
  await expect.poll(() => received.length).toBeGreaterThan(2);
  await first.stop();
  expect(new Set(received.map(idOf)).size).toBe(1);
  isDown = false;
  received.length = 0;
  jobs.push(await translate('two'));
  await start(stateDir, [destination(url)]);
  await expect.poll(() => received.map(jobOf).sort()).toEqual(jobs.sort());
});

test('an event that fails delays only the later events of its job', async () => {
  let isDown = true;
  let stuck = '';
  const { url, received } = await startReceiver((one) => (isDown && jobOf(one) === stuck ? 500 : 204));
  await start(folder(), [destination(url)]);
  stuck = await translate('stuck');
  const sql = openSuperuser(app.superuserUrl);
  await sql`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId} and job_id = ${stuck}`;
  const other = await translate('other');
  await expect.poll(() => received.map(jobOf)).toContain(other);
  expect(new Set(received.filter((one) => jobOf(one) === stuck).map(idOf)).size).toBe(1);
  isDown = false;
  await expect
    .poll(() => [
      ...new Set(received.filter((one) => jobOf(one) === stuck).map(({ body }) => JSON.parse(body).type)),
    ])
    .toEqual(['translation.published', 'translation.failed']);
});

test('a finally failed event is a dead letter, which can be sent again', async () => {
  const stateDir = folder();
  let status = 400;
  const { url, received } = await startReceiver(() => status);
  const relay = await start(stateDir, [destination(url)]);
  const job = await translate('one');
  const dead = join(stateDir, 'app.dead.jsonl');
  await expect.poll(() => existsSync(dead)).toBe(true);
  await relay.stop();
  expect(received).toHaveLength(1);
  expect(JSON.parse(readFileSync(dead, 'utf8'))).toEqual({
    event: expect.objectContaining({ resource_id: job, id: idOf(received[0] as Received) }),
    error: 'the receiver returned 400',
    given_up_at: expect.any(String),
  });
  expect(relay.log.at(-1)).toContain('moved to app.dead.jsonl');
  status = 204;
  await start(stateDir, [destination(url)], { replay: true });
  await expect
    .poll(() => received.map(idOf))
    .toEqual([idOf(received[0] as Received), idOf(received[0] as Received)]);
  expect(existsSync(dead)).toBe(false);
});

test('an event that keeps failing is a dead letter after give_up_hours', async () => {
  const stateDir = folder();
  const { url, received } = await startReceiver(() => 503);
  await start(stateDir, [destination(url, { give_up_hours: 0 })]);
  await translate('one');
  await expect.poll(() => existsSync(join(stateDir, 'app.dead.jsonl'))).toBe(true);
  expect(received).toHaveLength(1);
});

test('reads no more events while 1,000 are not delivered, and then all of them', async () => {
  const stateDir = folder();
  let isDown = true;
  const { url, received } = await startReceiver(() => (isDown ? 503 : 204));
  const job = await translate('many');
  await start(stateDir, [destination(url)]);
  const sql = openSuperuser(app.superuserUrl);
  await sql`insert into events (tenant_id, type, resource, resource_id, status)
    select ${at.tenantId}, 'translation.failed', 'translation', ${job} || n, 'failed' from generate_series(1, 1500) n`;
  const journal = () => readFileSync(join(stateDir, 'app.journal'), 'utf8').split('"event"').length - 1;
  await expect.poll(journal, { timeout: 10_000 }).toBe(1000);
  const requests = received.length;
  await expect.poll(() => received.length).toBeGreaterThan(requests + 20);
  expect(journal()).toBe(1000);
  isDown = false;
  received.length = 0;
  await expect.poll(() => new Set(received.map(idOf)).size, { timeout: 20_000 }).toBe(1500);
});

test('two relays cannot share a state directory', async () => {
  const stateDir = folder();
  const { url } = await startReceiver();
  await start(stateDir, [destination(url)]);
  const second = await start(stateDir, [destination(url)]);
  await expect(second.ended).rejects.toThrow('another relay uses this directory');
});

test('a relay stops if unread events were deleted, and continues if it may skip them', async () => {
  const stateDir = folder();
  const { url, received } = await startReceiver();
  const first = await start(stateDir, [destination(url)]);
  await first.stop();
  await translate('lost');
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from event_feeds where tenant_id = ${at.tenantId}`;
  const second = await start(stateDir, [destination(url)]);
  await expect(second.ended).rejects.toThrow('app: events that were not read have been deleted');
  const third = await start(stateDir, [destination(url)], { skipGap: true });
  await expect.poll(() => third.log.join()).toContain('continuing at the end of the feed');
  const job = await translate('next');
  await expect.poll(() => received.map(jobOf)).toEqual([job]);
});

test('a relay continues if the deleted events are all of types that it does not send', async () => {
  const stateDir = folder();
  const { url, received } = await startReceiver();
  const some = [destination(url, { types: ['translation.awaiting_review'] })];
  const first = await start(stateDir, some);
  await translate('old');
  const { next_cursor } = await client().events.list();
  await expect
    .poll(() => readFileSync(join(stateDir, 'app.journal'), 'utf8'), { timeout: 5000 })
    .toContain(next_cursor);
  await first.stop();
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from events where tenant_id = ${at.tenantId}`;
  await sql`update event_feeds set pruned_position = last_position where tenant_id = ${at.tenantId}`;
  await start(stateDir, some);
  const held = await client().translations.create({ source_text: 'x', target_lang: 'fr', domain: 'legal' });
  await expect.poll(() => received.map(jobOf)).toEqual([held.id]);
});

test('a relay without a valid credential fails', async () => {
  const { url } = await startReceiver();
  const relay = await start(folder(), [destination(url)], {
    client: new LinguaLoop({ baseUrl: app.address, apiKey: 'll_wrong' }),
  });
  await expect(relay.ended).rejects.toMatchObject({ status: 401 });
});
