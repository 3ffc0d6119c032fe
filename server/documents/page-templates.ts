import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments, pageTemplates } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { PageTemplate } from '#server/formats/document.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { router } from '#server/trpc.ts';
import { requireDocument } from './jobs.ts';
import { callTool, selectMends } from './mends.ts';
import { selectRecognition } from './recognition.ts';
import { ofDocument } from './segments.ts';

/*
 * Page templates: a workspace remembers the fixes of a page, and makes them on pages of new files that have its signs. A
 * template has words of its own workspace only, and is applied there only.
 */

/** The maximum number of templates of a workspace. */
const maxTemplates = 200;

const pageTemplate = z.object({
  template_id: z.string().describe('The ID of the template.'),
  name: z.string().describe('Its name.'),
  is_on: z.boolean().describe('Whether it is applied to new files.'),
  fixes: z.array(z.string()).describe('The fixes, such as `join`, in their order.'),
  texts: z.array(z.string()).describe('The texts that are fixed.'),
  signs: z.int().describe('The number of rules, boxes, fonts and texts by which a page is recognized.'),
  document_id: z.string().describe('The document of which it was made.'),
  page: z.int().describe('The number of its page.'),
  created_at: z.string().meta({ format: 'date-time', description: 'When it was made, ISO 8601 in UTC.' }),
  uses: z.int().describe('The number of files to which it was applied.'),
  last_document_id: z.string().nullable().describe('The last of them; null without one.'),
});

const templateList = z.object({ templates: z.array(pageTemplate).describe('The templates, latest first.') });

const name = z.string().trim().min(1).max(200).describe('The name of the template.');
const byId = { template_id: z.string().max(100).describe('The ID of the template.') };
const rememberInput = z.object({
  document_id: z.string().describe('The document whose fixes are remembered.'),
  name: name.optional().describe('The name of the templates. Default: the name of the file.'),
});
const changeInput = z.object({
  ...byId,
  is_on: z.boolean().optional().describe('Whether it is applied to new files.'),
  name: name.optional(),
});

type Row = typeof pageTemplates.$inferSelect;

function view(row: Row): z.infer<typeof pageTemplate> {
  const { signs, steps } = row.template as PageTemplate;
  const own = steps as { mend: { kind: string }; texts: { text: string }[] }[];
  return {
    template_id: row.templateId,
    name: row.name,
    is_on: row.isOn,
    fixes: own.map(({ mend }) => mend.kind),
    texts: own.flatMap(({ texts }) => texts.map(({ text }) => text)),
    signs: signs.boxes.length + signs.fonts.length + signs.texts.length,
    document_id: row.documentId,
    page: row.page,
    created_at: row.createdAt.toISOString(),
    uses: row.uses,
    last_document_id: row.lastDocumentId,
  };
}

async function listTemplates(tx: Tx, tenantId: string): Promise<z.infer<typeof templateList>> {
  const rows = await tx
    .select()
    .from(pageTemplates)
    .where(eq(pageTemplates.tenantId, tenantId))
    .orderBy(desc(pageTemplates.createdAt), pageTemplates.page);
  return { templates: rows.map(view) };
}

/** Returns the templates that are applied to new files, the oldest first. */
export function selectTemplates(tx: Tx, tenantId: string): Promise<Row[]> {
  return tx
    .select()
    .from(pageTemplates)
    .where(and(eq(pageTemplates.tenantId, tenantId), pageTemplates.isOn))
    .orderBy(pageTemplates.createdAt);
}

/** Counts the use of templates by a file. */
export async function countUses(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(pageTemplates)
    .set({ uses: sql`${pageTemplates.uses} + 1`, lastDocumentId: documentId, usedAt: sql`now()` })
    .where(and(eq(pageTemplates.tenantId, tenantId), inArray(pageTemplates.templateId, [...ids])));
}

