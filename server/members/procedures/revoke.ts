import { adminProcedure } from '#server/access/service.ts';
import { memberPath, userRow } from '../schema.ts';
import { revokeMember } from '../service.ts';

export const revoke = adminProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/auth/users/{user_id}',
      tag: 'Members',
      summary: "Revoke a member's access",
      description:
        'The member is signed out everywhere at once. The last active administrator of a tenant cannot be revoked.',
    },
  })
  .input(memberPath)
  .output(userRow)
  .mutation(({ ctx, input }) => revokeMember(ctx, ctx.withOwningTenant, input.user_id));
