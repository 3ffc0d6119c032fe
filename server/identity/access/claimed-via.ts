import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { apiKeys } from '#db/schema/identity.ts';
import type { Principal } from './principal.ts';

/**
 * The API key whose client named a person. Only a session identifies a person: the name that a client with a key
 * sends is a claim, which is stored and shown as one, with the key.
 */
export const claimedVia = z.object({
  id: z.string().nullable().describe('The ID of the API key; null if unknown.'),
  name: z.string().nullable().describe('The name of the API key at that time; null if unknown.'),
});

export type ClaimedVia = z.infer<typeof claimedVia>;

/** Returns the key of a caller without a session; null for a member. */
export async function claimedViaOf(tx: Tx, principal: Principal): Promise<ClaimedVia | null> {
  if (principal.kind !== 'api_key') return null;
  const { keyId, tenant } = principal;
  const [key] = await tx
    .select({ id: apiKeys.keyId, name: apiKeys.name })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.tenantId, tenant.id),
        keyId === null ? eq(apiKeys.workspace, true) : eq(apiKeys.keyId, keyId),
      ),
    )
    .limit(1);
  return key ?? { id: keyId, name: null };
}
