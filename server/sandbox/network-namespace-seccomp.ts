import { execFile } from 'node:child_process';
import { access, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What keeps the network from a child process, by the kernel's doing. */
export interface NetworkIsolation {
  /**
   * - `namespace`: a network namespace of its own, with no device in it;
   * - `seccomp`: a filter that knows no sockets;
   * - `none`: the system has or allows neither. What Node's own modules offer is closed all the same.
   */
  by: 'namespace' | 'seccomp' | 'none';
  /** What a child's command line begins with. */
  command: readonly string[];
}

const none: NetworkIsolation = { by: 'none', command: [] };

interface Candidate extends NetworkIsolation {
  /** Asked behind it, to see that it holds. */
  probe: readonly string[];
  /** Whether what the probe printed shows that it holds. */
  holds(printed: string): Promise<boolean>;
}

const isOtherNamespace = async (printed: string): Promise<boolean> =>
  /^net:\[\d+\]\s*$/.test(printed) && printed.trim() !== (await readlink('/proc/self/ns/net'));

const hasOneFilterMore = async (printed: string): Promise<boolean> =>
  filters(printed) === filters(await readFile('/proc/self/status', 'utf8')) + 1;

const filters = (status: string): number => Number(/^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1]);

/** What would open a way to the network, or past a filter of the rest. */
const filtered = ['socket', 'connect', 'bind', 'listen', 'io_uring_setup'];

/** Of util-linux, in the order of preference. None of them needs root. */
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

/** Where programs of the system are; PATH is not asked what may stand before a child. */
const folders = ['/usr/bin', '/bin', '/usr/local/bin'];

/** What holds now: what was found, until it is to be looked for again. */
export class CurrentIsolation {
  readonly #find: () => Promise<FoundIsolation>;
  #current: Promise<NetworkIsolation> | undefined;
  #searching = false;
  #tell: ((barrier: NetworkIsolation) => void) | undefined;

  constructor(find: () => Promise<FoundIsolation> = findNetworkIsolation) {
    this.#find = find;
  }

  /** Tried once. */
  get(): Promise<NetworkIsolation> {
    this.#current ??= this.#find();
    return this.#current;
  }

  /** Tells what holds, and each time that something else does. */
  async follow(tell: (barrier: NetworkIsolation) => void): Promise<void> {
    this.#tell = tell;
    tell(await this.get());
  }

  /**
   * Looks for it again, because a process behind it did not start: the system may forbid by now what it allowed. Whoever asks next
   * waits for what is found. A search for which processes were wanting, too, changes nothing.
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
      this.#tell?.(found);
      return found;
    } finally {
      this.#searching = false;
    }
  }
}

/** Of this process's system. */
export const networkIsolation = new CurrentIsolation();

export interface FoundIsolation extends NetworkIsolation {
  /** Whether something that stands before it in the order could not be tried, for want of processes, descriptors or time. */
  untried: boolean;
}

/** What this system has and allows, tried. @param searched folders of programs */
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
      // Else it is not permitted here: a container's policy, a kernel without it.
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
