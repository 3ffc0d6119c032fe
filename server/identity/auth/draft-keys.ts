import { z } from 'zod';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { draftKeys } from '#server/platform/encryption.ts';

/**
 * Returns the keys, in base64, with which the browser encrypts the drafts of the signed-in member: the first one
 * encrypts, and all of them decrypt. The web application keeps them only in memory, so that drafts on the device can be
 * read only after signing in as this member.
 */
export const readDraftKeys = bearerProcedure
  .output(z.object({ keys: z.array(z.string()).min(1) }))
  .query(({ ctx: { principal, services } }) => ({
    keys: draftKeys(services.secretsKeys, principal.tenant.id, principal.user.id).map((key) =>
      key.toString('base64'),
    ),
  }));
