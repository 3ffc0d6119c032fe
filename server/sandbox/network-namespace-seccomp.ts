import { execFile } from 'node:child_process';
import { access, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** How the kernel keeps a child process off the network. */
export interface NetworkIsolation {
  /**
   * - `namespace`: a network namespace of its own, without any device;
   * - `seccomp`: a seccomp filter that refuses sockets;
   * - `none`: the system has or allows neither. Node's own network functions are disabled all the same.
   */
  by: 'namespace' | 'seccomp' | 'none';
  /** The beginning of a child's command line. */
  command: readonly string[];
}

const none: NetworkIsolation = { by: 'none', command: [] };

interface Candidate extends NetworkIsolation {
  /** A command to run in it, to check that it works. */
  probe: readonly string[];
  /** Whether the probe's output shows that it works. */
  holds(printed: string): Promise<boolean>;
}

const isOtherNamespace = async (printed: string): Promise<boolean> =>
  /^net:\[\d+\]\s*$/.test(printed) && printed.trim() !== (await readlink('/proc/self/ns/net'));

const hasOneFilterMore = async (printed: string): Promise<boolean> =>
  filters(printed) === filters(await readFile('/proc/self/status', 'utf8')) + 1;

const filters = (status: string): number => Number(/^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1]);

/** System calls that reach the network, or bypass a filter of the others. */
const filtered = ['socket', 'connect', 'bind', 'listen', 'io_uring_setup'];

/** Programs of util-linux, in the order of preference. None of them needs root. */
const candidates: readonly Candidate[] = [
  ...['--map-current-user', '--map-root-user'].map(
    (mapping): Candidate => ({
      by: 'namespace',
      command: ['unshare', '--user', mapping, '--net', '--'],
      probe: ['readlink', '/proc/self/ns/net'],
      holds: isOtherNamespace,
    }),
  ),
  {
    by: 'seccomp',
    command: ['enosys', ...filtered.flatMap((call) => ['-s', call]), '--'],
    probe: ['cat', '/proc/self/status'],
    holds: hasOneFilterMore,
  },
];

/** Where the system's programs are. PATH is ignored: it could name another program. */
const folders = ['/usr/bin', '/bin', '/usr/local/bin'];

/** The isolation that works now: detected once, and again when a process did not start. */
export class CurrentIsolation {
  readonly #find: () => Promise<FoundIsolation>;
  #current: Promise<NetworkIsolation> | undefined;
  #searching = false;
  #onChange: ((isolation: NetworkIsolation) => void) | undefined;

  constructor(find: () => Promise<FoundIsolation> = findNetworkIsolation) {
    this.#find = find;
  }

  /** Detected at the first call. */
  get(): Promise<NetworkIsolation> {
    this.#current ??= this.#find();
    return this.#current;
  }

  /** Calls `onChange` with the current isolation, and whenever it changes. */
  async follow(onChange: (isolation: NetworkIsolation) => void): Promise<void> {
    this.#onChange = onChange;
    onChange(await this.get());
  }

  /**
   * Detects it again, because a process did not start: the system may now forbid what it allowed before. `get` waits for the
   * result. A detection that lacked processes itself changes nothing.
   */
  renew(): void {
    if (this.#searching) return;
    this.#searching = true;
    this.#current = this.#renewed(this.get());
  }

  async #renewed(before: Promise<NetworkIsolation>): Promise<NetworkIsolation> {
    try {
      const [was, { untried, ...found }] = await Promise.all([before, this.#find()]);
      if (untried || found.command.join(' ') === was.command.join(' ')) return was;
      this.#onChange?.(found);
      return found;
    } finally {
      this.#searching = false;
    }
  }
}

/** The isolation of this process's system. */
export const networkIsolation = new CurrentIsolation();

export interface FoundIsolation extends NetworkIsolation {
  /** Whether a preferred one could not be tried, for lack of processes, descriptors or time. */
  untried: boolean;
}

/**
 * Tries what this system has and allows.
 *
 * @param searched folders of programs
 */
export async function findNetworkIsolation(searched: readonly string[] = folders): Promise<FoundIsolation> {
  let untried = false;
  if (process.platform !== 'linux') return { ...none, untried };
  for (const { by, command, probe, holds } of candidates) {
    const program = await findProgram(command[0]!, searched);
    if (program === undefined) continue;
    const resolved = [program, ...command.slice(1)];
    try {
      const [file, ...args] = [...resolved, ...probe];
      const { stdout } = await promisify(execFile)(file!, args, { timeout: 5000 });
      if (await holds(stdout)) return { by, command: resolved, untried };
    } catch (error) {
      // Otherwise it is not permitted here: a container's policy, or a kernel without it.
      const { code, killed } = error as { code?: unknown; killed?: boolean };
      if (killed || typeof code === 'string') untried = true;
    }
  }
  return { ...none, untried };
}

async function findProgram(name: string, searched: readonly string[]): Promise<string | undefined> {
  for (const folder of searched) {
    const path = `${folder}/${name}`;
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
