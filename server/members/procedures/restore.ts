import { adminProcedure } from '#server/access/service.ts';
import { memberPath, userRow } from '../schema.ts';
import { restoreMember } from '../service.ts';

export const restore = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/users/{user_id}/restore',
      tag: 'Members',
      summary: 'Reinstate a revoked member',
    },
  })
  .input(memberPath)
  .output(userRow)
  .mutation(({ ctx, input }) =>
    restoreMember(ctx, ctx.withOwningTenant, ctx.services.settings, input.user_id),
  );
