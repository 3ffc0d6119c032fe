/**
 * The program that tests an isolation. It runs like a child, from the directory that children may read, and without
 * Node's restrictions, and prints what it sees. Its argument is a list of paths that belong to a child.
 */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The view that a process has of the system. */
export interface Seen {
  /** The id of the parent process. */
  parent: number;
  /** The user, as the process sees it. */
  user: number | undefined;
  interfaces: string[];
  /** Files and directories that do not belong to a child: at most `maxForeign` of them. */
  foreign: string[];
  /** Files and directories of a child that cannot be read. */
  unreadable: string[];
}

/** The first ones prove that the root is not minimal. */
const maxForeign = 5;

/**
 * Files that exist on nearly every system. They are also tried by name, because a directory may allow access to its
 * files without a list of them.
 */
const knownFiles = [
  '/etc/passwd',
  '/etc/hostname',
  '/etc/shadow',
  '/proc/self/status',
  '/proc/1/environ',
  '/dev/null',
  '/dev/shm',
  '/tmp',
  '/root',
];

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const canRead = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.R_OK);
    return true;
  }) ?? false;

/** Lists what is neither one of these paths, nor inside of one, nor a directory that leads to one. */
function foreignPaths(own: readonly string[]): string[] {
  const leadsToOwn = (path: string): boolean => own.some((other) => other.startsWith(`${path}/`));
  const isOwn = (path: string): boolean =>
    own.some((other) => path === other || path.startsWith(`${other}/`));
  const found = knownFiles.filter((path) => !isOwn(path) && !leadsToOwn(path) && existsSync(path));
  const search = (directory: string): void => {
    for (const entry of attempt(() => readdirSync(directory, { withFileTypes: true })) ?? []) {
      if (found.length >= maxForeign) return;
      const path = `${directory === '/' ? '' : directory}/${entry.name}`;
      if (isOwn(path)) continue;
      if (entry.isDirectory() && leadsToOwn(path)) search(path);
      else found.push(path);
    }
  };
  search('/');
  return found;
}

function look(own: readonly string[]): Seen {
  return {
    parent: process.ppid,
    user: process.getuid?.(),
    interfaces: Object.keys(networkInterfaces()),
    foreign: foreignPaths(own),
    unreadable: own.filter((path) => !canRead(path)),
  };
}

const [, program, given] = process.argv;
if (given !== undefined && program === fileURLToPath(import.meta.url))
  process.stdout.write(JSON.stringify(look(JSON.parse(given))));
