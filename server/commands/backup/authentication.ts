import { timingSafeEqual } from 'node:crypto';
import { keyedHashes, type SecretsKeys, secretsKeyId } from '#server/platform/encryption.ts';
import { digest } from './archive-writer.ts';
import type { Header, Manifest } from './format.ts';

/** Returns the ids of the keys, the current one first. */
export function idsOf({ current, previous }: SecretsKeys): string[] {
  return [current, ...(previous ? [previous] : [])].map(secretsKeyId);
}

/**
 * Whether one of the keys is the key of the service that made the backup. The backup was authenticated with that key.
 */
export function hasKeyOf(keys: SecretsKeys, { secrets_key }: Header): boolean {
  return idsOf(keys).some((id) => id === secrets_key.ids[0]);
}

/**
 * Returns a hash of everything in the backup, made with the current key. Without the key, no one can create a valid
 * hash for different content.
 */
export function authenticate(keys: SecretsKeys, manifest: Omit<Manifest, 'authentication'>): Manifest {
  return { ...manifest, authentication: hashes(keys, manifest)[0]?.toString('hex') ?? '' };
}

/** Whether one of the keys has created the hash in the manifest. */
export function isAuthentic(keys: SecretsKeys, { authentication, ...rest }: Manifest): boolean {
  const given = Buffer.from(authentication, 'hex');
  return hashes(keys, rest).some((hash) => timingSafeEqual(hash, given));
}

/**
 * Returns the hashes of the manifest, one for each key. The hash covers the header, too: the header is the first part
 * of the first index, and the manifest contains the digests of the indexes.
 */
function hashes(
  keys: SecretsKeys,
  { indexes, rows, objects, missing }: Omit<Manifest, 'authentication'>,
): Buffer[] {
  const counted = Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return keyedHashes(keys, 'backup', digest(JSON.stringify([indexes, counted, objects, missing])));
}
