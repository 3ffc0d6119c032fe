import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAccount, giveCluster } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type DataFolder, isAlive, removeLeftovers } from './folder.ts';
import { clusterExists, createCluster } from './initdb.ts';
import { failure } from './log.ts';
import { discardPidFile, readPidFile } from './pidfile.ts';
import { type Launch, startPostmaster } from './postmaster.ts';
import { isPassing, openPresence, type Presence } from './presence.ts';
import { ensureSecrets, freePort, readSecrets, type Secrets } from './secrets.ts';

const timeoutMs = 15_000;
const noticeAfterMs = 2000;
const firstPauseMs = 10;
/** Maximum milliseconds between two attempts. Not shorter, to leave the CPU to the process that creates the cluster. */
const maxPauseMs = 60;

/** A membership in the running server, and the credentials to connect to the server. */
export interface Joined {
  readonly presence: Presence;
  readonly secrets: Secrets;
}

interface JoinOptions {
  /** Whether to create a missing cluster. */
  readonly create: boolean;
  /** The port on which to start the server, if the port is free. Default: the port in postgres.json. */
  readonly port?: number;
  readonly onNotice: (message: string) => void;
  /** Called each time that this thread is idle, because initdb, the postmaster or another member is at work. */
  readonly onIdle?: () => void;
  /** Once aborted, no server is started, but a running one is still joined. */
  readonly signal?: AbortSignal;
}

/** Why the join is waiting at the moment, for the notice and for the error after the timeout. */
interface Progress {
  state: string;
}

/**
 * Joins the running server, or creates and starts one. Repeats until it has joined, because other processes may start
 * or stop the server at any time. Rejects after 15 s, not counting the creation of the cluster, or immediately if a
 * retry cannot help.
 */
export async function joinServer(
  folder: DataFolder,
  binaries: Binaries,
  options: JoinOptions,
): Promise<Joined> {
  const progress: Progress = { state: 'it is not running' };
  const timer = setTimeout(
    () => options.onNotice(`Waiting for the PostgreSQL server in ${folder.root}: ${progress.state}.`),
    noticeAfterMs,
  );
  try {
    return await tryUntilJoined(folder, binaries, options, progress);
  } finally {
    clearTimeout(timer);
  }
}

async function tryUntilJoined(
  folder: DataFolder,
  binaries: Binaries,
  options: JoinOptions,
  progress: Progress,
): Promise<Joined> {
  let deadline = Date.now() + timeoutMs;
  let { port, onIdle = () => {} } = options;
  let pause = firstPauseMs;
  for (;;) {
    // Compared before the look: a process that had no CPU for too long must still find a server that is ready by now.
    const isLate = Date.now() > deadline;
    const exists = await clusterExists(folder, binaries);
    if (!exists && !options.create)
      throw new Error(`The database directory ${folder.cluster} no longer exists.`);
    const seen = await readPidFile(folder);
    if (seen.state === 'postmaster') {
      progress.state = `process ${seen.pid} is starting or stopping`;
      const joined = seen.ready ? await joinRunning(folder, seen.port, progress) : undefined;
      if (joined) return joined;
    }
    if (isLate) {
      const limit = `within ${timeoutMs / 1000} s`;
      throw failure(`PostgreSQL in ${folder.root} was not ready ${limit}: ${progress.state}.`, folder);
    }
    let claimed = false;
    if (seen.state !== 'postmaster') {
      options.signal?.throwIfAborted();
      claimed = await claimStart(folder);
      progress.state = claimed ? 'it is being started' : 'another process is starting it';
    }
    if (claimed) {
      try {
        if (exists) port = await start(folder, binaries, { port, deadline, onIdle });
        else await create(folder, binaries, onIdle);
      } finally {
        await releaseClaim(folder);
      }
    }
    if (!exists) deadline = Date.now() + timeoutMs;
    if (claimed) continue;
    onIdle();
    await delay(pause);
    pause = Math.min(pause * 1.2, maxPauseMs);
  }
}

/** Joins the server that runs on this port. Resolves to undefined if the server cannot be joined at the moment. */
async function joinRunning(
  folder: DataFolder,
  port: number,
  progress: Progress,
): Promise<Joined | undefined> {
  const secrets = await requireSecrets(folder);
  try {
    const presence = await openPresence(secrets, port);
    if (presence) return { presence, secrets };
    progress.state = 'the last process that uses it is disconnecting';
  } catch (error) {
    const { message } = error as Error;
    if (!isPassing(error)) {
      throw failure(
        `Cannot connect to the PostgreSQL server that already runs in ${folder.cluster}: ${message}.`,
        folder,
      );
    }
    progress.state = message;
  }
  return undefined;
}

async function create(folder: DataFolder, binaries: Binaries, onIdle: () => void): Promise<void> {
  await removeLeftovers(folder);
  if (await clusterExists(folder, binaries)) return;
  const account = await chooseAccount(folder, binaries);
  await createCluster(folder, binaries, account, await ensureSecrets(folder), onIdle);
}

/** Starts the server. Resolves to the port for the next attempt, which is a different one if this port was taken. */
async function start(
  folder: DataFolder,
  binaries: Binaries,
  { port, ...launch }: Omit<Launch, 'port'> & { port: number | undefined },
): Promise<number | undefined> {
  await removeLeftovers(folder);
  const secrets = await requireSecrets(folder);
  const account = await chooseAccount(folder, binaries);
  if (account.owner) await giveCluster(folder, account.owner);
  // The process that held the claim before may have started the server since the last check.
  const seen = await readPidFile(folder);
  if (seen.state === 'postmaster') return port;
  if (seen.state === 'stale' && seen.misleading) await discardPidFile(folder, seen.text);
  const result = await startPostmaster(folder, binaries, account, secrets, {
    ...launch,
    port: port ?? secrets.port,
  });
  if (result === 'try again') await delay(firstPauseMs);
  return result === 'port taken' ? await freePort() : port;
}

async function requireSecrets(folder: DataFolder): Promise<Secrets> {
  const secrets = await readSecrets(folder);
  if (secrets) return secrets;
  throw new Error(
    `${folder.secrets} is missing: restore it from a backup, because it has the passwords of the database in ${folder.cluster}.`,
  );
}

const staleAfterMs = 10_000;

/**
 * Claims the creation and start of the cluster, so that only one of many processes does the work. Correctness does
 * not depend on the claim, but on the rename of the finished cluster and on postmaster.pid. So the claim of a dead or
 * slow process can be taken over safely. Resolves to false if another process holds the claim.
 */
async function claimStart(folder: DataFolder): Promise<boolean> {
  try {
    await writeFile(folder.claim, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isStale(folder)) await rm(folder.claim, { force: true });
  return false;
}

/** Releases the claim, if this process holds it. */
async function releaseClaim(folder: DataFolder): Promise<void> {
  const holder = await readFile(folder.claim, 'utf8').catch(() => '');
  if (holder === String(process.pid)) await rm(folder.claim, { force: true });
}

async function isStale(folder: DataFolder): Promise<boolean> {
  const written = await stat(folder.claim).catch(() => undefined);
  if (!written) return false;
  if (Date.now() - written.mtimeMs > staleAfterMs) return true;
  const holder = Number(await readFile(folder.claim, 'utf8').catch(() => ''));
  // If the file is empty, `holder` is 0: another process has created it and is about to write its id.
  return holder > 0 && !isAlive(holder);
}
