import type { Access, RequestContext } from '#server/context.ts';
import { procedure } from '#server/trpc.ts';
import { scopes as allScopes } from '../scopes.ts';
import { asAdministrator } from './admin.ts';
import { asAdministratorSession, withBearer, withSessionCookie } from './session.ts';
import { audienceOf, withTenantOf, withTenantOrCookieOf } from './tenant.ts';

/**
 * Authenticates the caller before the request's body is read, with one look-up in a separate transaction. The guard of
 * the procedure authenticates again, with the body.
 * @returns false if the guard requires no credential that can be checked without the body
 * @throws AppError the 401 or 403 of the guard
 */
export async function authenticateCaller(
  ctx: RequestContext,
  { guard = 'public', scopes = allScopes }: Access,
): Promise<boolean> {
  const nothing = async () => {};
  switch (guard) {
    case 'public':
    case 'challenge_or_cookie':
      return false;
    case 'tenant_identity':
      await withTenantOf(ctx, audienceOf(ctx), scopes)(nothing);
      return true;
    case 'tenant_identity_or_cookie':
    case 'tenant_admin':
      await withTenantOrCookieOf(ctx, audienceOf(ctx), scopes)(nothing);
      return true;
    case 'admin':
    case 'platform_operator':
      await asAdministrator(ctx)(nothing);
      return true;
    case 'bearer':
      await withBearer(ctx, nothing);
      return true;
    case 'administrator_session':
      await asAdministratorSession(ctx)(nothing);
      return true;
    case 'session_cookie':
      await withSessionCookie(ctx, nothing);
      return true;
  }
}

/** No authentication. */
export const publicProcedure = procedure.meta({ guard: 'public' });
