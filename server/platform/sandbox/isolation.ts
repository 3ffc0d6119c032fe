import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SettingsError } from '#server/settings.ts';
import {
  type ChildPrograms,
  findRootPrograms,
  minimalRoot,
  pathsInRoot,
  type RootPrograms,
  type User,
} from './minimal-root.ts';
import type { Seen } from './probe.ts';

/**
 * How a child process is isolated. docs/security.md lists the access that remains at each level for code that breaks out
 * of Node's restrictions.
 *
 * - `namespaces`: user, mount, process and network namespaces: the child has access only to its code and itself, and
 *   to no device;
 * - `node`: Node's permissions, the disabled modules of `child.ts`, and limits of memory and time, which also apply at the
 *   other level.
 */
export type IsolationLevel = 'namespaces' | 'node';

/** How a child process is isolated. */
export interface Isolation {
  level: IsolationLevel;
  /** Whether the child is started by a wrapper process and has its process id in a separate namespace. */
  nested: boolean;
  /** Whether the child runs as `reader`, and not as the user of the service. */
  asReader?: boolean;
  /** The user who starts the command; by default, the user of the service. */
  startAs?: User;
  /** Returns the first part of the command line that starts a child, including Node. */
  command(programs: ChildPrograms): readonly string[];
}

/** Whether a level is weaker than another one. */
export const isWeaker = (level: IsolationLevel, than: IsolationLevel): boolean =>
  level === 'node' && than === 'namespaces';

/**
 * The user of file readers if the service runs as root. No account should have this ID. It is another
 * user than that of the embedded PostgreSQL, and can read what everyone may read.
 */
export const reader: User = { uid: 65_533, gid: 65_533 };

/** The code of the tasks and of the child, as absolute paths. A child may read no other files, except those in its options. */
export const ownCode = [
  '.',
  '../../formats/',
  '../../matching/',
  '../../languages.ts',
  '../../../node_modules/',
].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const probeProgram = fileURLToPath(new URL('./probe.ts', import.meta.url));

interface Candidate {
  isolation: Isolation;
  /** The paths that belong to a child. */
  own: readonly string[];
  /** Whether the isolation works, by what a process sees that runs in it. */
  holds(seen: Seen): boolean;
}

/** Whether a process sees only its own files, no network device, and no process outside of its namespace. */
const isAlone = ({ foreign, interfaces, parent }: Seen): boolean =>
  foreign.length === 0 && interfaces.length === 0 && parent === 1;

/**
 * The directories of the system's programs. PATH is not used, because it could lead to a different program of the
 * same name.
 */
const systemDirectories = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** The isolation that works at the moment. It is detected once, and again after a process has failed to start. */
export class CurrentIsolation {
  readonly #detect: () => Promise<FoundIsolation>;
  #current: Promise<Isolation> | undefined;
  #detecting = false;
  #minimum: IsolationLevel = 'node';
  #onChange: ((isolation: Isolation) => void) | undefined;

  constructor(find: () => Promise<FoundIsolation> = findIsolation) {
    this.#detect = find;
  }

  /** Returns the current isolation. The first call detects it. */
  get(): Promise<Isolation> {
    this.#current ??= this.#detect();
    return this.#current;
  }

  /**
   * Rejects isolation below a level, now and after each detection: no child starts then.
   * @throws SettingsError if the system does not reach the level
   */
  async require(minimum: IsolationLevel): Promise<void> {
    this.#minimum = minimum;
    const { level } = await this.get();
    if (isWeaker(level, minimum))
      throw new SettingsError(
        `SANDBOX_MINIMUM: this system isolates file readers only at level "${level}", and "${minimum}" is required: npm run doctor prints what raises the level`,
      );
  }

  /** Calls `onChange` with the current isolation, and again after each change. */
  async follow(onChange: (isolation: Isolation) => void): Promise<void> {
    this.#onChange = onChange;
    onChange(await this.get());
  }

