import { and, asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { normalizeEmail } from '#server/identity/access/email-address.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { isConfirmed } from '#server/identity/mail/confirmation.ts';
import { mailOwnResetLink } from '#server/identity/members/password-reset-links.ts';
import { isMailOn } from '#server/platform/smtp.ts';

/** Accounts of one address that get a mail; more get none, as a sign-in without a workspace does not search them. */
const maxAccounts = 10;

/** Mails a reset link for each account with this address. */
async function sendLinks(
  { services, requestId, clientAddress }: RequestContext,
  email: string,
): Promise<void> {
  const { database } = services;
  const accounts = await database.inPlatform((tx) => findAccounts(tx, email));
  for (const account of accounts)
    await database.inTenant(account.tenantId, (tx) =>
      mailOwnResetLink(tx, { requestId, clientAddress }, services, account),
    );
}

function findAccounts(tx: Tx, email: string): Promise<{ tenantId: string; userId: string }[]> {
  return tx
    .select({ tenantId: users.tenantId, userId: users.userId })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(
      and(
        eq(users.email, email),
        eq(users.provider, 'email'),
        eq(users.active, true),
        eq(tenants.active, true),
        isConfirmed,
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.userId))
    .limit(maxAccounts);
}

/**
 * Asks for a link to set a new password, which goes to the address if an account has confirmed it. The response is
 * sent before the accounts are searched, so neither its content nor its time depends on them. Without a route, it is
 * available only over /trpc.
 */
export const requestPasswordReset = publicProcedure
  .use(rateLimited('password_forgotten'))
  .input(z.strictObject({ email: z.string().min(1).max(320).describe('The email address of the account.') }))
  .output(z.object({ requested: z.literal(true) }))
  .mutation(({ ctx, input }) => {
    const { settings, backgroundWork, log } = ctx.services;
    if (!isMailOn(settings)) throw new AppError('capability_off', 'email is not enabled');
    if (!settings.PASSWORD_SIGNIN_ENABLED)
      throw new AppError('forbidden', 'password sign-in is disabled; use single sign-on');
    void backgroundWork.track(sendLinks(ctx, normalizeEmail(input.email))).catch((error: unknown) => {
      log.warn({ error: describeForLog(error) }, 'a password reset link was not sent');
    });
    return { requested: true as const };
  });
