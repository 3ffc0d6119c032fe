import { type ChildProcess, spawn } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { openByUrl, s3Credentials, startS3 } from './s3-server.ts';

/** A service's storage in a directory, with an ID and some objects, and a bucket to which it is copied. */
async function openStores() {
  const folder = await testFolder();
  const s3 = await startS3();
  onTestFinished(s3.close);
  const from = openFolder(join(folder, 'storage'));
  await from.put('golden/store-id', 'our-id');
  for (const name of ['a', 'b', 'c']) await from.put(`tenant/golden/${name}.json`, `text of ${name}`);
  await from.put('tenant/documents/large', Buffer.alloc(3_000_000, 'x'));
  const run = (...more: string[]) => {
    const { PATH } = process.env;
    const env = { PATH, ...s3Credentials, DATA_DIR: folder, DATABASE_URL: 'postgres://unused/x' };
    const args = ['server/commands/migrate-store.ts', '--to', s3.url('/new'), ...more];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(String(piece)));
    return { child, said: () => said.join('') };
  };
  const ended = (child: ChildProcess) => new Promise<number | null>((done) => child.on('exit', done));
  return { folder, s3, from, to: openByUrl(s3.url('/new')), run, ended };
}

const complete = (said: string) => said.split('\n').filter((line) => line.startsWith('complete'));

test('all objects are copied, the ID last, and a second run copies nothing', async () => {
  const { s3, run, ended } = await openStores();
  const first = run();
  expect(await ended(first.child)).toBe(0);
  expect(first.said()).toMatch(/5 objects, 4 copied, 0 removed/);
  expect(s3.objects.get('new/tenant/golden/b.json')?.content.toString()).toBe('text of b');
  expect(s3.objects.get('new/tenant/documents/large')?.content).toHaveLength(3_000_000);
  const puts = s3.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key);
  expect(puts.at(-1)).toBe('new/golden/store-id');
  const second = run();
  expect(await ended(second.child)).toBe(0);
  expect(second.said()).toMatch(/5 objects, 0 copied, 0 removed/);
});

test('a copy that was interrupted continues, without what was removed since, and replaces an empty object', async () => {
  const { s3, to, run, ended } = await openStores();
  await to.put('golden/copy-of', 'our-id');
  await to.put('tenant/golden/a.json', 'text of a');
  await to.put('tenant/golden/b.json', '');
  await to.put('tenant/golden/deleted.json', 'a text that was deleted since');
  const { child, said } = run();
  expect(await ended(child)).toBe(0);
  expect(said()).toMatch(/5 objects, 3 copied, 1 removed/);
  expect(await to.read('tenant/golden/deleted.json', 0, 1)).toBeNull();
  expect(Buffer.from((await to.read('tenant/golden/b.json', 0, 100))!).toString()).toBe('text of b');
  expect([...s3.objects.keys()]).not.toContain('new/golden/copy-of');
});

test('a store with other objects is rejected, as is a store in a folder of the other one; nothing is removed', async () => {
  const { folder, to, run, ended } = await openStores();
  await to.put('invoices/2026/1.pdf', 'an invoice');
  const foreign = run();
  expect(await ended(foreign.child)).toBe(2);
  expect(foreign.said()).toMatch(/--to: the store already has objects, such as invoices\/2026\/1\.pdf/);
  expect(await to.read('invoices/2026/1.pdf', 0, 1)).not.toBeNull();
  for (const [url, refusal] of [
    [`file://${folder}/storage/new`, 'in a folder of the other one'],
    [`file://${folder}/`, 'in a folder of the other one'],
    [`file://${folder}/storage/`, 'uses this store already'],
  ] as const) {
    const { child, said } = run('--to', url);
    expect(await ended(child)).toBe(2);
    expect(said()).toContain(refusal);
  }
});

test('with --watch, changes follow; a storage that vanishes removes nothing', async () => {
  const { folder, s3, from, to, run } = await openStores();
  const { child, said } = run('--watch');
  await poll(async () => complete(said()).length === 1);
  await from.put('tenant/golden/d.json', 'text of d');
  await from.put('tenant/golden/b.json', 'text of b, without the name of a member');
  await from.remove('tenant/golden/a.json');
  await poll(async () => complete(said()).length === 2);
  expect(said()).toMatch(/5 objects, 2 copied, 1 removed/);
  expect(Buffer.from((await to.read('tenant/golden/b.json', 0, 100))!).toString()).toMatch(
    /without the name/,
  );
  await rename(join(folder, 'storage'), join(folder, 'away'));
  await poll(async () => said().includes('the storage of the service is gone'));
  expect(s3.objects.size).toBe(5);
  await rename(join(folder, 'away'), join(folder, 'storage'));
  await poll(async () => complete(said()).length === 3);
  child.kill('SIGTERM');
});

test('a store of another database is rejected, as is a storage without an ID', async () => {
  const { folder, to, run, ended } = await openStores();
  await to.put('golden/store-id', 'another');
  const other = run();
  expect(await ended(other.child)).toBe(2);
  expect(other.said()).toBe('lingualoop: could not copy: --to: the store belongs to another database\n');
  await rm(join(folder, 'storage'), { recursive: true });
  const without = run();
  expect(await ended(without.child)).toBe(2);
  expect(without.said()).toMatch(/the storage of the service has no ID/);
});
