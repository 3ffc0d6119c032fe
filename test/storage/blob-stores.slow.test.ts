import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { startAccount } from './data-lake-account.ts';
import { startS3 } from './s3-server.ts';
import { type Place, testStore } from './store-rules.ts';

const providers: Record<string, () => Promise<Place>> = {
  async folder() {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-store-'));
    return { open: () => openFolder(folder), close: () => rm(folder, { recursive: true, force: true }) };
  },
  async 'data lake'() {
    // Small pages, so that a listing has several pages.
    const account = await startAccount({ pageSize: 3 });
    return { open: () => account.open(), close: account.lake.close };
  },
  async s3() {
    const server = await startS3({ pageSize: 3 });
    return { open: () => server.open('/in/folders'), close: server.close };
  },
};

describe.each(Object.entries(providers))('%s', (_, start) => testStore(start));
