import { execFile } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The program of Node, and the files and directories that a child may read; all are absolute paths. */
export interface ChildPrograms {
  node: string;
  readable: readonly string[];
}

/** The system's programs that create a minimal root, and the libraries to which Node and `setpriv` are linked. */
export interface RootPrograms {
  sh: string;
  mount: string;
  mkdir: string;
  chroot: string;
  setpriv: string;
  libraries: readonly string[];
}

/** A user and group, by their numeric ids. */
export interface User {
  uid: number;
  gid: number;
}

/**
 * Directories on which the new root can be mounted: the first one that contains nothing that a child needs. Only the
 * child sees the mount.
 */
const mountPoints = ['/mnt', '/srv', '/opt', '/home', '/tmp', '/sys'];

/** The directory of the new root that contains what is not at its place in the system's root. */
const programs = '/.lingualoop';

/** The package.json of the service. Imports that begin with # need it. */
const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** Finds the programs. Returns undefined if a program or the list of libraries is missing. */
export async function findRootPrograms(
  find: (name: string) => Promise<string | undefined>,
): Promise<RootPrograms | undefined> {
  const names = ['sh', 'mount', 'mkdir', 'chroot', 'setpriv'];
  const [sh, mount, mkdir, chroot, setpriv] = await Promise.all(names.map(find));
  if (!(sh && mount && mkdir && chroot && setpriv)) return undefined;
  try {
    const linked = await Promise.all([process.execPath, setpriv].map(librariesOf));
    const libraries = [...new Set(linked.flat())];
    return libraries.length === 0 ? undefined : { sh, mount, mkdir, chroot, setpriv, libraries };
  } catch {
    return undefined;
  }
}

/** If this variable is set, the loader of glibc and musl lists the libraries of the program and does not run it. */
async function librariesOf(program: string): Promise<string[]> {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = await promisify(execFile)(program, [], { env, timeout: 30_000 });
  return [...stdout.matchAll(/(?:=>\s*|^\s*)(\/.+?)(?: \(0x[0-9a-f]+\))?$/gm)].map(([, path]) => path!);
}

/** Returns all files and directories with contents in the new root, as absolute paths in it. */
export function pathsInRoot(root: RootPrograms, readable: readonly string[]): string[] {
  const own = bindsOf(root, { node: process.execPath, readable }).map(({ target }) => target);
  return [...own, `${programs}/mounts`];
}

/**
 * Returns the start of a command line that runs Node in namespaces, in a read-only root that contains only Node and
 * the readable files. The new root has no /proc, no devices and no writable directory.
 *
 * Without `user`, it needs no root privileges, because it creates a user namespace. With `user`, it needs those of
 * root: the namespaces belong to the system's root, and Node runs as that user, who then need not have access to the
 * directories that lead to the files.
 *
 * Node is not the first process of its namespace, but a child of a shell: V8 calls `abort` when its heap is full, and
 * `abort` cannot end the first process of a namespace.
 */
export function minimalRoot(
  root: RootPrograms & { unshare: string; prefix: readonly string[]; user?: User | undefined },
  children: ChildPrograms,
): string[] {
  const { sh, mount, mkdir, chroot, unshare, prefix, user } = root;
  const binds = bindsOf(root, children);
  const mountPoint = mountPoints.find(
    (path) => existsSync(path) && !binds.some(({ source }) => `${source}/`.startsWith(`${path}/`)),
  );
  if (mountPoint === undefined) throw new Error('no directory is free for the root of a file reader');
  const directories = new Set([
    programs,
    ...binds.map(({ target, isDirectory }) => (isDirectory ? target : dirname(target))),
  ]);
  const table = `.${programs}/mounts`;
  const script = [
    'set -e',
    // The user of the child enters the directories that this script creates.
    'umask 022',
    `${mount} -t tmpfs -o mode=755,size=1m,nosuid,nodev,noexec none ${mountPoint}`,
    `cd ${mountPoint}`,
    `${mkdir} -p ${[...directories].map((directory) => quoted(`.${directory}`)).join(' ')}`,
    ...binds.flatMap(({ target, isDirectory }) => (isDirectory ? [] : [`: > ${quoted(`.${target}`)}`])),
    `printf '%s\\n' ${binds.map((one) => quoted(mountLine(one, mountPoint))).join(' ')} > ${table}`,
    `${mount} --all --fstab ${table}`,
    `: > ${table}`,
    `${mount} -o remount,ro,mode=755,size=1m,nosuid,nodev,noexec none ${mountPoint}`,
    'cd /',
    // The shell itself has set these two variables. The environment has no others.
    'unset PWD OLDPWD',
    [
      ...[chroot, mountPoint, `${programs}/setpriv`],
      ...(user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []),
      ...['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'],
      `${programs}/node "$@" || exit $?`,
    ].join(' '),
  ].join('\n');
  return [
    // Ignore the signals of a terminal: they are meant for the service.
    ...[sh, '-c', `trap '' HUP INT TERM; exec "$@"`, 'sh'],
    ...prefix,
    ...[
      unshare,
      ...(user ? [] : ['--user', '--map-root-user']),
      '--mount',
      '--pid',
      '--net',
      '--ipc',
      '--uts',
    ],
    ...['--fork', '--kill-child', '--'],
    ...[sh, '-c', script, 'sh'],
  ];
}

interface Bind {
  source: string;
  target: string;
  isDirectory: boolean;
  /** Whether programs and libraries may be loaded from it. */
  executable: boolean;
}

function bindsOf({ libraries, setpriv }: RootPrograms, { node, readable }: ChildPrograms): Bind[] {
  const bind = (path: string, target: string, executable: boolean): Bind => {
    const source = realpathSync(path);
    return { source, target, isDirectory: statSync(source).isDirectory(), executable };
  };
  return [
    ...outermost([...readable, packageFile]).map((path) => bind(path, path, false)),
    ...libraries.map((path) => bind(path, path, true)),
    bind(setpriv, `${programs}/setpriv`, true),
    bind(node, `${programs}/node`, true),
  ];
}

/** Returns the line of a mount table. */
function mountLine({ source, target, executable }: Bind, mountPoint: string): string {
  const options = `bind,ro,nosuid,nodev${executable ? '' : ',noexec'}`;
  return [source, `${mountPoint}${target}`, 'none', options, '0', '0'].map(escaped).join(' ');
}

/** Removes paths that are inside of another path in the list. */
function outermost(paths: readonly string[]): string[] {
  const trimmed = [...new Set(paths.map((path) => (path.endsWith(sep) ? path.slice(0, -1) : path)))];
  return trimmed.filter((path) => !trimmed.some((other) => path.startsWith(`${other}${sep}`)));
}

/** Escapes what separates the fields and lines of the table. Other white space is part of a field. */
function escaped(field: string): string {
  return field.replace(/[ \t\n\r\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
