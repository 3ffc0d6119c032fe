import { z } from 'zod';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { draftKeys } from '#server/platform/encryption.ts';

/**
 * The keys of the signed-in member's drafts in a browser, in base64: the first one seals, all of them open. The web
 * application keeps them only in memory, so that drafts on the device can be read only after signing in as the
 * member.
 */
export const readDraftKeys = bearerProcedure
  .output(z.object({ keys: z.array(z.string()).min(1) }))
  .query(({ ctx: { principal, services } }) => ({
    keys: draftKeys(services.secretsKeys, principal.tenant.id, principal.user.id).map((key) =>
      key.toString('base64'),
    ),
  }));
