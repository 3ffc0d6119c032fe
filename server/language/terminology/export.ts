import { and, asc, eq, gt } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { beginExport, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { setNotFound } from './sets.ts';

/** Number of entries in memory at a time: about 100 KB. */
const entriesOfPage = 500;

type EntryRow = typeof terminologyEntries.$inferSelect;

/** A format of exported glossaries. */
export interface ExportFormat {
  contentType: string;
  /** The suffix of the file name, with its dot. */
  suffix: string;
  /** Writes a glossary with this name, page by page. */
  write(name: string, pages: AsyncIterable<EntryRow[]>): AsyncIterable<string | Uint8Array>;
}

/**
 * Exports a glossary in the order of its entries. Fails if the glossary is changed during the export.
 * @throws AppError 404 if the glossary is unknown or belongs to another tenant
 */
export async function exportGlossary(
  services: Pick<Services, 'database' | 'log'>,
  withTenant: WithTenant,
  setId: string,
  { contentType, suffix, write }: ExportFormat,
  request: ExportRequest,
): Promise<StreamResponse> {
  const readPage = async (tx: Tx, tenantId: string, after: number) => {
    const [set] = await tx
      .select({ name: terminologySets.name, revision: terminologySets.revision })
      .from(terminologySets)
      .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)));
    if (!set) throw setNotFound();
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
    chunks: guardExport(services.log, request, slot, write(first.name, readPages(first.entries, readAfter))),
    contentType,
    fileName: `${first.name}${suffix}`,
    cut: slot.cut,
    end: slot.end,
  };
}

async function* readPages(
  first: EntryRow[],
  readAfter: (after: number) => Promise<EntryRow[]>,
): AsyncGenerator<EntryRow[], void> {
  let entries = first;
  while (entries.length > 0) {
    yield entries;
    entries = entries.length < entriesOfPage ? [] : await readAfter((entries.at(-1) as EntryRow).entryNo);
  }
}
