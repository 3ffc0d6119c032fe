import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, SettingsError } from './settings.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** The purpose of a sealed value. Each purpose has its own key, so a value cannot be unsealed for another purpose. */
export type SealPurpose = 'authenticator' | 'sso_state' | 'storage';

/**
 * Encrypts a secret for the database: AES-256-GCM under a key derived from SECRETS_KEY.
 * @param owner the id of the owner; the value can only be unsealed with the same id
 * @returns 12 bytes of nonce, 16 of tag, then the ciphertext
 */
export function seal(secretsKey: Buffer, purpose: SealPurpose, owner: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secretsKey, purpose), nonce);
  cipher.setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error if the key, purpose or owner differs, or if the value was changed */
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

/** Names the key that sealed a value, without revealing it: 8 hexadecimal characters. */
export function secretsKeyId(secretsKey: Buffer): string {
  return derive(secretsKey, 'key id').toString('hex', 0, 4);
}

/** A keyed hash (HMAC-SHA-256, 32 bytes), for values too short for a plain hash. */
export function keyedHash(secretsKey: Buffer, purpose: string, value: string): Buffer {
  return createHmac('sha256', derive(secretsKey, `hash ${purpose}`))
    .update(value)
    .digest();
}

function keyFor(secretsKey: Buffer, purpose: SealPurpose): Buffer {
  return derive(secretsKey, `seal ${purpose}`);
}

/** Cache of derived keys, which each sign-in needs: by key, then by purpose. */
const derived = new WeakMap<Buffer, Map<string, Buffer>>();

function derive(secretsKey: Buffer, info: string): Buffer {
  const known = derived.get(secretsKey) ?? new Map<string, Buffer>();
  derived.set(secretsKey, known);
  const key = known.get(info) ?? Buffer.from(hkdfSync('sha256', secretsKey, '', `lingualoop ${info}`, 32));
  known.set(info, key);
  return key;
}

/**
 * Returns the 32-byte key that encrypts stored secrets (C 1): SECRETS_KEY, or a key generated once and kept under
 * DATA_DIR, readable only by its owner. With DATABASE_URL, SECRETS_KEY is required: other machines could not read what
 * a key generated on one machine has encrypted.
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

/** Several processes may start at once: the one whose link succeeds has created the key; the others read it. */
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
