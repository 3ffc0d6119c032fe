import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { middleware } from '#server/trpc.ts';

/** Returns the Set-Cookie header for an access token. The cookie is Secure if BASE_URL is https. */
export function sessionCookie(
  { accessToken, accessTtl }: { accessToken: string; accessTtl: number },
  settings: Settings,
): string {
  return `ll_session=${accessToken}; ${attributes(accessTtl, settings)}`;
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function clearedSessionCookie(settings: Settings): string {
  return `ll_session=; ${attributes(0, settings)}`;
}

/** Returns the attributes of a cookie that is a credential. */
export function attributes(maxAge: number, { BASE_URL }: Settings): string {
  const secure = BASE_URL?.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** For procedures that issue tokens and set the session cookie: rejects requests from another site's page. */
export const sameSiteOnly = middleware(({ ctx, next }) => {
  if (ctx.crossSite) throw new AppError('forbidden', 'cross-site requests are not allowed here');
  return next();
});
