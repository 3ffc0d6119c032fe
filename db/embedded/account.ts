import { spawn } from 'node:child_process';
import { lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './folder.ts';

/** A user and group, by their numeric ids. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user that PostgreSQL's programs run as, and how to start a program as this user. */
export interface Account {
  /** The required owner of PostgreSQL's files; undefined if the owner is the user of this process. */
  readonly owner: Owner | undefined;
  command(program: string, args: readonly string[]): Command;
}

const nobody: Owner = { uid: 65534, gid: 65534 };

/**
 * Chooses the user that PostgreSQL runs as, because PostgreSQL refuses to run as root. An ordinary user runs it as
 * itself. Root runs it as the owner of the existing cluster or, without one, as the user `nobody`. If this user
 * cannot access the programs or the data, there are two further attempts: with a capability that ignores file
 * permissions, and as root in a user namespace in which root looks like that user. Rejects if no attempt works.
 */
export async function chooseAccount(folder: DataFolder, binaries: Binaries): Promise<Account> {
  if (process.getuid?.() !== 0) {
    return { owner: undefined, command: (file, args) => ({ file, args }) };
  }
  const owner = await ownerOfCluster(folder);
  const inaccessible =
    (await findInaccessible(binaries.postgres, owner)) ?? (await findInaccessible(folder.root, owner));
  const attempts: Account[] = [
    ...(inaccessible === undefined ? [asUser(owner)] : []),
    asUserWithCapability(owner, 'dac_read_search'),
    asUserWithCapability(owner, 'dac_override'),
    asRootInDisguise(owner),
  ];
  let reason = '';
  for (const account of attempts) {
    // Start the program through a shell, as PostgreSQL's programs start each other: setpriv itself still has all
    // permissions, the programs that it starts do not.
    const probe = account.command('/bin/sh', ['-c', 'exec "$0" --version', binaries.postgres]);
    const { ok, ending, output } = await run(probe, binaries.postgres);
    if (ok) return account;
    reason ||= output.trim() || ending;
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the user with uid ${owner.uid} cannot run it, ` +
      (inaccessible === undefined
        ? `${reason}: `
        : `${inaccessible} is not accessible: allow access (chmod o+rx), `) +
      'start LinguaLoop as a user other than root, or set DATABASE_URL to your own PostgreSQL.',
  );
}

async function ownerOfCluster(folder: DataFolder): Promise<Owner> {
  const { uid, gid } = await stat(folder.cluster).catch(() => nobody);
  return uid === 0 ? nobody : { uid, gid };
}

/**
 * Returns the first directory, among the path and its parents, that the user cannot enter, or the file itself if the
 * user cannot execute it. Undefined if everything is accessible.
 */
async function findInaccessible(path: string, owner: Owner): Promise<string | undefined> {
  for (let current = path; ; current = dirname(current)) {
    const entry = await stat(current);
    const needed = entry.isDirectory() ? 0o1 : 0o5;
    const shift = entry.uid === owner.uid ? 6 : entry.gid === owner.gid ? 3 : 0;
    if (((entry.mode >> shift) & needed) !== needed) return current;
    if (current === dirname(current)) return undefined;
  }
}

function asUser(owner: Owner): Account {
  return { owner, command: (file, args) => ({ file, args, ...owner }) };
}

function asUserWithCapability(owner: Owner, capability: string): Account {
  const prefix = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // PostgreSQL checks its programs with access(2), which ignores capabilities unless this bit is set.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
  return { owner, command: (program, args) => ({ file: 'setpriv', args: [...prefix, program, ...args] }) };
}

function asRootInDisguise(shown: Owner): Account {
  const prefix = ['--user', `--map-user=${shown.uid}`, `--map-group=${shown.gid}`, '--'];
  return {
    owner: { uid: 0, gid: 0 },
    command: (program, args) => ({ file: 'unshare', args: [...prefix, program, ...args] }),
  };
}

/**
 * Changes the owner of a cluster to the user that PostgreSQL will run as. Only root can do this, and only while the
 * server is stopped.
 */
export async function giveCluster(folder: DataFolder, owner: Owner): Promise<void> {
  if ((await stat(folder.cluster)).uid === owner.uid) return;
  for (const name of await readdir(folder.cluster, { recursive: true })) {
    await lchown(join(folder.cluster, name), owner.uid, owner.gid);
  }
  // Change this folder last: if it has the new owner, all its files have it, too.
  await lchown(folder.cluster, owner.uid, owner.gid);
}

/** A program with its arguments and, if root starts it, the user to run it as. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** How a command ended. */
export interface Outcome {
  readonly ok: boolean;
  /** "exit code 1", "signal SIGKILL", or the reason why the program could not be started. */
  readonly ending: string;
  /** The last 16 KB of standard output and standard error. */
  readonly output: string;
}

/** Returns the spawn options for a PostgreSQL program. It inherits nothing from this process's environment. */
export function spawnOptions(command: Command, program: string) {
  return {
    // Not the current folder: that may have been deleted, or be inaccessible to the user that PostgreSQL runs as.
    cwd: dirname(program),
    env: childEnvironment(),
    windowsHide: true,
    ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.gid }),
  };
}

/** The complete environment of a child process. */
export function childEnvironment(): NodeJS.ProcessEnv {
  // On Windows, Node adds PATH and the other variables that programs need to start.
  if (process.platform === 'win32') return { LC_ALL: 'C', TZ: 'UTC' };
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a command to its end with `input` on its standard input. Never rejects. */
export function run(command: Command, program: string, input = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command.file, command.args, {
      ...spawnOptions(command, program),
      // Runs in a separate session, because Ctrl-C is meant for this process, which waits for the child.
      detached: true,
      stdio: 'pipe',
    });
    let output = '';
    const collect = (chunk: string) => {
      output = (output + chunk).slice(-16_384);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    // Ignore a broken pipe: it means that the program has ended before it read its input, and its exit code shows the
    // reason.
    child.stdin.on('error', () => {}).end(input);
    child.on('error', (error) => resolve({ ok: false, ending: error.message, output }));
    child.on('close', (code, signal) =>
      resolve({ ok: code === 0, ending: signal ? `signal ${signal}` : `exit code ${code}`, output }),
    );
  });
}
