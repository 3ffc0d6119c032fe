import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Owner } from './account.ts';
import type { DataFolder } from './folder.ts';

/** Gives a cluster that belongs to somebody else to the user PostgreSQL will run as. Only for root, before a start. */
export async function giveCluster(folder: DataFolder, owner: Owner): Promise<void> {
  if ((await stat(folder.cluster)).uid === owner.uid) return;
  for (const name of await readdir(folder.cluster, { recursive: true })) {
    await lchown(join(folder.cluster, name), owner.uid, owner.gid);
  }
  // Last, so that its owner tells that all the others are done.
  await lchown(folder.cluster, owner.uid, owner.gid);
}
