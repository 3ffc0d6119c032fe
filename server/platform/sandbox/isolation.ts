import { execFile } from 'node:child_process';
import { access, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type ChildPrograms, findRootPrograms, minimalRoot } from './minimal-root.ts';

/**
 * How the kernel isolates a child process, from strongest to weakest. Node's permissions and the disabled modules of
 * `child.ts` apply at each level. docs/security.md has a table with the access that remains at each level for code
 * that breaks out of Node's restrictions.
 *
 * - `namespaces`: user, mount, process and network namespaces: the child has access only to its code and itself, and
 *   to no device;
 * - `network`: a network namespace without any device;
 * - `seccomp`: a seccomp filter that blocks sockets;
 * - `node`: the system has or allows none of these.
 */
export type IsolationLevel = 'namespaces' | 'network' | 'seccomp' | 'node';

/** How a child process is isolated. */
export interface Isolation {
  level: IsolationLevel;
  /** Whether the child is started by a wrapper process and has its process id in a separate namespace. */
  nested: boolean;
  /** Returns the first part of the command line that starts a child, including Node. */
  command(programs: ChildPrograms): readonly string[];
}

/** The strength of each level; a higher number is stronger. */
const strength: Record<IsolationLevel, number> = { namespaces: 3, network: 2, seccomp: 1, node: 0 };

interface Candidate {
  isolation: Isolation;
  /** Arguments for Node to run a test of this isolation. */
  probe: readonly string[];
  /** Checks the output of the test. True if the isolation works. */
  holds(printed: string): Promise<boolean>;
}

const isOtherNamespace = async (printed: string): Promise<boolean> =>
  /^net:\[\d+\]\s*$/.test(printed) && printed.trim() !== (await readlink('/proc/self/ns/net'));

const hasOneMoreFilter = async (printed: string): Promise<boolean> =>
  filters(printed) === filters(await readFile('/proc/self/status', 'utf8')) + 1;

const filters = (status: string): number => Number(/^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1]);

/**
 * Prints what a child must not find in the minimal root: system directories, network devices, and a parent process
 * outside of the namespace.
 */
const rootProbe = `const seen = require('node:fs').readdirSync('/').filter((name) => /^(etc|home|proc|root|tmp|usr|var)$/.test(name));
console.log(JSON.stringify([...seen, ...Object.keys(require('node:os').networkInterfaces())]), process.ppid);`;

/** System calls that access the network, or with which code could avoid a filter of other system calls. */
const blockedCalls = ['socket', 'connect', 'bind', 'listen', 'io_uring_setup'];

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
  #onChange: ((isolation: Isolation) => void) | undefined;

  constructor(find: () => Promise<FoundIsolation> = findIsolation) {
    this.#detect = find;
  }

  /** Returns the current isolation. The first call detects it. */
  get(): Promise<Isolation> {
    this.#current ??= this.#detect();
    return this.#current;
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
      if (incomplete || found.level === was.level) return incomplete ? was : found;
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

export interface IsolationSearch {
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
  const prefix = process.platform === 'linux' ? await findPrefix(directories) : [];
  if (process.platform === 'linux')
    for await (const { isolation, probe, holds } of candidates(directories, prefix)) {
      if (strength[isolation.level] > strength[strongest]) continue;
      try {
        if (await holds(await output([...isolation.command(probePrograms), ...probe])))
          return { ...isolation, incomplete };
      } catch (error) {
        if (isShortage(error)) incomplete = true;
      }
    }
  return { level: 'node', nested: false, command: ({ node }) => [...prefix, node], incomplete };
}

const probePrograms: ChildPrograms = { node: process.execPath, readable: [] };

/** Yields the isolations that this system might allow, the strongest first. */
async function* candidates(
  directories: readonly string[],
  prefix: readonly string[],
): AsyncGenerator<Candidate, void> {
  const [unshare, enosys] = await Promise.all(
    ['unshare', 'enosys'].map((name) => findProgram(name, directories)),
  );
  const root = unshare && (await findRootPrograms((name) => findProgram(name, directories)));
  if (root) {
    const command = (programs: ChildPrograms) => minimalRoot({ ...root, unshare, prefix }, programs);
    yield {
      isolation: { level: 'namespaces', nested: true, command },
      probe: ['--eval', rootProbe],
      holds: async (printed) => printed.trim() === '[] 1',
    };
  }
  if (unshare)
    for (const mapping of ['--map-current-user', '--map-root-user'])
      yield viaPrograms('network', [...prefix, unshare, '--user', mapping, '--net', '--'], {
        probe: "console.log(require('node:fs').readlinkSync('/proc/self/ns/net'))",
        holds: isOtherNamespace,
      });
  if (enosys)
    yield viaPrograms('seccomp', [...prefix, enosys, ...blockedCalls.flatMap((call) => ['-s', call]), '--'], {
      probe: "console.log(require('node:fs').readFileSync('/proc/self/status', 'utf8'))",
      holds: hasOneMoreFilter,
    });
}

function viaPrograms(
  level: IsolationLevel,
  programs: readonly string[],
  { probe, holds }: { probe: string; holds: Candidate['holds'] },
): Candidate {
  const command = ({ node }: ChildPrograms) => [...programs, node];
  return { isolation: { level, nested: false, command }, probe: ['--eval', probe], holds };
}

/**
 * Returns the start of a command line with a wrapper program for all commands, if the system has that program. It
 * keeps programs from gaining privileges that this process does not have. It also ends the child when the service
 * ends, even if the child is busy.
 */
async function findPrefix(directories: readonly string[]): Promise<string[]> {
  const setpriv = await findProgram('setpriv', directories);
  if (setpriv === undefined) return [];
  const prefix = [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', '--'];
  return (await output([...prefix, setpriv, '--version']).catch(() => undefined)) === undefined ? [] : prefix;
}

async function output([program, ...args]: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program!, args, { timeout: 5000, env: {} });
  return stdout;
}

/**
 * Whether a program failed because of a lack of processes, memory, file descriptors or time. Any other failure means
 * that this system does not permit the program.
 */
function isShortage(error: unknown): boolean {
  const { code, killed, stderr = '' } = error as { code?: unknown; killed?: boolean; stderr?: string };
  return (
    killed === true ||
    typeof code === 'string' ||
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
