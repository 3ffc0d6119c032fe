import { adminProcedure, noStore } from '#server/access/service.ts';
import { memberPath, passwordResetLink } from '../schema.ts';
import { issueResetLink as issue } from '../service.ts';

export const issueResetLink = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/users/{user_id}/password-reset-link',
      tag: 'Members',
      summary: 'Issue a link by which a member sets a new password',
      description:
        "Used once; a new one replaces it. For active members with a password. Another platform operator's is issued with the operator key alone.",
    },
  })
  .use(noStore)
  .input(memberPath)
  .output(passwordResetLink)
  .mutation(({ ctx, input }) => issue(ctx, ctx.withOwningTenant, ctx.services.settings, input.user_id));
