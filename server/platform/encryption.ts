import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, SettingsError } from '#server/settings.ts';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * The purpose of a sealed value. Each purpose has its own key, so a value sealed for one purpose cannot be unsealed
 * for another.
 */
type SealPurpose = 'authenticator' | 'engine' | 'mail' | 'sso_state' | 'storage';

/**
 * The keys for stored secrets, 32 bytes each. New values are sealed and hashed with `current`. Values that were
 * sealed or hashed with `previous` can still be read, so that operators can rotate the key.
 */
export interface SecretsKeys {
  current: Buffer;
  previous: Buffer | null;
}

/**
 * Encrypts a secret for the database with AES-256-GCM and a key that is derived from the current one.
 * @param owner the id of the owner; unsealing the value requires the same id
 * @returns 12 bytes of nonce, 16 of tag, then the ciphertext
 */
export function seal(
  { current }: SecretsKeys,
  purpose: SealPurpose,
  owner: string,
  plain: Uint8Array,
): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(current, purpose), nonce);
  cipher.setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts a sealed value with the current or the previous key. The value does not say which key sealed it;
 * decryption with the wrong key fails.
 * @throws Error if neither key fits, if purpose or owner are different, or if the value was changed
 */
export function unseal(
  { current, previous }: SecretsKeys,
  purpose: SealPurpose,
  owner: string,
  sealed: Uint8Array,
): Buffer {
  try {
    return unsealWith(current, purpose, owner, sealed);
  } catch (error) {
    if (previous === null) throw error;
    return unsealWith(previous, purpose, owner, sealed);
  }
}

/**
 * The result of sealing a value again with the current key. `current` means that the current key had already sealed
 * it.
 */
export type Resealed = { state: 'current' | 'unreadable' } | { state: 'resealed'; sealed: Buffer };

/** Seals a value again with the current key if the previous key has sealed it. */
export function reseal(keys: SecretsKeys, purpose: SealPurpose, owner: string, sealed: Uint8Array): Resealed {
  try {
    unsealWith(keys.current, purpose, owner, sealed);
    return { state: 'current' };
  } catch {
    try {
      const plain = unseal(keys, purpose, owner, sealed);
      return { state: 'resealed', sealed: seal(keys, purpose, owner, plain) };
    } catch {
      return { state: 'unreadable' };
    }
  }
}

function unsealWith(key: Buffer, purpose: SealPurpose, owner: string, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', keyFor(key, purpose), nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

/** Returns an identifier of a key that does not reveal the key: 8 hexadecimal characters. */
export function secretsKeyId(key: Buffer): string {
  return derive(key, 'key id').toString('hex', 0, 4);
}

/**
 * Returns keyed hashes (HMAC-SHA-256, 32 bytes) of a value that is too short for an ordinary hash: with the current
 * key and, if there is one, with the previous key. Store the first hash, and compare with all of them.
 */
export function keyedHashes(
  { current, previous }: SecretsKeys,
  purpose: string,
  value: string,
): [Buffer, ...Buffer[]] {
  const hash = (key: Buffer) =>
    createHmac('sha256', derive(key, `hash ${purpose}`))
      .update(value)
      .digest();
  return [hash(current), ...(previous ? [hash(previous)] : [])];
}

function keyFor(key: Buffer, purpose: SealPurpose): Buffer {
  return derive(key, `seal ${purpose}`);
}

/** Caches derived keys, because each sign-in needs one: by key, then by purpose. */
const derived = new WeakMap<Buffer, Map<string, Buffer>>();

function derive(key: Buffer, info: string): Buffer {
  const known = derived.get(key) ?? new Map<string, Buffer>();
  derived.set(key, known);
  const own = known.get(info) ?? Buffer.from(hkdfSync('sha256', key, '', `lingualoop ${info}`, 32));
  known.set(info, own);
  return own;
}

/**
 * Returns the keys of stored secrets: SECRETS_KEY, or a key generated once and kept under DATA_DIR, readable only by
 * its owner; and SECRETS_KEY_PREVIOUS. With DATABASE_URL, SECRETS_KEY is required: other machines could not decrypt
 * with a key that was generated on one machine.
 * @param make whether to generate a missing key
 * @throws SettingsError if a key is missing, invalid, or equal to the other one
 */
export async function loadSecretsKeys(settings: Settings, { make = true } = {}): Promise<SecretsKeys> {
  const current = await loadCurrentKey(settings, make);
  const { SECRETS_KEY_PREVIOUS } = settings;
  const previous = SECRETS_KEY_PREVIOUS === undefined ? null : Buffer.from(SECRETS_KEY_PREVIOUS, 'base64');
  // Equal keys mean that only one of the two variables was changed: a key that is still needed would soon be lost.
  if (previous?.equals(current))
    throw new SettingsError('SECRETS_KEY_PREVIOUS: must differ from the current key');
  return { current, previous };
}

async function loadCurrentKey(settings: Settings, make: boolean): Promise<Buffer> {
  if (settings.SECRETS_KEY !== undefined) return Buffer.from(settings.SECRETS_KEY, 'base64');
  if (settings.DATABASE_URL !== undefined)
    throw new SettingsError('SECRETS_KEY: is required with DATABASE_URL (32 bytes, base64)');

  const path = join(settings.DATA_DIR, 'secrets.key');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept === undefined && !make)
    throw new SettingsError(
      `SECRETS_KEY: is not set, and there is no ${path}; set the key that encrypted the stored secrets`,
    );
  const key = Buffer.from(kept ?? (await makeKey(settings.DATA_DIR, path)), 'base64');
  if (key.length !== 32) throw new SettingsError(`DATA_DIR: ${path} does not hold 32 bytes in base64`);
  return key;
}

/**
 * Several processes may start at the same time. The process whose link succeeds has created the key, and the others
 * read it.
 */
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
