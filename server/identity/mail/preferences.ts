import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { mailPreferences } from '#db/schema/mail.ts';
import { mailLanguages } from '#server/settings/kinds.ts';
import type { Settings } from '#server/settings.ts';

export type MailLanguage = (typeof mailLanguages)[number];

/** The mails that a member can switch off. */
export const optionalMails = ['digest', 'documents'] as const;
export type OptionalMail = (typeof optionalMails)[number];

type MailPreferences = Record<OptionalMail, boolean>;

/** A change of the preferences. What is undefined stays. */
interface Change {
  digest?: boolean | undefined;
  documents?: boolean | undefined;
  language?: MailLanguage | undefined;
}

/** Returns the language of mails to members whose language is unknown. */
export const defaultLanguageOf = ({ MAIL_SERVER }: Pick<Settings, 'MAIL_SERVER'>): MailLanguage =>
  MAIL_SERVER?.language ?? 'en';

/** Returns the language of a mail; that of the deployment if the member's is unknown. */
export async function languageOf(
  tx: Tx,
  settings: Settings,
  tenantId: string,
  userId: string | null,
): Promise<MailLanguage> {
  if (userId === null) return defaultLanguageOf(settings);
  const [row] = await tx
    .select({ language: mailPreferences.language })
    .from(mailPreferences)
    .where(isOf(tenantId, userId));
  return mailLanguages.find((language) => language === row?.language) ?? defaultLanguageOf(settings);
}

export async function readPreferences(tx: Tx, tenantId: string, userId: string): Promise<MailPreferences> {
  const { digest, documents } = mailPreferences;
  const [row] = await tx.select({ digest, documents }).from(mailPreferences).where(isOf(tenantId, userId));
  return row ?? { digest: true, documents: true };
}

/** Stores a change. If it changes nothing, the row is not written again. */
export async function storePreferences(
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
  changes: Change,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return;
  const { digest, documents, language } = mailPreferences;
  await tx
    .insert(mailPreferences)
    .values({ tenantId, userId, ...changes })
    .onConflictDoUpdate({
      target: [mailPreferences.tenantId, mailPreferences.userId],
      set: changes,
      setWhere: sql`(${digest}, ${documents}, ${language}) is distinct from (
        ${changes.digest ?? digest}, ${changes.documents ?? documents}, ${changes.language ?? language})`,
    });
}

function isOf(tenantId: string, userId: string) {
  return and(eq(mailPreferences.tenantId, tenantId), eq(mailPreferences.userId, userId));
}
