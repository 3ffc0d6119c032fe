import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { mailLanguages } from '#server/settings/kinds.ts';
import { router } from '#server/trpc.ts';
import { hasConfirmedEmail } from './confirmation.ts';
import { queueConfirmationMail } from './outbox.ts';
import { readPreferences, storePreferences } from './preferences.ts';

/** Which mails a member gets. */
const mailPreferences = z.object({
  digest: z.boolean().describe('Whether the member gets a daily mail if items await review.'),
  documents: z.boolean().describe('Whether the member gets a mail when own documents have ended.'),
});

/** A change: fields that are omitted stay. */
const mailPreferencesChange = mailPreferences.partial().extend({
  language: z.enum(mailLanguages).optional().describe('The language of mails to the member.'),
});

const confirmationRequested = z.object({
  queued: z.boolean().describe('False if the member has had too many of these mails today.'),
});

/** Requires that the deployment sends mails. */
const mailProcedure = bearerProcedure.use(({ ctx, next }) => {
  if (!isMailOn(ctx.services.settings)) throw new AppError('capability_off', 'email is not enabled');
  return next();
});

/** The mails that the signed-in member gets. No procedure has a route, so only /trpc serves them. */
export const mailRouter = router({
  preferences: mailProcedure
    .output(mailPreferences)
    .query(({ ctx: { tx, principal } }) => readPreferences(tx, principal.tenant.id, principal.user.id)),

  setPreferences: mailProcedure
    .input(mailPreferencesChange)
    .output(mailPreferences)
    .mutation(async ({ ctx: { tx, principal }, input }) => {
      const member = { tenantId: principal.tenant.id, userId: principal.user.id };
      await storePreferences(tx, member, input);
      return readPreferences(tx, member.tenantId, member.userId);
    }),

  /** Sends the link again with which the member confirms the own address. */
  sendConfirmation: mailProcedure
    .output(confirmationRequested)
    .mutation(async ({ ctx: { tx, principal, services } }) => {
      const member = { tenantId: principal.tenant.id, userId: principal.user.id };
      if (await hasConfirmedEmail(tx, member.tenantId, member.userId))
        throw new AppError('state_conflict', 'your email address is confirmed');
      return { queued: await queueConfirmationMail(tx, services.settings, member) };
    }),
});
