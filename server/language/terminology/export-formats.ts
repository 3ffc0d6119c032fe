import { z } from 'zod';
import { writeGlossaryCsv, writeGlossaryXlsx, xlsxType } from '#server/formats/glossary/writer.ts';
import {
  type TbxEdition,
  tbxEditions,
  tbxEntry,
  tbxHead,
  tbxTail,
  tbxType,
} from '#server/formats/tbx/writer.ts';
import { cutPieces } from '#server/http/exports.ts';
import type { ExportFormat } from './export.ts';

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