  /**
   * Detects the isolation again, after a process has failed to start: the system may now forbid something that it
   * allowed before. `get` waits for the result. A detection that fails because of a lack of resources changes
   * nothing.
   */
  redetect(): void {
    if (this.#detecting) return;
    this.#detecting = true;
    this.#current = this.#redetected(this.get());
  }

  async #redetected(previous: Promise<Isolation>): Promise<Isolation> {
    try {
      const [was, { incomplete, ...found }] = await Promise.all([previous, this.#detect()]);
      if (incomplete || isWeaker(found.level, this.#minimum)) return was;
      if (found.level === was.level) return found;
      this.#onChange?.(found);
      return found;
    } finally {
      this.#detecting = false;
    }
  }
}

/** The isolation on the system of this process. */
export const systemIsolation = new CurrentIsolation();

export interface FoundIsolation extends Isolation {
  /** Whether a stronger level could not be tested because of a lack of processes, file descriptors or time. */
  incomplete: boolean;
}

interface IsolationSearch {
  /** Directories in which programs are searched for. */
  directories?: readonly string[];
  /** The strongest level to test. */
  strongest?: IsolationLevel;
}

/** Tests which isolation this system has and allows, beginning with the strongest level. */
export async function findIsolation({
  directories = systemDirectories,
  strongest = 'namespaces',
}: IsolationSearch = {}): Promise<FoundIsolation> {
  let incomplete = false;
  let last: Isolation | undefined;
  for await (const { isolation, own, holds } of candidates(directories)) {
    if (isWeaker(strongest, isolation.level)) continue;
    last = isolation;
    try {
      const seen = await probe(isolation, own);
      if (seen.unreadable.length === 0 && holds(seen)) return { ...isolation, incomplete };
    } catch (error) {
      if (isShortage(error)) incomplete = true;
    }
  }
  // The level `node` needs nothing, so its test can only fail because of a shortage.
  return { ...last!, incomplete };
}

async function probe({ command, startAs }: Isolation, own: readonly string[]): Promise<Seen> {
  const programs: ChildPrograms = { node: process.execPath, readable: ownCode };
  return JSON.parse(await output([...command(programs), probeProgram, JSON.stringify(own)], startAs)) as Seen;
}

/**
 * Yields the isolations that this system might allow, the strongest first. If this process may change its user, a
 * child runs as `reader`, or as the service if the reader cannot read the code.
 */
async function* candidates(directories: readonly string[]): AsyncGenerator<Candidate, void> {
  const isLinux = process.platform === 'linux';
  const find = async (name: string) => (isLinux ? findProgram(name, directories) : undefined);
  const [unshare, setpriv] = await Promise.all(['unshare', 'setpriv'].map(find));
  const [prefix, root, mayChange] = await Promise.all([
    findPrefix(setpriv),
    unshare ? findRootPrograms(find) : undefined,
    mayChangeUser(),
  ]);
  const users: Pick<Isolation, 'asReader' | 'startAs'>[] = [
    ...(mayChange ? [{ asReader: true, startAs: reader }] : []),
    {},
  ];
  if (unshare && root) {
    if (mayChange) yield inMinimalRoot({ ...root, unshare, prefix, user: reader }, { asReader: true });
    for (const user of users) yield inMinimalRoot({ ...root, unshare, prefix }, user);
  }
  // A child that runs as root has no capabilities.
  const asRoot =
    process.geteuid?.() === 0 ? await findPrefix(setpriv, ['--bounding-set=-all', '--inh-caps=-all']) : [];
  for (const user of users) {
    const start = user.asReader || asRoot.length === 0 ? prefix : asRoot;
    const command = ({ node }: ChildPrograms) => [...start, node];
    yield { isolation: { level: 'node', nested: false, command, ...user }, own: ownCode, holds: () => true };
  }
}

function inMinimalRoot(
  root: RootPrograms & { unshare: string; prefix: readonly string[]; user?: User },
  user: Pick<Isolation, 'asReader' | 'startAs'>,
): Candidate {
  return {
    isolation: {
      ...{ level: 'namespaces', nested: true, ...user },
      command: (programs) => minimalRoot(root, programs),
    },
    own: pathsInRoot(root, ownCode),
    holds: (seen) => isAlone(seen) && (root.user === undefined || seen.user === root.user.uid),
  };
}

/** Whether this process is root, and may start processes of another user and end them: a container may forbid that. */
async function mayChangeUser(): Promise<boolean> {
  if (process.geteuid?.() !== 0) return false;
  if (process.platform !== 'linux') return true;
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  // CAP_KILL, CAP_SETGID and CAP_SETUID.
  return [5n, 6n, 7n].every((bit) => ((effective >> bit) & 1n) === 1n);
}

/**
 * Returns the start of a command line with the wrapper program `setpriv`, if the system has it and it can do this. It
 * keeps programs from gaining privileges that this process does not have. It also ends the child when the service
 * ends, even if the child is busy.
 */
async function findPrefix(setpriv: string | undefined, more: readonly string[] = []): Promise<string[]> {
  if (setpriv === undefined) return [];
  const prefix = [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', ...more, '--'];
  return (await output([...prefix, setpriv, '--version']).catch(() => undefined)) === undefined ? [] : prefix;
}

async function output([program, ...args]: readonly string[], user?: User): Promise<string> {
  const { stdout } = await promisify(execFile)(program!, args, { timeout: 30_000, env: {}, ...user });
  return stdout;
}

/** The errors of a program that may not be started, or not as another user. */
const forbidden = ['EACCES', 'EINVAL', 'ENOENT', 'EPERM'];

/**
 * Whether a program failed because of a lack of processes, memory, file descriptors or time. Any other failure means
 * that this system does not permit the program.
 */
function isShortage(error: unknown): boolean {
  const { code, killed, stderr = '' } = error as { code?: unknown; killed?: boolean; stderr?: string };
  return (
    killed === true ||
    (typeof code === 'string' && !forbidden.includes(code)) ||
    /fork|temporarily unavailable|cannot allocate|too many open/i.test(stderr)
  );
}

async function findProgram(name: string, directories: readonly string[]): Promise<string | undefined> {
  for (const directory of directories) {
    const path = `${directory}/${name}`;
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

const files = ['read a file', 'write a file', 'run a program'];
const memory = ['read the environment of the service', 'reopen a file that the service has open'];
const signal = 'send the service a signal';

const withoutNamespaces = [...files, ...['connect to a Unix socket', 'connect by TCP'], ...memory, signal];

/**
 * What code can still do after it has broken out of Node's restrictions, for which it needs a bug in Node or V8. The
 * permissions of the child's user still limit the code. If that is not the user of the service, the processes of the
 * service are closed to it. docs/security.md has the same table.
 */
export function remainingAccess({
  level,
  asReader = false,
}: Pick<Isolation, 'level' | 'asReader'>): readonly string[] {
  if (level === 'namespaces') return [];
  return withoutNamespaces.filter((access) => !asReader || (access !== signal && !memory.includes(access)));
}
