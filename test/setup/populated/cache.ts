import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive, stopAbandonedPostgres } from '#db/embedded/index.ts';
import { freePort } from '#db/embedded/secrets.ts';
import { poll } from '../poll.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/lingualoop-populated');

/** Maximum seconds that a process waits for another that builds. */
const longestBuild = 1800;

/**
 * Copies the populated deployment to a data folder that does not exist yet, with another port. Builds the deployment first
 * if that was not done since the schema or the generator changed.
 */
export async function copyPopulated(dataDir: string): Promise<void> {
  const kept = await populatedFolder(() => {});
  // Keeps owners, modes and times: PostgreSQL does not accept a data directory that other users can read.
  await run('cp', ['-a', kept, dataDir]);
  const file = join(dataDir, 'postgres.json');
  const secrets = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...secrets, port: await freePort() }));
}

/**
 * Returns the folder of the populated deployment, which must not be changed. It is built under another name and renamed,
 * so it is complete if it exists. If several processes need it at the same time, one builds.
 * @param print receives the progress of the build
 */
export async function populatedFolder(print: (line: string) => void): Promise<string> {
  const folder = join(cache, await fingerprint());
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const release = await poll(
    async () => (await exists(folder)) || lock(join(cache, 'builder')),
    longestBuild,
  );
  if (release === true) return folder;
  try {
    if (!(await exists(folder))) await buildIn(folder, print);
  } finally {
    await release();
  }
  return folder;
}

/** Builds in a separate process, whose memory and modules are gone afterwards. */
async function buildIn(folder: string, print: (line: string) => void): Promise<void> {
  await removeOthers(folder);
  const draft = `${folder}.draft-${process.pid}`;
  const child = run(process.execPath, [join(import.meta.dirname, 'build.ts'), draft], { cwd: root });
  child.child.stdout?.on('data', (lines: string) => print(lines.trimEnd()));
  await child;
  await rename(draft, folder);
}

/** Removes what earlier versions of the generator and interrupted builds have left. */
async function removeOthers(folder: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const other = join(cache, name);
    const builder = Number(/\.draft-(\d+)$/.exec(name)?.[1] ?? 0);
    if (name === 'builder' || other === folder || (builder > 0 && isAlive(builder))) continue;
    await stopAbandonedPostgres(other).catch(() => {});
    await rm(other, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Takes a lock: a file with the ID of its process. A lock of a process that has ended counts as free. Two processes that
 * find such a lock at the same time may both take it: then both build, and the second rename fails.
 * @returns a function that releases the lock; null if another process has it
 */
async function lock(file: string): Promise<(() => Promise<void>) | null> {
  try {
    const handle = await open(file, 'wx');
    await handle.write(String(process.pid));
    await handle.close();
    return () => rm(file, { force: true });
  } catch {
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
    return null;
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A hash of the schema and of the generator. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.getuid?.()}`);
  for (const folder of ['db/migrations', 'db/embedded', 'test/setup/populated']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((one) => /\.\w+$/.test(one)).toSorted())
      hash.update(name).update(await readFile(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
