import { execFile } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a child runs, and the files and folders that it may read, as absolute paths. */
export interface ChildPrograms {
  node: string;
  readable: readonly string[];
}

/** The programs of the system that make a minimal root, and the libraries that Node and `setpriv` are linked to. */
export interface RootPrograms {
  sh: string;
  mount: string;
  mkdir: string;
  chroot: string;
  setpriv: string;
  libraries: readonly string[];
}

/** Where the new root is made: every Linux has it, and none of a child's files is in it. Only the child sees it there. */
const place = '/sys';

/** Node's package scopes, for the imports that begin with #. */
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

/** The loader of glibc and musl lists them for this variable, in place of running the program. */
async function librariesOf(program: string): Promise<string[]> {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = await promisify(execFile)(program, [], { env, timeout: 5000 });
  return [...stdout.matchAll(/(?:=>\s*|^\s*)(\/\S+)/gm)].map(([, path]) => path!);
}

/**
 * Returns the start of a command line that runs Node in namespaces, in a root that holds nothing but Node and what it may read, all of it
 * read-only. It has no /proc, no devices and no folder to write in. Nothing of this needs root.
 *
 * The shell stays the first process of its namespace: as that, Node could not be ended by `abort`, with which V8 ends where its heap is full.
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
  const folders = new Set(binds.map(({ target, isFolder }) => (isFolder ? target : dirname(target))));
  const script = [
    'set -e',
    `${mount} -t tmpfs -o mode=755,size=1m,nosuid,nodev,noexec none ${place}`,
    `cd ${place}`,
    `${mkdir} -p ${[...folders].map((folder) => quoted(`.${folder}`)).join(' ')}`,
    ...binds.flatMap(({ target, isFolder }) => (isFolder ? [] : [`: > ${quoted(`.${target}`)}`])),
    `printf '%s\\n' ${binds.map(({ line }) => quoted(line)).join(' ')} > .mounts`,
    `${mount} --all --fstab .mounts`,
    ': > .mounts',
    `${mount} -o remount,ro,mode=755,size=1m,nosuid,nodev,noexec none ${place}`,
    'cd /',
    // The shell has set it; nothing else is in the environment.
    'unset PWD OLDPWD',
    `${chroot} ${place} /setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- /node "$@" || exit $?`,
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
  isFolder: boolean;
  /** Its line in a table of mounts. */
  line: string;
}

function bind(path: string, target: string, more: string): Bind {
  const source = realpathSync(path);
  const fields = [source, `${place}${target}`, 'none', `bind,ro,nosuid,nodev${more}`, '0', '0'];
  return { target, isFolder: statSync(source).isDirectory(), line: fields.map(escaped).join(' ') };
}

/** Leaves out what is in one of the other folders. */
function outermost(paths: readonly string[]): string[] {
  const trimmed = [...new Set(paths.map((path) => (path.endsWith(sep) ? path.slice(0, -1) : path)))];
  return trimmed.filter((path) => !trimmed.some((other) => path.startsWith(`${other}${sep}`)));
}

/** White space separates the fields of the table. */
function escaped(field: string): string {
  return field.replace(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
