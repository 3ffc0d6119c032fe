import { and, asc, eq, gt } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  type TbxEdition,
  tbxEditions,
  tbxEntry,
  tbxHead,
  tbxTail,
  tbxType,
} from '#server/formats/tbx/writer.ts';
import { beginExport, cutPieces, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { StreamResponse } from '#server/trpc.ts';

export const tbxQuery = z.object({
  set_id: z.string().describe('Required for the export as TBX: the ID of the glossary.'),
  edition: z
    .enum(tbxEditions)
    .default('2019')
    .describe(
      'For the export as TBX: the edition of ISO 30042. Use `2008` for tools that cannot read `2019`.',
    ),
});

/** Number of entries in memory at a time: about 100 KB. */
const entriesOfPage = 500;

type EntryRow = typeof terminologyEntries.$inferSelect;

/**
 * Exports a glossary as TBX-Basic, in the order of its file. Fails if the glossary is replaced during the export.
 * @throws AppError 404 if the glossary is unknown or belongs to another tenant
 */
export async function exportTbx(
  services: Pick<Services, 'database' | 'log'>,
  withTenant: WithTenant,
  { set_id: setId, edition }: z.infer<typeof tbxQuery>,
  request: ExportRequest,
): Promise<StreamResponse> {
  const readPage = async (tx: Tx, tenantId: string, after: number) => {
    const [set] = await tx
      .select({ name: terminologySets.name, revision: terminologySets.revision })
      .from(terminologySets)
      .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)));
    if (!set) throw new AppError('not_found', 'terminology set not found');
    const { tenantId: ofTenant, setId: ofSet, entryNo } = terminologyEntries;
    const entries = await tx
      .select()
      .from(terminologyEntries)
      .where(and(eq(ofTenant, tenantId), eq(ofSet, setId), gt(entryNo, after)))
      .orderBy(asc(entryNo))
      .limit(entriesOfPage);
    return { ...set, entries };
  };
  const { tenantId, first } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    first: await readPage(tx, tenant.id, 0),
  }));
  const slot = await beginExport({ tenantId, signal: request.signal });
  const readAfter = (after: number) =>
    makePage({ tenantId, signal: request.signal }, () =>
      services.database.inTenant(tenantId, async (tx) => {
        const page = await readPage(tx, tenantId, after);
        if (page.revision !== first.revision) throw new Error('the glossary was replaced during the export');
        return page.entries;
      }),
    );
  return {
    chunks: guardExport(services.log, request, slot, writeTbx(edition, first, readAfter)),
    contentType: tbxType,
    fileName: `${first.name}.tbx`,
    cut: slot.cut,
    end: slot.end,
  };
}

async function* writeTbx(
  edition: TbxEdition,
  { name, entries: first }: { name: string; entries: EntryRow[] },
  readAfter: (after: number) => Promise<EntryRow[]>,
): AsyncGenerator<string, void> {
  yield tbxHead(edition, name);
  let entries = first;
  while (entries.length > 0) {
    yield* cutPieces(entries.map((entry) => tbxEntry(edition, { ...entry, number: entry.entryNo })));
    entries = entries.length < entriesOfPage ? [] : await readAfter((entries.at(-1) as EntryRow).entryNo);
  }
  yield tbxTail(edition);
}
