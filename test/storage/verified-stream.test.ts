import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { openVerifiedStream } from '#server/platform/stores/verified-stream.ts';

const path = 'tenant/documents/file';
const content = randomBytes(3_000_000);
const fingerprint = {
  sizeBytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
};

/** Other content of the same length. */
function damaged(): Buffer {
  const other = Buffer.from(content);
  other.writeUInt8(other.readUInt8(2_000_000) ^ 1, 2_000_000);
  return other;
}

/** The files used by downloads that this process currently has open. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const names = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return names.filter((name) => /lingualoop-(download|store)/.test(name));
}

describe('a verified stream', () => {
  let store: BlobStore;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-store-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    store = openFolder(folder);
    await store.put(path, content);
  });

  const open = () => openVerifiedStream(store, path, fingerprint);
  const read = async () => {
    const stream = await open();
    if (!stream) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of stream.chunks) pieces.push(piece);
    await stream.close();
    return Buffer.concat(pieces);
  };

  test('has the whole object, each time', async () => {
    for (let time = 0; time < 3; time++) expect((await read())?.equals(content)).toBe(true);
    expect(await openFiles()).toEqual([]);
  });

  test('is not opened for an object that is damaged, shorter, longer or missing, the first time or later', async () => {
    for (const wrong of [damaged(), content.subarray(1), Buffer.concat([content, Buffer.from('x')])]) {
      await store.put(path, wrong);
      expect(await open()).toBeNull();
      await store.put(path, content);
      expect((await read())?.equals(content)).toBe(true);
      await store.put(path, wrong);
      expect(await open()).toBeNull();
    }
    await store.remove(path);
    expect(await open()).toBeNull();
    expect(await openFiles()).toEqual([]);
  });

  test('that nobody reads, or not to its end, leaves nothing open', async () => {
    for (let time = 0; time < 3; time++) {
      const unread = await open();
      await unread?.close();
      const begun = await open();
      for await (const _piece of begun!.chunks) break;
      await begun?.close();
    }
    await expect.poll(openFiles).toEqual([]);
  });

  test('says nothing of a version that has another checksum', async () => {
    await read();
    const sha256 = createHash('sha256').update('another').digest('hex');
    expect(await openVerifiedStream(store, path, { ...fingerprint, sha256 })).toBeNull();
  });
});
