import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { middleware } from '#server/trpc.ts';

/** The cookie of A 5.1 for an access token; it travels over HTTPS alone where BASE_URL is such an address. */
export function sessionCookie(
  { accessToken, accessTtl }: { accessToken: string; accessTtl: number },
  settings: Settings,
): string {
  return `ll_session=${accessToken}; ${attributes(accessTtl, settings)}`;
}

/** Takes the session cookie away. */
export function clearedSessionCookie(settings: Settings): string {
  return `ll_session=; ${attributes(0, settings)}`;
}

function attributes(maxAge: number, { BASE_URL }: Settings): string {
  const secure = BASE_URL?.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * For what issues tokens and sets the session cookie: another site's page must not be able to call it in a visitor's name
 * (C 7), and nobody may keep the answer (RFC 6749, 5.1).
 */
export const sameSiteOnly = middleware(({ ctx, next }) => {
  if (ctx.crossSite) throw new AppError('forbidden', 'cross-site requests are not allowed here');
  ctx.response.setHeader('cache-control', 'no-store');
  return next();
});

/** For answers that carry a secret, shown once: nobody in between may keep them. */
export const noStore = middleware(({ ctx, next }) => {
  ctx.response.setHeader('cache-control', 'no-store');
  return next();
});
