import { createHmac, randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type DataFolder, temporaryPath, whoami } from './folder.ts';

/** The contents of postgres.json: the logins of this cluster, and its id. */
export interface Secrets {
  /** A random id. The server gets it as its cluster_name. */
  readonly id: string;
  readonly superuser: string;
  readonly superuserPassword: string;
  /** The owner of the database. */
  readonly role: string;
  readonly password: string;
  readonly database: string;
  /** The port that the server uses if it is free, so that the server has the same URL after a restart. */
  readonly port: number;
}

/** The role with which the service runs. */
export const serviceRole = 'lingualoop_service';

/**
 * The password of the service's role. It is derived from the owner's, so that a cluster of an earlier version, which has
 * no such role, changes over without a new file that could get lost between two writes.
 */
export function servicePassword({ password }: Pick<Secrets, 'password'>): string {
  return createHmac('sha256', password).update(serviceRole).digest('base64url');
}

/**
 * Reads postgres.json. Resolves to undefined if the file does not exist. Rejects if the file cannot be read or was
 * not written by {@link ensureSecrets}.
 */
export async function readSecrets(folder: DataFolder): Promise<Secrets | undefined> {
  let text: string;
  try {
    text = await readFile(folder.secrets, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${folder.secrets} cannot be read by ${whoami()}; run LinguaLoop as its owner: ${(error as Error).message}`,
    );
  }
  try {
    return JSON.parse(text) as Secrets;
  } catch {
    throw new Error(
      `${folder.secrets} is damaged: restore it from a backup, because it has the passwords of the database.`,
    );
  }
}

/**
 * Reads postgres.json, or creates it atomically if it does not exist. If several processes create the cluster at the
 * same time, all use the same file. If a process crashes before the cluster exists, the next start uses the file.
 */
export async function ensureSecrets(folder: DataFolder): Promise<Secrets> {
  const existing = await readSecrets(folder);
  if (existing) return existing;
  const secrets: Secrets = {
    id: `lingualoop-${randomBytes(12).toString('hex')}`,
    superuser: 'postgres',
    superuserPassword: randomBytes(24).toString('base64url'),
    role: 'lingualoop',
    password: randomBytes(24).toString('base64url'),
    database: 'lingualoop',
    port: await freePort(),
  };
  const draft = temporaryPath(folder);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
    await file.sync();
    // Link instead of renaming: a link never replaces the file of a process that was faster.
    await link(draft, folder.secrets).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  return (await readSecrets(folder)) as Secrets;
}

/** Returns a TCP port of 127.0.0.1 that is currently free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
