import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startAccount, type TestAccount } from './data-lake-account.ts';

const path = 'tenant/golden/record.json';
const lines = 'golden/manifest/day.jsonl';

let account: TestAccount;
beforeEach(async () => {
  account = await startAccount({ leaseMilliseconds: 1500 });
});
afterEach(() => account.lake.close());

test('a process that dies with the lease of an object delays the others until the lease ends', async () => {
  const store = account.open();
  await store.appendLine(lines, 'one');
  // The lease is acquired, and can never be released.
  account.lake.fail({ how: 500, operation: 'lease', after: 1, times: 3 });
  await store.appendLine(lines, 'two');
  const waiting = account.open().appendLine(lines, 'three');
  await sleep(500);
  expect(account.text(lines)).toBe('one\ntwo\n');
  await waiting;
  expect(account.text(lines)).toBe('one\ntwo\nthree\n');
});

test('a lease whose release gets no response delays its own write by two seconds at most', async () => {
  // With the timeout of other requests, the test itself would time out.
  const store = account.open({ timeout: 60_000 });
  await store.appendLine(lines, 'one');
  account.lake.fail({ how: 'timeout', operation: 'lease', after: 1, times: 1 });
  await store.appendLine(lines, 'two');
  expect(account.text(lines)).toBe('one\ntwo\n');
});

test('a service without leases is written to without them', async () => {
  account.lake.fail({ how: 501, operation: 'lease' });
  const stores = [account.open(), account.open()];
  await Promise.all(Array.from({ length: 20 }, (_, i) => stores[i % 2]!.appendLine(lines, `${i}`)));
  const written = account.text(lines)!.trimEnd().split('\n').map(Number);
  expect(written.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  await stores[0]!.put(path, Buffer.alloc(5_000_000, 'x'));
  expect(account.text(path)).toHaveLength(5_000_000);
});
