import { mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RelayError, readConfig } from '#cli/relay/config.ts';
import { deliver, signedHeaders, slackMessage } from '#cli/relay/delivery.ts';
import { Journal } from '#cli/relay/journal.ts';
import { lockState } from '#cli/relay/lock.ts';
import type { WorkspaceEvent } from '#sdk/index.ts';
import { type Reply, startReceiver } from './receiver.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const one = (fields: object = {}) => ({
  destinations: [{ name: 'app', url: 'https://example.org/hook', secrets: [secret], ...fields }],
});
const event = (id: string, fields: Partial<WorkspaceEvent> = {}): WorkspaceEvent => ({
  id,
  cursor: `after-${id}`,
  type: 'translation.published',
  resource: 'translation',
  resource_id: 'job',
  status: 'published',
  occurred_at: '2026-11-01T12:00:00.000Z',
  ...fields,
});

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'relay-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the configuration', () => {
  test('has defaults, and takes secrets and URLs from the environment', () => {
    const env = { KEY: secret, HOOK: 'https://hooks.slack.com/services/x' };
    const { destinations } = readConfig(
      {
        destinations: [
          ...one({ secrets: ['$KEY', secret], types: ['translation.failed'] }).destinations,
          { name: 'slack', url: '$HOOK', format: 'slack' },
        ],
      },
      env,
    );
    expect(destinations).toEqual([
      {
        name: 'app',
        url: 'https://example.org/hook',
        secrets: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)],
        types: ['translation.failed'],
        format: 'standard',
        timeoutMs: 15_000,
        giveUpMs: 259_200_000,
        concurrency: 4,
      },
      expect.objectContaining({
        name: 'slack',
        url: 'https://hooks.slack.com/services/x',
        secrets: [],
        types: undefined,
      }),
    ]);
  });

  test.each([
    [[], 'the configuration: must be an object'],
    [{ destinations: [] }, 'destinations: must be a list of 1 to 8 destinations'],
    [
      { destinations: [...one().destinations, ...one().destinations] },
      'destinations: each name may be used once',
    ],
    [one({ retries: 3 }), 'destinations[0]: unknown field retries'],
    [one({ name: '../x' }), 'destinations[0].name'],
    [one({ url: 'file:///etc/passwd' }), 'destinations[0].url'],
    [one({ url: 'https://user:password@example.org' }), 'destinations[0].url'],
    [one({ url: '$MISSING' }), 'destinations[0].url: the environment variable MISSING is not set'],
    [one({ secrets: [] }), 'destinations[0].secrets'],
    [one({ secrets: ['whsec_c2hvcnQ='] }), 'destinations[0].secrets[0]: must be whsec_ and the base64 of 24'],
    [one({ types: [] }), 'destinations[0].types'],
    [one({ format: 'teams' }), 'destinations[0].format'],
    [one({ timeout_seconds: 0 }), 'destinations[0].timeout_seconds: must be a number from 1 to 120'],
    [one({ give_up_hours: '1' }), 'destinations[0].give_up_hours'],
    [one({ concurrency: 65 }), 'destinations[0].concurrency'],
  ])('rejects %j', (json, message) => {
    expect(() => readConfig(json, {})).toThrow(RelayError);
    expect(() => readConfig(json, {})).toThrow(message);
  });

  test('does not repeat a URL or secret in a message', () => {
    for (const fields of [{ url: 'hooks.example/secret-path' }, { secrets: ['whsec_secret-path'] }])
      expect(() => readConfig(one(fields), {})).toThrow(/^(?!.*secret-path)/);
  });
});

describe('a request', () => {
  const destination = (url: string, fields: object = {}) => {
    const [read] = readConfig(one({ url, ...fields }), {}).destinations;
    if (!read) throw new Error('no destination');
    return read;
  };

  test('is signed as the example of Standard Webhooks', () => {
    const key = Buffer.from('plJ3nmyCDGBKInavdOK15jsl', 'base64');
    const body = '{"event_type":"ping","data":{"success":true}}';
    expect(signedHeaders([key], 'msg_loFOjxBNrRLzqYUf', 1731705121, body)).toEqual({
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    });
  });

  test('has the event without its cursor, and one signature per secret', async () => {
    const { url, received } = await startReceiver();
    const outcome = await deliver(destination(url, { secrets: [secret, secret] }), event('e1'), {
      baseUrl: '',
      now: 1_800_000_000_500,
    });
    expect(outcome).toEqual({ kind: 'delivered' });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      type: 'translation.published',
      timestamp: '2026-11-01T12:00:00.000Z',
      data: { id: 'e1', resource: 'translation', resource_id: 'job', status: 'published' },
    });
    const { headers } = received[0] as (typeof received)[0];
    expect([headers['webhook-id'], headers['webhook-timestamp'], headers['content-type']]).toEqual([
      'e1',
      '1800000000',
      'application/json',
    ]);
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  });

  test.each<[string, Reply, object]>([
    ['200', 200, { kind: 'delivered' }],
    ['408', 408, { kind: 'temporary', afterMs: 0 }],
    ['425', 425, { kind: 'temporary' }],
    ['429', { status: 429, headers: { 'retry-after': '7' } }, { kind: 'temporary', afterMs: 7000 }],
    [
      '503 for a year',
      { status: 503, headers: { 'retry-after': '31536000' } },
      { kind: 'temporary', afterMs: 3_600_000 },
    ],
    ['400', 400, { kind: 'permanent', error: 'the receiver returned 400' }],
    ['410', 410, { kind: 'permanent' }],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }, { kind: 'permanent' }],
  ])('that gets %s', async (_name, reply, outcome) => {
    const { url, received } = await startReceiver(() => reply);
    expect(await deliver(destination(url), event('e1'), { baseUrl: '' })).toMatchObject(outcome);
    expect(received).toHaveLength(1);
  });

  test('that gets no response is temporary', async () => {
    const { url } = await startReceiver(() => new Promise(() => {}));
    const silent = { ...destination(url), timeoutMs: 50 };
    expect(await deliver(silent, event('e1'), { baseUrl: '' })).toMatchObject({
      kind: 'temporary',
      error: 'the receiver did not respond in time',
    });
    const closed = destination('http://127.0.0.1:9/');
    expect(await deliver(closed, event('e1'), { baseUrl: '' })).toMatchObject({ kind: 'temporary' });
  });

  test('for Slack has a message with a link', async () => {
    const { url, received } = await startReceiver();
    const slack = destination(url, { format: 'slack', secrets: [] });
    await deliver(slack, event('e1'), { baseUrl: 'https://translate.example' });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      text: 'Translation <https://translate.example/jobs/job|job>: *published*',
    });
    expect(received[0]?.headers['webhook-signature']).toBeUndefined();
    const review = event('e2', { type: 'review.approved', resource: 'document', resource_id: 'a<&>b' });
    expect(slackMessage(review, 'https://x').text).toBe(
      'Document <https://x/app/edit/documents/a%3C%26%3Eb|a&lt;&amp;&gt;b>: *review approved*',
    );
  });
});

