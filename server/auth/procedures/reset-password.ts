import { limited, publicProcedure } from '#server/access/service.ts';
import { resetPassword as reset } from '../reset-password.ts';
import { passwordResetRequest, passwordResetResponse } from '../schema.ts';

export const resetPassword = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/password-reset',
      tag: 'Sign-in',
      summary: 'Set a new password by a reset link',
    },
  })
  .use(limited('password_reset'))
  .input(passwordResetRequest)
  .output(passwordResetResponse)
  .mutation(async ({ ctx, input }) => {
    await reset(ctx.services, ctx, input.reset_token, input.new_password);
    return { password_reset: true };
  });
