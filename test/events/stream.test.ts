import { beforeEach, expect, test } from 'vitest';
import { streamLimits } from '#server/events/streams.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env } from '#test/factories.ts';
import { type Signup, startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let at: Signup;
beforeEach(async () => {
  at = await app.signUp();
});

const translate = async (text: string): Promise<string> => {
  const body = { source_text: text, target_lang: 'fr' };
  return (await app.json('POST', '/api/translations', { headers: at.headers, body })).body.id;
};

/** A stream that a test reads block by block, as a browser or curl would. */
async function open(input: object = {}, headers: Record<string, string> = {}, address = app.address) {
  const abort = new AbortController();
  const query = encodeURIComponent(JSON.stringify({ json: input }));
  const response = await fetch(`${address}/trpc/events.subscribe?input=${query}`, {
    headers: { ...at.headers, ...headers },
    signal: abort.signal,
  });
  if (response.status !== 200) return { response, body: (await response.json()) as any };
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  /** Returns the fields of the next block; undefined at the end of the stream. */
  const next = async (): Promise<Record<string, string> | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  const nextEvent = async () => {
    for (;;) {
      const block = await next();
      if (!block) throw new Error('the stream has ended');
      if (block['event'] === undefined)
        return { id: block['id'] as string, ...JSON.parse(block['data'] as string).json };
    }
  };
  return { response, next, nextEvent, close: () => abort.abort() };
}

type Stream = Required<Awaited<ReturnType<typeof open>>>;

test('a stream begins with a cursor, and sends events in the format of tRPC', async () => {
  const stream = (await open()) as Stream;
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await stream.next()).toEqual({ event: 'connected', data: '{}', retry: '500' });
  const first = await stream.next();
  expect(first).toEqual({ event: 'ping', data: '', id: expect.any(String) });
  const job = await translate('words');
  const event = await stream.nextEvent();
  expect(event).toMatchObject({ id: expect.any(String), resource: 'translation', resource_id: job });
  stream.close();
});

test('a stream continues after Last-Event-ID, or after its cursor', async () => {
  const first = (await open()) as Stream;
  await first.next();
  const { id } = (await first.next()) as { id: string };
  first.close();
  const jobs = [await translate('one'), await translate('two')];
  const byHeader = (await open({ cursor: 'ignored' }, { 'last-event-id': id })) as Stream;
  expect((await byHeader.nextEvent()).resource_id).toBe(jobs[0]);
  const { cursor } = await byHeader.nextEvent();
  byHeader.close();
  const byInput = (await open({ lastEventId: id })) as Stream;
  expect((await byInput.nextEvent()).resource_id).toBe(jobs[0]);
  byInput.close();
  const third = await translate('three');
  const byCursor = (await open({ cursor })) as Stream;
  expect((await byCursor.nextEvent()).resource_id).toBe(third);
  byCursor.close();
});

test.each([
  ['without a credential', {}, { 'x-api-key': '' }, 401],
  ['with an unreadable cursor', { cursor: 'x' }, {}, 422],
  ['with an unknown type', { types: ['x'] }, {}, 422],
])('a stream %s gets its own status', async (_name, input, headers, status) => {
  const { response, body } = await open(input, headers);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    expect.stringContaining('application/json'),
  ]);
  expect(body.error ?? body).toBeDefined();
});

test('a stream with a cursor of another feed gets 409', async () => {
  const cursor = (await viaRpc(app, { path: 'events.list', type: 'query' }, { headers: at.headers })).body
    .next_cursor;
  at = await app.signUp();
  const { response } = await open({ cursor });
  expect(response.status).toBe(409);
});

test('a filtered stream moves its cursor past other events', async () => {
  const stream = (await open({ types: ['document.failed'] })) as Stream;
  await stream.next();
  const start = await stream.next();
  await translate('words');
  const moved = await stream.next();
  expect(moved).toEqual({ event: 'ping', data: '', id: expect.any(String) });
  expect(moved?.['id']).not.toBe(start?.['id']);
  stream.close();
});

test('a stream ends with an error when its key is revoked', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const stream = (await open()) as Stream;
  await stream.next();
  await stream.next();
  await translate('words');
  await stream.nextEvent();
  await sql`update tenants set active = false where tenant_id = ${at.tenantId}`;
  await sql`update translation_jobs set status = 'failed' where tenant_id = ${at.tenantId}`;
  const block = await stream.next();
  expect(block?.['event']).toBe('serialized-error');
  expect(JSON.parse(block?.['data'] as string).json.data.httpStatus).toBeGreaterThanOrEqual(401);
  expect(await stream.next()).toBeUndefined();
});

test('a workspace has a limited number of streams, and a closed one makes room', async () => {
  const streams = await Promise.all(Array.from({ length: streamLimits.workspace }, () => open()));
  const { response, body } = await open();
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10']);
  expect(body.error.json.message).toContain(`${streamLimits.workspace} open event streams`);
  (streams[0] as Stream).close();
  await expect.poll(async () => (await tryOpen()).status).toBe(200);
  for (const stream of streams.slice(1)) (stream as Stream).close();
});

const tryOpen = async () => {
  const { response, close } = await open();
  close?.();
  return response;
};

test('a stream ends when its process drains', async () => {
  const other = await startBeside(app, env);
  const stream = (await open({}, {}, other.address)) as Stream;
  await stream.next();
  await stream.next();
  const stopped = other.close();
  expect(await stream.next()).toBeUndefined();
  await stopped;
});

test('other methods are rejected', async () => {
  for (const method of ['POST', 'HEAD']) {
    const response = await fetch(`${app.address}/trpc/events.subscribe`, { method, headers: at.headers });
    expect([method, response.status]).toEqual([method, 405]);
  }
});
