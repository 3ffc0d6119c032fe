import { and, asc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { styleGuides } from '#db/schema/style-guides.ts';
import { AppError } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { newId } from '#server/platform/ids.ts';
import type { StyleGuide, StyleGuideInput } from './schema.ts';

type Row = typeof styleGuides.$inferSelect;

/** Returns the guides of a tenant: the one of all languages first, then by language code. */
export async function listGuides(tx: Tx, tenantId: string): Promise<StyleGuide[]> {
  return viewsOf(tx, tenantId, await select(tx, tenantId));
}

/** @throws AppError 404, 422 for an unsupported language */
export async function getGuide(tx: Tx, tenantId: string, language: string | null): Promise<StyleGuide> {
  const guide = await findGuide(tx, tenantId, storedLanguage(language));
  if (!guide) throw notFound();
  return guide;
}

/**
 * Creates a guide, or replaces the version that the caller saw.
 * @throws AppError 409, with the present guide, if it was changed since; 422 for an unsupported language
 */
export async function saveGuide(
  origin: Origin,
  withTenant: WithTenant,
  { target_lang, version, ...guide }: StyleGuideInput,
): Promise<StyleGuide> {
  return withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const targetLang = storedLanguage(target_lang);
    const values = {
      rules: guide.rules,
      quotationMarks: guide.quotation_marks,
      spacing: guide.spacing,
      formality: guide.formality,
      forbiddenWords: guide.forbidden_words,
      version: newId(),
      updatedBy: principal.kind === 'session' ? principal.user.id : null,
    };
    const [saved] =
      version === null
        ? await tx
            .insert(styleGuides)
            .values({ tenantId, targetLang, ...values })
            .onConflictDoNothing()
            .returning({ version: styleGuides.version })
        : await tx
            .update(styleGuides)
            .set({ ...values, updatedAt: sql`now()` })
            .where(isVersion(tenantId, targetLang, version))
            .returning({ version: styleGuides.version });
    const present = await findGuide(tx, tenantId, targetLang);
    if (!saved || !present) throw changed(present);
    await record(tx, origin, principal, 'style_guide_saved', targetLang);
    return present;
  });
}

/**
 * Deletes the version of a guide that the caller saw.
 * @throws AppError 404; 409, with the present guide, if it was changed since; 422 for an unsupported language
 */
export async function deleteGuide(
  origin: Origin,
  withTenant: WithTenant,
  { target_lang, version }: { target_lang: string | null; version: string },
): Promise<void> {
  return withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const targetLang = storedLanguage(target_lang);
    const deleted = await tx
      .delete(styleGuides)
      .where(isVersion(tenantId, targetLang, version))
      .returning({ version: styleGuides.version });
    if (deleted.length === 0) {
      const present = await findGuide(tx, tenantId, targetLang);
      throw present ? changed(present) : notFound();
    }
    await record(tx, origin, principal, 'style_guide_deleted', targetLang);
  });
}

/** Returns the language as it is stored: '' is the guide of all languages. */
function storedLanguage(language: string | null): string {
  return language === null ? '' : requireLanguage('target_lang', language);
}

function isVersion(tenantId: string, targetLang: string, version: string) {
  return and(
    eq(styleGuides.tenantId, tenantId),
    eq(styleGuides.targetLang, targetLang),
    eq(styleGuides.version, version),
  );
}

async function findGuide(tx: Tx, tenantId: string, targetLang: string): Promise<StyleGuide | null> {
  const [view] = await viewsOf(tx, tenantId, await select(tx, tenantId, targetLang));
  return view ?? null;
}

function select(tx: Tx, tenantId: string, targetLang?: string) {
  const inLanguage = targetLang === undefined ? undefined : eq(styleGuides.targetLang, targetLang);
  return tx
    .select()
    .from(styleGuides)
    .where(and(eq(styleGuides.tenantId, tenantId), inLanguage))
    .orderBy(asc(styleGuides.targetLang));
}

async function viewsOf(tx: Tx, tenantId: string, guides: readonly Row[]): Promise<StyleGuide[]> {
  const authors = guides.flatMap(({ updatedBy }) => updatedBy ?? []);
  const emails = authors.length > 0 ? await emailsOf(tx, tenantId, authors) : new Map<string, string>();
  return guides.map((guide) => ({
    target_lang: guide.targetLang || null,
    rules: guide.rules,
    quotation_marks: guide.quotationMarks as StyleGuide['quotation_marks'],
    spacing: guide.spacing as StyleGuide['spacing'],
    formality: guide.formality as StyleGuide['formality'],
    forbidden_words: guide.forbiddenWords,
    version: guide.version,
    updated_at: guide.updatedAt.toISOString(),
    updated_by: emails.get(guide.updatedBy ?? '') ?? guide.updatedBy,
  }));
}

function record(
  tx: Tx,
  origin: Origin,
  principal: Principal,
  action: 'style_guide_saved' | 'style_guide_deleted',
  targetLang: string,
): Promise<void> {
  return recordEvent(tx, origin, {
    action,
    tenantId: principal.tenant.id,
    actor: actorOfPrincipal(principal),
    details: { target_lang: targetLang || null },
  });
}

function notFound(): AppError {
  return new AppError('not_found', 'style guide not found');
}

function changed(present: StyleGuide | null): AppError {
  return new AppError('conflict', 'another member has changed this style guide', { present });
}
