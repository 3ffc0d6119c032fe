import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { credentialDirectory } from '#db/schema/identity.ts';

/** Inserts the hash of a tenant's new API key. */
export async function insertApiKey(tx: Tx, tenantId: string, keyHash: Uint8Array): Promise<void> {
  await tx.insert(credentialDirectory).values({ credentialHash: keyHash, kind: 'api_key', tenantId });
}

/** Deletes a tenant's API keys. Returns the number of deleted keys. */
export async function deleteApiKeys(tx: Tx, tenantId: string): Promise<number> {
  const deleted = await tx
    .delete(credentialDirectory)
    .where(and(eq(credentialDirectory.tenantId, tenantId), eq(credentialDirectory.kind, 'api_key')))
    .returning({ hash: credentialDirectory.credentialHash });
  return deleted.length;
}
