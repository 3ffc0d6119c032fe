import { AppError } from '#server/errors.ts';
import { middleware } from '#server/trpc.ts';

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
