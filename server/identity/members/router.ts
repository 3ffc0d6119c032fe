import { z } from 'zod';
import { sendPage } from '#server/http/paging.ts';
import {
  adminProcedure,
  provedAdminProcedure,
  tenantNotFound,
} from '#server/identity/access/guards/admin.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { listPage } from '#server/identity/tenants/schema.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { router } from '#server/trpc.ts';
import { previewInvite } from './invite-redemption.ts';
import { createInvite, listInvites, withdrawInvite } from './invites.ts';
import { changeRole, restoreMember, revokeMember } from './member-status.ts';
import { findColleagues, listMembers } from './members.ts';
import { resetMfa } from './mfa-reset.ts';
import { issueResetLink } from './password-reset-links.ts';
import {
  colleagueList,
  colleagueSearch,
  createdInvite,
  inviteCreateRequest,
  invitePreview,
  invitePreviewRequest,
  inviteRecord,
  memberPath,
  mfaResetResponse,
  passwordResetLink,
  roleChangeRequest,
  userRow,
} from './schema.ts';

export const membersRouter = router({
  list: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/auth/users',
        tag: 'Members',
        summary: 'List the members of a tenant',
        paged: true,
        description:
          'Administrators get the members of their tenant. A request with the operator key must name the tenant in tenant_id; a session of an operator may name one. Members are sorted by creation time, oldest first. If there are more, X-Next-Cursor has the cursor of the next page.',
      },
    })
    .input(
      z.object({
        tenant_id: z
          .string()
          .optional()
          .describe(
            'For operators: the ID of the tenant. Administrators can omit it; their own tenant is used.',
          ),
        include_revoked: z
          .boolean()
          .default(false)
          .describe('Whether the list includes members whose access was revoked.'),
        ...listPage,
      }),
    )
    .output(z.array(userRow))
    .query(async ({ ctx, input }) => {
      const { tenant_id: named, include_revoked: includeRevoked, limit, cursor } = input;
      const missing = 'tenant_id query parameter is required with API-key access';
      return ctx.withNamedTenant({ named, foreign: 'ignored', missing }, async (tx, tenantId) => {
        const [members, tenant] = await Promise.all([
          listMembers(tx, tenantId, { includeRevoked, limit, cursor }),
          readTenant(tx, tenantId),
        ]);
        if (!tenant) throw tenantNotFound();
        return sendPage(ctx.response, members);
      });
    }),

  /** Has no route, so only /trpc serves it. For all members, who mention each other in comments. */
  colleagues: bearerProcedure
    .input(colleagueSearch)
    .output(colleagueList)
    .query(async ({ ctx: { tx, principal }, input }) => ({
      colleagues: await findColleagues(
        tx,
        { tenantId: principal.tenant.id, userId: principal.user.id },
        input.search,
      ),
    })),

  revoke: adminProcedure
    .meta({
      route: {
        method: 'DELETE',
        path: '/api/auth/users/{user_id}',
        tag: 'Members',
        summary: "Revoke a member's access",
        description:
          'Ends all sessions of the member immediately, and blocks sign-in. The access of the last active administrator of a tenant cannot be revoked.',
      },
    })
    .input(memberPath)
    .output(userRow)
    .mutation(({ ctx, input }) => revokeMember(ctx, ctx.withOwningTenant, input.user_id)),

  restore: provedAdminProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/auth/users/{user_id}/restore',
        tag: 'Members',
        summary: 'Restore a revoked member',
        description: 'The member can sign in again, with the same role as before.',
      },
    })
    .input(memberPath)
    .output(userRow)
    .mutation(({ ctx, input }) =>
      restoreMember(ctx, ctx.withOwningTenant, ctx.services.settings, input.user_id),
    ),

  changeRole: provedAdminProcedure
    .meta({
      route: {
        method: 'PATCH',
        path: '/api/auth/users/{user_id}/role',
        tag: 'Members',
        summary: "Change a member's role",
        description:
          'The new role applies from the next request on, also to existing tokens. The role of the last active administrator of a tenant cannot be changed.',
      },
    })
    .input(roleChangeRequest)
    .output(userRow)
    .mutation(({ ctx, input }) => changeRole(ctx, ctx.withOwningTenant, input.user_id, input.role)),

  resetMfa: provedAdminProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/auth/users/{user_id}/mfa/reset',
        tag: 'Members',
        summary: "Reset a member's authenticator app",
        description:
          'Deletes the authenticator app and the recovery codes of the member. If the member is another platform operator, the operator key is required.',
      },
    })
    .input(memberPath)
    .output(mfaResetResponse)
    .mutation(({ ctx, input }) => resetMfa(ctx, ctx.withOwningTenant, ctx.services.settings, input.user_id)),

  issueResetLink: provedAdminProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/auth/users/{user_id}/password-reset-link',
        tag: 'Members',
        summary: 'Create a password reset link',
        description:
          'Only active members who sign in with a password can get a link. It works once, and a new link replaces it. If the operator has enabled email and the member has confirmed the address, the service sends the link to the member, and only the operator key gets it in the response, too. If the member is another platform operator, the operator key is required.',
      },
    })
    .input(memberPath)
    .output(passwordResetLink)
    .mutation(({ ctx, input }) => issueResetLink(ctx, ctx.withOwningTenant, ctx.services, input.user_id)),

  previewInvite: publicProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/auth/invites/preview',
        tag: 'Invites',
        summary: 'Preview an invite',
        description: 'Returns `valid: false` for every token that cannot be redeemed, without the reason.',
      },
      onlyHashed: ['invite_token'],
    })
    .use(rateLimited('invite_preview'))
    .input(invitePreviewRequest)
    .output(invitePreview)
    .mutation(({ ctx, input }) => previewInvite(ctx.services, input.invite_token)),

  createInvite: adminProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/tenants/invites',
        tag: 'Invites',
        summary: 'Create an invite',
        description:
          'Only this response contains the token of the invite. If the operator has enabled email, the service also sends the link to the address in `email`. A tenant can have at most 20 pending invites.',
        query: ['tenant_id'],
      },
    })
    .input(inviteCreateRequest)
    .output(createdInvite)
    .mutation(({ ctx, input }) => createInvite(ctx, ctx.withNamedTenant, ctx.services, input)),

  listInvites: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants/invites',
        tag: 'Invites',
        summary: "List a tenant's invites",
        paged: true,
        description:
          'Returns invites of every status, latest first. If there are more, X-Next-Cursor has the cursor of the next page.',
      },
    })
    .input(
      z.object({
        tenant_id: z
          .string()
          .optional()
          .describe(
            'For operators: the ID of the tenant. Administrators can omit it; their own tenant is used.',
          ),
        ...listPage,
      }),
    )
    .output(z.array(inviteRecord))
    .query(async ({ ctx, input }) => sendPage(ctx.response, await listInvites(ctx.withNamedTenant, input))),

  withdrawInvite: adminProcedure
    .meta({
      route: {
        method: 'DELETE',
        path: '/api/tenants/invites/{invite_id}',
        tag: 'Invites',
        summary: 'Withdraw a pending invite',
        description: 'Returns 404 if the invite is not pending.',
        status: 204,
      },
    })
    .input(
      z.object({
        invite_id: z.string().describe('The ID of the invite.'),
        tenant_id: z
          .string()
          .optional()
          .describe(
            'For operators: the ID of the tenant. Administrators can omit it; their own tenant is used.',
          ),
      }),
    )
    .output(z.void())
    .mutation(({ ctx, input }) => withdrawInvite(ctx, ctx.withNamedTenant, input.tenant_id, input.invite_id)),
});
