import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, SettingsError } from './settings.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** What a sealed value is for. Each purpose has a key of its own, so that no value opens in another's place. */
export type SealPurpose = 'authenticator' | 'sso_state' | 'storage';

/**
 * Encrypts a secret for the database: AES-256-GCM under a key derived from SECRETS_KEY.
 * @param owner whose it is, an id; it opens for nobody else
 * @returns 12 bytes of nonce, 16 of tag, then the ciphertext
 */
export function seal(secretsKey: Buffer, purpose: SealPurpose, owner: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secretsKey, purpose), nonce);
  cipher.setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error where the key, the purpose or the owner is another one, or the value was changed */
export function unseal(secretsKey: Buffer, purpose: SealPurpose, owner: string, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secretsKey, purpose), nonce, {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

/** A keyed hash (HMAC-SHA-256, 32 bytes), for values too short to be kept under a plain one. */
export function keyedHash(secretsKey: Buffer, purpose: string, value: string): Buffer {
  return createHmac('sha256', derive(secretsKey, `hash ${purpose}`))
    .update(value)
    .digest();
}

function keyFor(secretsKey: Buffer, purpose: SealPurpose): Buffer {
  return derive(secretsKey, `seal ${purpose}`);
}

/** Derived keys, which each sign-in asks for: by the key itself, and what for. */
const derived = new WeakMap<Buffer, Map<string, Buffer>>();

function derive(secretsKey: Buffer, info: string): Buffer {
  const known = derived.get(secretsKey) ?? new Map<string, Buffer>();
  derived.set(secretsKey, known);
  const key = known.get(info) ?? Buffer.from(hkdfSync('sha256', secretsKey, '', `lingualoop ${info}`, 32));
  known.set(info, key);
  return key;
}

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
