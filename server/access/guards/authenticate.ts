import type { RequestContext } from '#server/context.ts';
import { type GuardName, procedure } from '#server/trpc.ts';
import { asAdministrator } from './admin.ts';
import { withBearer, withSessionCookie } from './session.ts';
import { audienceOf, withTenantOf, withTenantOrCookieOf } from './tenant.ts';

/**
 * Believes the caller of a request whose body is not read yet, as its guard will again with the body: one look-up, in a
 * transaction of its own. Guards that ask for no standing credential believe nobody here.
 * @returns false where the guard asks for none
 * @throws AppError the guard's own 401 or 403
 */
export async function authenticateCaller(ctx: RequestContext, guard: GuardName): Promise<boolean> {
  const nothing = async () => {};
  switch (guard) {
    case 'public':
    case 'challenge_or_cookie':
      return false;
    case 'tenant_identity':
      await withTenantOf(ctx, audienceOf(ctx))(nothing);
      return true;
    case 'tenant_identity_or_cookie':
    case 'tenant_admin':
      await withTenantOrCookieOf(ctx, audienceOf(ctx))(nothing);
      return true;
    case 'admin':
    case 'platform_operator':
      await asAdministrator(ctx)(nothing);
      return true;
    case 'bearer':
      await withBearer(ctx, nothing);
      return true;
    case 'session_cookie':
      await withSessionCookie(ctx, nothing);
      return true;
  }
}

/** A 5.2 "Public". */
export const publicProcedure = procedure.meta({ guard: 'public' });
