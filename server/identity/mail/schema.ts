import { z } from 'zod';
import { mailLanguages } from '#server/settings.ts';

/** Which mails a member gets. */
export const mailPreferences = z.object({
  digest: z.boolean().describe('Whether the member gets a daily mail if items await review.'),
  documents: z.boolean().describe('Whether the member gets a mail when own documents have ended.'),
});

/** A change: fields that are omitted stay. */
export const mailPreferencesChange = mailPreferences.partial().extend({
  language: z.enum(mailLanguages).optional().describe('The language of mails to the member.'),
});

export const confirmationRequested = z.object({
  queued: z.boolean().describe('False if the member has had too many of these mails today.'),
});
