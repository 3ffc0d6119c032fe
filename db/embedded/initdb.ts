import { appendFile, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { type Command, run } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type DataFolder, temporaryPath, unfinishedRestore } from './folder.ts';
import { failure } from './log.ts';
import type { Secrets } from './secrets.ts';

/**
 * Whether the cluster exists. Rejects in these cases: the folder has other contents; the cluster is from another
 * major version of PostgreSQL; a restore is unfinished.
 */
export async function clusterExists(folder: DataFolder, binaries: Binaries): Promise<boolean> {
  const version = await clusterVersion(folder);
  if (version === undefined) {
    if (await isThere(join(folder.root, unfinishedRestore)))
      throw new Error(
        `A restore into ${folder.root} is running or was interrupted: run "npm run restore" again, which starts from the beginning.`,
      );
    return false;
  }
  if (version === binaries.major) return true;
  const what = `${folder.cluster} was created by PostgreSQL ${version}, but this version of LinguaLoop has PostgreSQL ${binaries.major}`;
  throw new Error(
    version < binaries.major
      ? `${what}: restore a backup of the former version into an empty DATA_DIR (docs/upgrading.md).`
      : `${what}: use the version of LinguaLoop that created it.`,
  );
}

/**
 * Returns the major version of PostgreSQL that created the cluster; undefined without a cluster. Rejects if the
 * folder has other contents.
 */
export async function clusterVersion(folder: DataFolder): Promise<number | undefined> {
  // Check the folder before reading the file: another process may rename its finished cluster to this name in
  // between.
  if (!(await isThere(folder.cluster))) return undefined;
  const text = await readFile(join(folder.cluster, 'PG_VERSION'), 'utf8').catch((error: Error) => {
    throw new Error(
      `${folder.cluster} is not a readable data directory of PostgreSQL (${error.message}): ` +
        'move it away, or run LinguaLoop as its owner.',
    );
  });
  return Number(text);
}

/**
 * Creates the cluster, with its roles and database, under a temporary name. Renames it after everything is on disk.
 * If another process has created the cluster first, that one is kept.
 * @param onIdle called once initdb runs
 */
export async function createCluster(
  folder: DataFolder,
  binaries: Binaries,
  account: Account,
  secrets: Secrets,
  onIdle: () => void,
): Promise<void> {
  const draft = temporaryPath(folder);
  const cluster = join(draft, 'cluster');
  const passwordFile = join(draft, 'password');
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, secrets.superuserPassword, { mode: 0o600 });
    if (account.owner) {
      for (const path of [draft, passwordFile]) await chown(path, account.owner.uid, account.owner.gid);
    }
    const initdb = account.command(binaries.initdb, initdbArguments(cluster, passwordFile, secrets));
    const created = complete('initdb', initdb, binaries.initdb, '', folder);
    onIdle();
    await created;
    const single = account.command(binaries.postgres, singleUserArguments(cluster));
    await complete('postgres --single', single, binaries.postgres, firstStatements(secrets), folder);
    await rename(cluster, folder.cluster).catch(async (error) => {
      if (!(await clusterExists(folder, binaries))) throw error;
    });
    await syncFolder(folder.root);
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

function initdbArguments(cluster: string, passwordFile: string, secrets: Secrets): string[] {
  return [
    `--pgdata=${cluster}`,
    `--username=${secrets.superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
}

function singleUserArguments(cluster: string): string[] {
  // Do not log failed statements: they contain the password.
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic'];
  return ['--single', '-j', ...settings, '-D', cluster, 'postgres'];
}

/**
 * Returns the first statements of a new cluster. An empty line ends each statement: PostgreSQL requires this in
 * single-user mode with -j.
 */
function firstStatements({ role, password, database }: Secrets): string {
  return `
    create role ${role} login nosuperuser nobypassrls nocreatedb nocreaterole password '${password}';

    create extension pg_stat_statements;

    create database ${database} owner ${role} template postgres;

  `.replaceAll(/^ +/gm, '');
}

async function complete(name: string, command: Command, program: string, input: string, folder: DataFolder) {
  const { ok, ending, output } = await run(command, program, input);
  if (ok) return;
  if (ending.startsWith('spawn')) {
    throw new Error(
      `The programs of the embedded PostgreSQL do not run on this system (${ending}): ` +
        'set DATABASE_URL to your own PostgreSQL.',
    );
  }
  await appendFile(folder.log, output, { mode: 0o600 }).catch(() => {});
  throw failure(`The database could not be created, ${name} ended with ${ending}.`, folder);
}

/** Flushes a folder to disk, so that renames in it survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Whether a file or folder exists. */
export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
