import { z } from 'zod';
import { provedAdministratorSessionProcedure } from '#server/identity/access/guards/session.ts';
import { router } from '#server/trpc.ts';
import { anonymizeRevoked } from './anonymize-member.ts';

/** A procedure for the list of members. It has no route, so only /trpc serves it. */
const anonymizeMember = provedAdministratorSessionProcedure
  .input(z.object({ user_id: z.string().max(200) }))
  .output(z.object({ user_id: z.string() }))
  .mutation(({ ctx, input: { user_id } }) =>
    ctx.asAdministrator(async (tx, principal) => {
      await anonymizeRevoked(tx, ctx, principal, ctx.services.settings, user_id);
      return { user_id };
    }),
  );

export const retentionRouter = router({ anonymizeMember });
