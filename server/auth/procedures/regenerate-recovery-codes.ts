import { limited, noStore, sessionCookieProcedure } from '#server/access/service.ts';
import { regenerateCodes } from '../mfa/regenerate.ts';
import { recoveryCodesResponse } from '../schema.ts';

export const regenerateRecoveryCodes = sessionCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/recovery/regenerate',
      tag: 'Sign-in',
      summary: 'Replace the recovery codes',
      description: 'By the session cookie alone. The old codes are good for nothing any more.',
    },
  })
  .use(noStore)
  .use(limited('mfa_recovery'))
  .output(recoveryCodesResponse)
  .mutation(async ({ ctx }) => ({
    recovery_codes: await ctx.withSession((tx, principal) =>
      regenerateCodes(tx, ctx.services, ctx, principal),
    ),
  }));
