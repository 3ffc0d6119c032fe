import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { NamedContent } from '../../../src/index.ts';
import { Failed } from '../command.ts';
import { type Io, tell } from '../io.ts';

/** Reads a file that a command sends. @throws Failed */
export async function readSource({ cwd }: Pick<Io, 'cwd'>, path: string): Promise<NamedContent> {
  try {
    return { name: basename(path), data: await readFile(resolve(cwd, path)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failed(code === 'ENOENT' ? `${path} does not exist` : `cannot read ${path}: ${message}`);
  }
}

/** Writes a download to a file, or to standard output without a path. */
export async function writeResult(
  io: Io,
  path: string | undefined,
  content: Uint8Array | string,
): Promise<void> {
  if (path === undefined) {
    io.stdout.write(typeof content === 'string' ? content : Buffer.from(content).toString('utf8'));
    return;
  }
  const named = resolve(io.cwd, path);
  const target = await realpath(named).catch(() => named);
  const existing = await stat(target).catch(() => undefined);
  // A device such as /dev/stdout or a pipe is written to, and never replaced by a file.
  if (existing && !existing.isFile()) await writeFile(target, content);
  else await replaceFile(target, content);
  tell(io, `${path} written.`);
}

/** Replaces a file as a whole, so that a full disk leaves the former one. */
async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const next = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(next, content);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Resolves when the user interrupts the program. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
