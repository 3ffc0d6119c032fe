import { execFile } from 'node:child_process';
import { access, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What keeps the network from a child process, by the kernel's doing. */
export interface NetworkBarrier {
  /**
   * - `namespace`: a network namespace of its own, with no device in it;
   * - `seccomp`: a filter that knows no sockets;
   * - `none`: the system has or allows neither. What Node's own modules offer is closed all the same.
   */
  by: 'namespace' | 'seccomp' | 'none';
  /** What a child's command line begins with. */
  command: readonly string[];
}

const none: NetworkBarrier = { by: 'none', command: [] };

interface Candidate extends NetworkBarrier {
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

let found: Promise<NetworkBarrier> | undefined;

/** What this system has and allows: tried once. */
export function networkBarrier(): Promise<NetworkBarrier> {
  found ??= findNetworkBarrier();
  return found;
}

/** The same, tried anew. @param searched folders of programs */
export async function findNetworkBarrier(searched: readonly string[] = folders): Promise<NetworkBarrier> {
  if (process.platform !== 'linux') return none;
  for (const { by, command, probe, holds } of candidates) {
    const program = await findProgram(command[0]!, searched);
    if (program === undefined) continue;
    const resolved = [program, ...command.slice(1)];
    try {
      const [file, ...args] = [...resolved, ...probe];
      const { stdout } = await promisify(execFile)(file!, args, { timeout: 5000 });
      if (await holds(stdout)) return { by, command: resolved };
    } catch {
      // Not permitted here: a container's policy, a kernel without it.
    }
  }
  return none;
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
