import { publicProcedure, rateLimited } from '#server/access/service.ts';
import { invitePreview, invitePreviewRequest } from '../schema.ts';
import { previewInvite as preview } from '../service.ts';

export const previewInvite = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/invites/preview',
      tag: 'Invites',
      summary: 'Look at an invite before it is redeemed',
      description: 'Every unusable token gives the same answer: valid is false.',
    },
  })
  .use(rateLimited('invite_preview'))
  .input(invitePreviewRequest)
  .output(invitePreview)
  .mutation(({ ctx, input }) => preview(ctx.services, input.invite_token));