/**
 * Makes a template of each page of a document with fixes. A template of the same page of this document is replaced.
 * @throws AppError 404; 400 for a document without fixes; 409 if the workspace has too many templates
 */
async function remember(
  services: LocatingServices & Pick<Services, 'database' | 'fileWork' | 'log'>,
  withTenant: WithTenant,
  { document_id: documentId, name }: z.infer<typeof rememberInput>,
): Promise<z.infer<typeof templateList>> {
  const { row, mends, kept, recognition, userId } = await withTenant(async (tx, principal) => {
    const row = await requireDocument(tx, principal.tenant.id, documentId);
    const rows = await tx
      .select({ id: documentSegments.regionId })
      .from(documentSegments)
      .where(
        sql`${ofDocument(row.tenantId, documentId)} and ${documentSegments.provenance} -> 'kept' = 'true'`,
      );
    const userId = principal.kind === 'session' ? principal.user.id : null;
    const recognition = await selectRecognition(tx, row.tenantId, documentId);
    return { row, userId, recognition, mends: await selectMends(tx, row), kept: rows.map(({ id }) => id) };
  });
  if (row.sourceFormat !== 'pdf' || mends.length + kept.length === 0)
    throw new AppError('validation_error', 'the document has no fixed texts to remember');
  const { tenantId } = row;
  const made = await callTool(services, row, 'templates', { mends, recognition }, kept);
  return services.database.inTenant(tenantId, async (tx) => {
    const ofThis = and(eq(pageTemplates.tenantId, tenantId), eq(pageTemplates.documentId, documentId));
    await tx.delete(pageTemplates).where(ofThis);
    if ((await tx.$count(pageTemplates, eq(pageTemplates.tenantId, tenantId))) + made.length > maxTemplates)
      throw new AppError(
        'conflict',
        `a workspace has at most ${maxTemplates} page templates; delete some first`,
      );
    const rows = made.map(({ page, template }) => ({
      ...{
        tenantId,
        templateId: newId(),
        name: name ?? row.sourceFileName,
        template,
        documentId,
        page,
        userId,
      },
    }));
    if (rows.length === 0)
      throw new AppError('validation_error', 'only texts that are on one page can be remembered');
    const stored = await tx.insert(pageTemplates).values(rows).returning();
    return { templates: stored.map(view) };
  });
}

async function changeTemplate(
  tx: Tx,
  tenantId: string,
  { template_id: id, is_on: isOn, name }: z.infer<typeof changeInput>,
): Promise<z.infer<typeof pageTemplate>> {
  const [row] = await tx
    .update(pageTemplates)
    .set({ templateId: id, ...(isOn !== undefined && { isOn }), ...(name !== undefined && { name }) })
    .where(and(eq(pageTemplates.tenantId, tenantId), eq(pageTemplates.templateId, id)))
    .returning();
  if (!row) throw new AppError('not_found', 'page template not found');
  return view(row);
}

/** The page templates of a workspace. No procedure has a route, so only /trpc serves them. */
export const pageTemplatesRouter = router({
  list: tenantProcedure('read')
    .output(templateList)
    .query(({ ctx: { tx, principal } }) => listTemplates(tx, principal.tenant.id)),

  remember: deferredTenantProcedure('review')
    .input(rememberInput)
    .output(templateList)
    .mutation(({ ctx, input }) => remember(ctx.services, ctx.withTenant, input)),

  change: tenantProcedure('review')
    .input(changeInput)
    .output(pageTemplate)
    .mutation(({ ctx: { tx, principal }, input }) => changeTemplate(tx, principal.tenant.id, input)),

  delete: tenantProcedure('review')
    .input(z.object(byId))
    .output(z.void())
    .mutation(async ({ ctx: { tx, principal }, input }) => {
      const { tenantId, templateId } = pageTemplates;
      await tx
        .delete(pageTemplates)
        .where(and(eq(tenantId, principal.tenant.id), eq(templateId, input.template_id)));
    }),
});
