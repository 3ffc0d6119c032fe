import { timingSafeEqual } from 'node:crypto';
import { keyedHashes, type SecretsKeys, secretsKeyId } from '#server/platform/encryption.ts';
import { digest } from './archive-writer.ts';
import type { Header, Manifest } from './format.ts';

/** The ids of the keys, the current one first. */
export function idsOf({ current, previous }: SecretsKeys): string[] {
  return [current, ...(previous ? [previous] : [])].map(secretsKeyId);
}

/** Whether one of the keys is the one of the backup's service, with which the backup was authenticated. */
export function hasKeyOf(keys: SecretsKeys, { secrets_key }: Header): boolean {
  return idsOf(keys).some((id) => id === secrets_key.ids[0]);
}

/**
 * A hash of everything in the backup with the current key: without the key, no one can create one for other content.
 */
export function authenticate(keys: SecretsKeys, manifest: Omit<Manifest, 'authentication'>): Manifest {
  return { ...manifest, authentication: hashes(keys, manifest)[0]?.toString('hex') ?? '' };
}

/** Whether one of the keys made the manifest's hash. */
export function isAuthentic(keys: SecretsKeys, { authentication, ...rest }: Manifest): boolean {
  const given = Buffer.from(authentication, 'hex');
  return hashes(keys, rest).some((hash) => timingSafeEqual(hash, given));
}

/** The header is the first part of the first index, so the digests of the indexes cover it. */
function hashes(
  keys: SecretsKeys,
  { indexes, rows, objects, missing }: Omit<Manifest, 'authentication'>,
): Buffer[] {
  const counted = Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return keyedHashes(keys, 'backup', digest(JSON.stringify([indexes, counted, objects, missing])));
}
