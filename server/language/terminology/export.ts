import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { writeGlossaryCsv, writeGlossaryXlsx, xlsxType } from '#server/formats/glossary/writer.ts';
import {
  type TbxEdition,
  tbxEditions,
  tbxEntry,
  tbxHead,
  tbxTail,
  tbxType,
} from '#server/formats/tbx/writer.ts';
import { type FieldName, fieldColumns, fieldNames } from '#server/formats/term-fields.ts';
import { beginExport, cutPieces, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { setNotFound } from './sets.ts';

/** Number of entries in memory at a time: about 100 KB. */
const entriesOfPage = 500;

type EntryRow = typeof terminologyEntries.$inferSelect;

/** A format of exported glossaries. */
interface ExportFormat {
  contentType: string;
  /** The suffix of the file name, with its dot. */
  suffix: string;
  /** Writes a glossary with this name, page by page. `fields` are those that any of its entries has. */
  write(
    name: string,
    pages: AsyncIterable<EntryRow[]>,
    fields: readonly FieldName[],
  ): AsyncIterable<string | Uint8Array>;
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
  const { tenantId, first, fields } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    first: await readPage(tx, tenant.id, 0),
    fields: await usedFields(tx, tenant.id, setId),
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
    chunks: guardExport(
      services.log,
      request,
      slot,
      write(first.name, readPages(first.entries, readAfter), fields),
    ),
    contentType,
    fileName: `${first.name}${suffix}`,
    cut: slot.cut,
    end: slot.end,
  };
}

/** Returns the fields that any entry of a glossary has. */
export async function usedFields(tx: Tx, tenantId: string, setId: string): Promise<FieldName[]> {
  const { status, doNotTranslate } = terminologyEntries;
  const isUsed = (field: FieldName) =>
    ({
      status: sql<boolean>`bool_or(${status} <> 'preferred')`,
      do_not_translate: sql<boolean>`bool_or(${doNotTranslate})`,
    })[field as string] ?? sql<boolean>`bool_or(${terminologyEntries[fieldNames[field]]} is not null)`;
  const [row] = await tx
    .select(Object.fromEntries(fieldColumns.map((field) => [field, isUsed(field)])))
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, setId)));
  return fieldColumns.filter((field) => row?.[field]);
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

export const tbxQuery = z.object({
  set_id: z.string().describe('Required for the export of a glossary: its ID.'),
  edition: z
    .enum(tbxEditions)
    .default('2019')
    .describe(
      'For the export as TBX: the edition of ISO 30042. Use `2008` for tools that cannot read `2019`.',
    ),
});

export const csvType = 'text/csv';

export const tableQuery = tbxQuery.pick({ set_id: true });

/** A workbook that an upload reads as the same glossary. */
export const xlsxFormat: ExportFormat = {
  contentType: xlsxType,
  suffix: '.xlsx',
  write: (_name, pages, fields) => writeGlossaryXlsx(pages, fields),
};

/** A CSV file that an upload reads as the same glossary. */
export const csvFormat: ExportFormat = {
  contentType: csvType,
  suffix: '.csv',
  async *write(_name, pages, fields) {
    for await (const page of writeGlossaryCsv(pages, fields)) yield* cutPieces([page]);
  },
};

/** TBX-Basic of an edition. */
export function tbxFormat(edition: TbxEdition): ExportFormat {
  return {
    contentType: tbxType,
    suffix: '.tbx',
    async *write(name, pages) {
      yield tbxHead(edition, name);
      for await (const entries of pages)
        yield* cutPieces(entries.map((entry) => tbxEntry(edition, { ...entry, number: entry.entryNo })));
      yield tbxTail(edition);
    },
  };
}
