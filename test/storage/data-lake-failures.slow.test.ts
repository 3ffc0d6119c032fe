import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAccount, type TestAccount } from './data-lake-account.ts';
import type { FaultRule } from './data-lake-emulator.ts';

const path = 'tenant/golden/record.json';
const lines = 'golden/manifest/day.jsonl';

let account: TestAccount;
beforeEach(async () => {
  account = await startAccount();
});
afterEach(() => account.lake.close());

const operations = () => account.lake.requests.map(({ operation }) => operation);

test('a small object takes two requests, a large one a lease and a request for each 4 MB', async () => {
  const store = account.open();
  await store.put(path, 'x');
  expect(operations()).toEqual(['create', 'append']);
  account.lake.requests.splice(0);
  await store.put(path, Buffer.alloc(9 * 1024 * 1024));
  expect(operations()).toEqual(['create', 'lease', 'append', 'append', 'append', 'flush', 'lease']);
});

test('what the service has only accepted is made visible by a request of its own', async () => {
  const store = account.open();
  account.lake.fail({ how: 'accept_only', operation: 'append' });
  await store.put(path, 'x');
  await store.appendLine(lines, 'one');
  expect([account.text(path), account.text(lines)]).toEqual(['x', 'one\n']);
});

test('lines that wait while others are written share a write', async () => {
  const store = account.open();
  await Promise.all(Array.from({ length: 100 }, (_, i) => store.appendLine(lines, `${i}`)));
  expect(account.text(lines)).toBe(Array.from({ length: 100 }, (_, i) => `${i}\n`).join(''));
  expect(operations().filter((operation) => operation === 'append').length).toBeLessThanOrEqual(2);
});

test('requests one after the other share connections; many at once have a limit', async () => {
  const store = account.open();
  for (let i = 0; i < 30; i++) await store.put(path, `${i}`);
  expect(await account.lake.connections()).toBeLessThanOrEqual(3);
  await Promise.all(Array.from({ length: 200 }, (_, i) => store.put(`tenant/golden/${i}.json`, 'x')));
  expect(await account.lake.connections()).toBeLessThanOrEqual(64);
});

describe('requests are tried again', () => {
  const passing: FaultRule['how'][] = [503, 'cut'];

  test.each(passing)('twice after %s', async (how) => {
    const store = account.open();
    account.lake.fail({ how, times: 2, operation: 'create' });
    await store.put(path, 'x');
    expect(operations()).toEqual(['create', 'create', 'create', 'append']);
    expect(account.text(path)).toBe('x');
  });

  test.each(passing)('not three times after %s', async (how) => {
    account.lake.fail({ how, times: 3, operation: 'create' });
    await expect(account.open().put(path, 'x')).rejects.toThrow();
    expect(operations()).toEqual(['create', 'create', 'create']);
  });

  test.each([403, 'timeout'] as const)('never after %s', async (how) => {
    account.lake.fail({ how, operation: 'create' });
    const store = account.open(how === 'timeout' ? { timeout: 200 } : {});
    await expect(store.put(path, 'x')).rejects.toMatchObject({
      status: typeof how === 'number' ? how : null,
      code: typeof how === 'number' ? `Injected${how}` : 'timeout',
    });
    expect(operations()).toEqual(['create']);
  });

  test('after the time that the response asks for', async () => {
    account.lake.fail({ how: 429, times: 1, operation: 'create', headers: { 'retry-after': '1' } });
    const before = performance.now();
    await account.open().put(path, 'x');
    expect(performance.now() - before).toBeGreaterThan(990);
  });

  test('after less than four seconds, whatever time the response asks for', async () => {
    account.lake.fail({ how: 429, times: 1, operation: 'create', headers: { 'retry-after': '86400' } });
    await account.open().put(path, 'x');
    expect(account.text(path)).toBe('x');
  });
});

describe('a write whose response is lost', () => {
  test.each(['create', 'append'] as const)('is whole, if it was of an object (%s)', async (operation) => {
    account.lake.fail({ how: 'cut_after', times: 1, operation });
    await account.open().put(path, 'x');
    expect(account.text(path)).toBe('x');
  });

  test.each([1, 2, 3])('is there once, if it was of a line (lost %s times)', async (times) => {
    const store = account.open();
    await store.appendLine(lines, 'one');
    account.lake.fail({ how: 'cut_after', times, operation: 'append' });
    await store.appendLine(lines, 'two');
    await store.appendLine(lines, 'three');
    expect(account.text(lines)).toBe('one\ntwo\nthree\n');
  });
});

describe('a write that fails', () => {
  test.each([403, 'cut'] as const)('leaves no empty object, after %s', async (how) => {
    const store = account.open();
    account.lake.fail({ how, operation: 'append' });
    for (const content of ['x', Buffer.alloc(5_000_000)]) {
      await expect(store.put(path, content)).rejects.toThrow();
      expect(account.text(path)).toBeUndefined();
    }
    account.lake.heal();
    await store.put(path, 'x');
    expect(account.text(path)).toBe('x');
  });

  test('leaves lines as they were, and the next line is written', async () => {
    const store = account.open();
    await store.appendLine(lines, 'one');
    const end = account.lake.fail({ how: 403, operation: 'append' });
    await expect(store.appendLine(lines, 'two')).rejects.toMatchObject({ status: 403 });
    end();
    await store.appendLine(lines, 'three');
    expect(account.text(lines)).toBe('one\nthree\n');
  });
});

describe('a stream', () => {
  const content = Buffer.alloc(6_000_000, 'abcdefghijk');

  test('goes on where its connection was cut, twice', async () => {
    const store = account.open();
    await store.put(path, content);
    account.lake.fail({ how: 'cut_body', operation: 'read', times: 2 });
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.stream(path))!) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    expect(operations().filter((operation) => operation === 'read')).toHaveLength(3);
  });

  test('fails rather than mix two objects, if the object was replaced meanwhile', async () => {
    const store = account.open();
    await store.put(path, content);
    account.lake.fail({ how: 'cut_body', operation: 'read', times: 1 });
    const stream = (await store.stream(path))!;
    await store.put(path, Buffer.alloc(content.length, 'z'));
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toMatchObject({ name: 'StoreError', status: 412 });
  });

  test('whose reader is slower than the timeout goes on', async () => {
    const store = account.open({ timeout: 300 });
    await store.put(path, content);
    let size = 0;
    for await (const piece of (await store.stream(path))!) {
      if (size === 0) await sleep(1000);
      size += piece.length;
    }
    expect(size).toBe(content.length);
  });

  test.each(['at once', 'in the middle'])('whose reader stops %s gives its connection back', async (when) => {
    const store = account.open();
    await store.put(path, content);
    for (let i = 0; i < 10; i++) {
      const pieces = (await store.stream(path))![Symbol.asyncIterator]();
      if (when === 'in the middle') await pieces.next();
      await pieces.return!();
    }
    await expect.poll(() => account.lake.connections()).toBeLessThanOrEqual(2);
  });
});
