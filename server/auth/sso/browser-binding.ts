import { hashSecret, newSecret } from '#server/access/service.ts';
import type { RequestContext } from '#server/context.ts';
import { hex, stateTtl } from './states.ts';

/**
 * C 7: authorize sets a short-lived cookie that binds the state to the browser it began in, so that nobody is signed in
 * to somebody else's account by a link. Each state has a cookie of its own: two windows may sign in at once.
 */
export function bindBrowser(ctx: RequestContext, state: string): string {
  const binding = newSecret();
  const secure = ctx.services.settings.BASE_URL?.startsWith('https:') ? '; Secure' : '';
  ctx.response.addCookie(
    `${cookieName(state)}=${binding}; Path=/api/oauth2; Max-Age=${stateTtl}; HttpOnly; SameSite=Lax${secure}`,
  );
  return hex(hashSecret(binding));
}

/** Whether this is the browser that the state began in; what is no browser need not be. */
export function isSameBrowser(ctx: RequestContext, state: string, browserHash: string): boolean {
  if (!ctx.fromBrowser) return true;
  const binding = ctx.cookie(cookieName(state));
  return binding !== null && hex(hashSecret(binding)) === browserHash;
}

function cookieName(state: string): string {
  return `ll_sso_${hex(hashSecret(state)).slice(0, 16)}`;
}
