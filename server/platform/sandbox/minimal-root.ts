import { execFile } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
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

/**
 * The mount point of the new root. This directory exists on every Linux and contains no file that a child needs. Only
 * the child sees the mount.
 */
const mountPoint = '/sys';

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
  const { stdout } = await promisify(execFile)(program, [], { env, timeout: 5000 });
  return [...stdout.matchAll(/(?:=>\s*|^\s*)(\/\S+)/gm)].map(([, path]) => path!);
}

/**
 * Returns the start of a command line that runs Node in namespaces, in a read-only root that contains only Node and
 * the readable files. The new root has no /proc, no devices and no writable directory. It needs no root privileges.
 *
 * Node is not the first process of its namespace, but a child of a shell: V8 calls `abort` when its heap is full, and
 * `abort` cannot end the first process of a namespace.
 */
export function minimalRoot(
  {
    sh,
    mount,
    mkdir,
    chroot,
    setpriv,
    libraries,
    unshare,
    prefix,
  }: RootPrograms & {
    unshare: string;
    prefix: readonly string[];
  },
  { node, readable }: ChildPrograms,
): string[] {
  const binds = [
    ...outermost([...readable, packageFile]).map((path) => bind(path, path, ',noexec')),
    ...libraries.map((path) => bind(path, path, '')),
    bind(setpriv, '/setpriv', ''),
    bind(node, '/node', ''),
  ];
  const directories = new Set(
    binds.map(({ target, isDirectory }) => (isDirectory ? target : dirname(target))),
  );
  const script = [
    'set -e',
    `${mount} -t tmpfs -o mode=755,size=1m,nosuid,nodev,noexec none ${mountPoint}`,
    `cd ${mountPoint}`,
    `${mkdir} -p ${[...directories].map((directory) => quoted(`.${directory}`)).join(' ')}`,
    ...binds.flatMap(({ target, isDirectory }) => (isDirectory ? [] : [`: > ${quoted(`.${target}`)}`])),
    `printf '%s\\n' ${binds.map(({ line }) => quoted(line)).join(' ')} > .mounts`,
    `${mount} --all --fstab .mounts`,
    ': > .mounts',
    `${mount} -o remount,ro,mode=755,size=1m,nosuid,nodev,noexec none ${mountPoint}`,
    'cd /',
    // The shell itself has set these two variables. The environment has no others.
    'unset PWD OLDPWD',
    `${chroot} ${mountPoint} /setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- /node "$@" || exit $?`,
  ].join('\n');
  return [
    // Ignore the signals of a terminal: they are meant for the service.
    ...[sh, '-c', `trap '' HUP INT TERM; exec "$@"`, 'sh'],
    ...prefix,
    ...[unshare, '--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts'],
    ...['--fork', '--kill-child', '--'],
    ...[sh, '-c', script, 'sh'],
  ];
}

interface Bind {
  target: string;
  isDirectory: boolean;
  /** The line of this mount in a mount table. */
  line: string;
}

function bind(path: string, target: string, more: string): Bind {
  const source = realpathSync(path);
  const fields = [source, `${mountPoint}${target}`, 'none', `bind,ro,nosuid,nodev${more}`, '0', '0'];
  return { target, isDirectory: statSync(source).isDirectory(), line: fields.map(escaped).join(' ') };
}

/** Removes paths that are inside of another path in the list. */
function outermost(paths: readonly string[]): string[] {
  const trimmed = [...new Set(paths.map((path) => (path.endsWith(sep) ? path.slice(0, -1) : path)))];
  return trimmed.filter((path) => !trimmed.some((other) => path.startsWith(`${other}${sep}`)));
}

/** Escapes white space in a field, because white space separates the fields of the table. */
function escaped(field: string): string {
  return field.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
