import { readFile, rename, writeFile } from 'node:fs/promises';
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
  const target = resolve(io.cwd, path);
  const next = `${target}.${process.pid}.tmp`;
  await writeFile(next, content);
  await rename(next, target);
  tell(io, `${path} written.`);
}