describe('the journal', () => {
  test('keeps the place, the events that are not delivered, and their first failure', () => {
    const journal = new Journal(dir, 'app');
    journal.moveTo('start');
    for (const id of ['a', 'b', 'c']) journal.receive(event(id));
    journal.fail('b', 5);
    journal.fail('b', 9);
    journal.done('a');
    journal.close();
    for (let restart = 0; restart < 2; restart += 1) {
      const again = new Journal(dir, 'app');
      expect(again.cursor).toBe('after-c');
      expect([...again.pending.values()].map((one) => [one.event.id, one.failingSince])).toEqual([
        ['b', 5],
        ['c', undefined],
      ]);
      again.close();
    }
  });

  test('after a kill at any byte, contains a prefix of what was written', () => {
    const journal = new Journal(dir, 'app');
    journal.moveTo('start');
    const path = join(dir, 'app.journal');
    const states: [number, string | undefined, string[]][] = [];
    const note = () => states.push([readFileSync(path).length, journal.cursor, [...journal.pending.keys()]]);
    note();
    for (const id of ['a', 'b']) {
      journal.receive(event(id));
      note();
    }
    journal.done('a');
    note();
    journal.close();
    const whole = readFileSync(path);
    for (let length = whole.length; length >= (states[0]?.[0] as number); length -= 1) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      const expected = states.findLast(([end]) => end <= length);
      const again = new Journal(dir, 'app');
      expect([again.cursor, [...again.pending.keys()]], String(length)).toEqual(expected?.slice(1));
      again.close();
    }
  });

  test('does not grow with what was delivered', () => {
    const journal = new Journal(dir, 'app');
    journal.moveTo('start');
    journal.receive(event('stuck'));
    for (let n = 0; n < 10_000; n += 1) {
      journal.receive(event(`e${n}`));
      journal.done(`e${n}`);
    }
    journal.close();
    expect(readFileSync(join(dir, 'app.journal')).length).toBeLessThan(1_100_000);
    const again = new Journal(dir, 'app');
    expect([again.cursor, ...again.pending.keys()]).toEqual(['after-e9999', 'stuck']);
    again.close();
  });

  test('is rejected if it is damaged in the middle', () => {
    const journal = new Journal(dir, 'app');
    journal.moveTo('start');
    for (const id of ['a', 'b']) journal.receive(event(id));
    journal.close();
    const path = join(dir, 'app.journal');
    writeFileSync(path, readFileSync(path, 'utf8').replace('{"event"', '#"event"'));
    expect(() => new Journal(dir, 'app')).toThrow(/app\.journal is damaged at byte \d+/);
  });
});

describe('the lock', () => {
  const fail = (error: Error) => {
    throw error;
  };

  test('is held by one relay at a time', () => {
    const lock = lockState(dir, fail);
    expect(() => lockState(dir, fail)).toThrow(`another relay uses this directory (process ${process.pid}`);
    lock.release();
    lockState(dir, fail).release();
  });

  test.each([
    ['of a process that is gone', { pid: 2 ** 22 + 1, host: hostname() }, 0, true],
    ['with the number of this process', { pid: process.pid, host: hostname() }, 0, true],
    ['of a process that runs', { pid: process.ppid, host: hostname() }, 0, false],
    ['of another host', { pid: 1, host: 'other' }, 0, false],
    ['of another host, without a sign of life for 31 s', { pid: 1, host: 'other' }, 31, true],
  ])('%s', (_name, holder, ageSeconds, isTaken) => {
    const path = join(dir, 'lock');
    writeFileSync(path, JSON.stringify({ ...holder, token: 'other' }));
    const then = new Date(Date.now() - ageSeconds * 1000);
    utimesSync(path, then, then);
    if (isTaken) lockState(dir, fail).release();
    else expect(() => lockState(dir, fail)).toThrow(RelayError);
  });
});
