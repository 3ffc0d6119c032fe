import { execFile } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Node's program, and the files and directories that a child may read, as absolute paths. */
export interface ChildPrograms {
  node: string;
  readable: readonly string[];
}

/** The programs of the system that create a minimal root, and the libraries that Node and `setpriv` are linked to. */
export interface RootPrograms {
  sh: string;
  mount: string;
  mkdir: string;
  chroot: string;
  setpriv: string;
  libraries: readonly string[];
}

/**
 * The mount point of the new root: it exists on every Linux and contains no file of a child. The mount is visible only to the
 * child.
 */
const mountPoint = '/sys';

/** Declares Node's package scope, for imports that begin with #. */
const packageFile = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** Returns undefined if a program or the list of libraries is missing. */
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

/** With this variable, the loader of glibc and musl lists the libraries instead of running the program. */
async function librariesOf(program: string): Promise<string[]> {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = await promisify(execFile)(program, [], { env, timeout: 5000 });
  return [...stdout.matchAll(/(?:=>\s*|^\s*)(\/\S+)/gm)].map(([, path]) => path!);
}

/**
 * Returns the start of a command line that runs Node in namespaces, in a read-only root that contains only Node and the
 * readable files. It has no /proc, no devices and no writable directory. It does not require root privileges.
 *
 * The shell remains the first process of its namespace, because `abort`, which V8 calls when its heap is full, cannot end a
 * first process.
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
    // The shell has set these two; the environment has no other variables.
    'unset PWD OLDPWD',
    `${chroot} ${mountPoint} /setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- /node "$@" || exit $?`,
  ].join('\n');
  return [
    // The signals of a terminal are for the service.
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
  /** Its line in a mount table. */
  line: string;
}

function bind(path: string, target: string, more: string): Bind {
  const source = realpathSync(path);
  const fields = [source, `${mountPoint}${target}`, 'none', `bind,ro,nosuid,nodev${more}`, '0', '0'];
  return { target, isDirectory: statSync(source).isDirectory(), line: fields.map(escaped).join(' ') };
}

/** Removes paths that are inside one of the other directories. */
function outermost(paths: readonly string[]): string[] {
  const trimmed = [...new Set(paths.map((path) => (path.endsWith(sep) ? path.slice(0, -1) : path)))];
  return trimmed.filter((path) => !trimmed.some((other) => path.startsWith(`${other}${sep}`)));
}

/** Escapes white space, which separates the fields of the table. */
function escaped(field: string): string {
  return field.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
