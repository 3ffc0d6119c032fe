import { adminProcedure } from '#server/access/service.ts';
import { roleChangeRequest, userRow } from '../schema.ts';
import { changeRole as change } from '../service.ts';

export const changeRole = adminProcedure
  .meta({
    route: {
      method: 'PATCH',
      path: '/api/auth/users/{user_id}/role',
      tag: 'Members',
      summary: "Change a member's role",
      description:
        'It holds from the next request on, for tokens that are out already too. The last active administrator of a tenant cannot be demoted.',
    },
  })
  .input(roleChangeRequest)
  .output(userRow)
  .mutation(({ ctx, input }) => change(ctx, ctx.withOwningTenant, input.user_id, input.role));
