import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { KeptTexts } from '#server/formats/existing-target.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { newestArtifact, readArtifact } from './artifacts.ts';

/* The texts that stay of an existing translation are stored as a file of the document. */

/** Returns the content of the file in which the texts are stored. */
export function encodeKept(kept: KeptTexts): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...kept]));
}

/** Returns the texts that stay; undefined if the document has none. */
export async function selectKept(
  services: LocatingServices & Pick<Services, 'database' | 'log'>,
  tenantId: string,
  documentId: string,
): Promise<KeptTexts | undefined> {
  const file = await services.database.inTenant(tenantId, (tx) =>
    newestArtifact(tx, tenantId, documentId, 'existing'),
  );
  if (!file) return undefined;
  const stored: unknown = JSON.parse(new TextDecoder().decode(await readArtifact(services, file)));
  if (!Array.isArray(stored)) throw new AppError('internal_error', 'the stored texts are damaged');
  return new Map(stored);
}
