import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, SettingsError } from './settings.ts';

/**
 * The 32 bytes that encrypt stored secrets (C 1): SECRETS_KEY, or a key made once and kept under DATA_DIR, readable by
 * its owner alone. With a shared database it must be given: one made up on one machine would be unreadable on the next.
 */
export async function loadSecretsKey(settings: Settings): Promise<Buffer> {
  if (settings.SECRETS_KEY !== undefined) return Buffer.from(settings.SECRETS_KEY, 'base64');
  if (settings.DATABASE_URL !== undefined)
    throw new SettingsError('SECRETS_KEY: is required with DATABASE_URL (32 bytes, base64)');

  const path = join(settings.DATA_DIR, 'secrets.key');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  const key = Buffer.from(kept ?? (await makeKey(settings.DATA_DIR, path)), 'base64');
  if (key.length !== 32) throw new SettingsError(`DATA_DIR: ${path} does not hold 32 bytes in base64`);
  return key;
}

/** Many processes may start at once: the one whose link succeeds has made the key, the others read it. */
async function makeKey(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(temporary, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  try {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return readFile(path, 'utf8');
}
