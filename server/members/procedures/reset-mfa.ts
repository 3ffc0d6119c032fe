import { adminProcedure } from '#server/access/service.ts';
import { memberPath, mfaResetResponse } from '../schema.ts';
import { resetMfa as reset } from '../service.ts';

export const resetMfa = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/users/{user_id}/mfa/reset',
      tag: 'Members',
      summary: "Clear a member's authenticator",
      description: "Another platform operator's is cleared with the operator key alone.",
    },
  })
  .input(memberPath)
  .output(mfaResetResponse)
  .mutation(({ ctx, input }) => reset(ctx, ctx.withOwningTenant, ctx.services.settings, input.user_id));
