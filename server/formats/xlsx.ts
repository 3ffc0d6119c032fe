import type { Finding, LayoutFormat, Segment } from './document.ts';
import { classOf } from './layout-kinds.ts';
import { ComparedTexts } from './office/compared-texts.ts';
import { notSelectedFinding } from './office/kept-finding.ts';
import { officeFormat } from './office/office-format.ts';
import { withFileErrors } from './office/package.ts';
import type { Selection } from './selection.ts';
import { clip } from './text.ts';
import { countCharacters, type KeptClass, TextTally } from './text-tally.ts';
import { type CellPosition, writeReference } from './xlsx/cell-reference.ts';
import { hasLetter, splitText } from './xlsx/cell-text.ts';
import { KeyColumns, keyColumnFinding, LeftOutColumns } from './xlsx/columns.ts';
import { KeptContent } from './xlsx/kept-content.ts';
import {
  formatKey,
  formatRegion,
  type NumberFormat,
  readNumberFormats,
  selectedFormats,
} from './xlsx/number-formats.ts';
import { readXmlPart } from './xlsx/part-stream.ts';
import {
  includedParts,
  namedSheets,
  PartTextReader,
  sheetNameKey,
  type TextPart,
} from './xlsx/part-texts.ts';
import { writeWorkbook } from './xlsx/rebuild.ts';
import { SharedStrings } from './xlsx/shared-strings.ts';
import { SheetTables, slicedTables } from './xlsx/tables.ts';
import { readTextCells } from './xlsx/text-cells.ts';
import { openWorkbook, type Sheet, selectSheets, type Workbook } from './xlsx/workbook.ts';

/**
 * Workbooks. The texts to translate are those of cells and the messages of data validations, and the other texts that a
 * request includes. Cells with a formula and texts without a letter are excluded. White space around a text is not part
 * of the segment.
 */
export const { extract, rebuild } = officeFormat({
  emptyMessage: 'the workbook has no cell with text to translate',

  async read(bytes, selection, add, tally = new TextTally()) {
    const { pages, include = [] } = selection;
    const workbook = await openWorkbook(bytes);
    const strings = await SharedStrings.read(workbook.office, workbook.sharedStrings);
    const findings: Finding[] = [];
    /** The texts of all segments. */
    const translated = new Set<string>();
    const kept = new KeptContent(include);
    const selected = selectSheets(workbook.sheets, pages);
    const left = selectSheets(workbook.sheets, undefined).filter((sheet) => !selected.includes(sheet));
    const { styles: otherStyles, ...unread } = await countLeftOut(workbook, strings, left, tally);
    let [read, accounted] = [unread.characters, unread.characters];
    const addText: AddText = (segment, text) => {
      const { source } = splitText(text);
      translated.add(source);
      const added: Segment = { ...segment, source: [source] };
      add(added);
      return added;
    };
    const leftOut = new LeftOutColumns(selection.excludeColumns);
    const excludeColumns: string[] = [];
    const styles = new Set<number>();
    const keep = (kind: KeptClass, reason: string, characters: number): void => {
      accounted += characters;
      if (characters > 0) tally.keep(kind, reason, characters);
    };
    const headers = include.includes('table_headers') ? { sliced: await slicedTables(workbook) } : undefined;
    const compared = new ComparedTexts();
    for (const sheet of selected) {
      const tables = await SheetTables.read(workbook.office, sheet.path, headers);
      const { number: page, name, regionId } = sheet;
      const keys = new KeyColumns();
      const own: (CellPosition & { segment: Segment })[] = [];
      const summary = await readTextCells(workbook, sheet, strings, tables, {
        isLeftOut: ({ column }) => leftOut.has(name, column),
        text: (cell, _, text) => {
          const cellId = writeReference(cell);
          const { row, column } = cell;
          const segment = addText(
            { regionId, cellId, kind: 'cell', page, place: `${name}!${cellId}` },
            text(),
          );
          own.push({ row, column, segment });
          keys.add(column, text());
          accounted += countCharacters(text());
        },
        outcome: (outcome, characters) => {
          read += characters;
          // A header that stays although the request includes headers cannot be translated.
          if (outcome === 'table_headers' && headers) keep('kept', outcome, characters);
          else if (outcome === 'columns') keep('not_selected', outcome, characters);
          else if (outcome !== 'segment') keep(classOf('xlsx', outcome), outcome, characters);
        },
      });
      for (const style of summary.styles) styles.add(style);
      // The limits of cells are at the end of a sheet.
      if (!summary.limits.isEmpty)
        for (const { segment, ...cell } of own) {
          const most = summary.limits.of(cell);
          if (most !== undefined) Object.assign(segment, { maxLength: most, lengthUnit: 'characters' });
        }
      for (const column of keys.found(name)) {
        excludeColumns.push(column.name);
        findings.push(keyColumnFinding(column));
      }
      kept.addSheet(summary);
      compared.addAll(summary.compared);
      compared.addAll(tables.compared);
      const { texts, characters } = summary.otherValidationTexts;
      if (texts > 0) tally.keep('kept', 'number', characters, texts);
      for (const { key, place, text } of summary.validationTexts) {
        addText({ regionId, cellId: key, kind: 'text_block', page, place: `${name}, ${place}` }, text);
      }
      findings.push(...tables.findings());
    }
    const parts = await includedParts(workbook, selected, selection);
    await kept.read(workbook, new Set(parts.map(({ path }) => path)));
    for (const part of parts) await readPart(workbook, part, addText);
    const named = namedSheets(workbook, selected, selection);
    for (const { regionId, number: page, name } of named) {
      const place = `${name}, sheet name`;
      addText({ regionId, cellId: sheetNameKey, kind: 'text_block', page, place }, name);
    }
    const formats = selectedFormats(await readNumberFormats(workbook), styles, otherStyles);
    for (const format of formats.translated) addFormat(format, addText);
    for (const { words } of formats.left)
      for (const { text } of words) tally.keep('not_selected', 'pages', countCharacters(text));
    findings.push(...kept.findings());
    findings.push(...compared.findings(translated));
    kept.tally(tally);
    for (const sheet of workbook.sheets)
      if (!named.includes(sheet)) tally.keep(...whyNamed(sheet, selection), countCharacters(sheet.name));
    tally.check(read, accounted);
    if (left.length > 0) findings.push(notSelectedFinding(left.length, ['sheet', 'sheets']));
    return {
      ...{ pageCount: workbook.sheets.length, findings, isSigned: workbook.isSigned },
      ...(excludeColumns.length > 0 && { excludeColumns }),
    };
  },

  write: writeWorkbook,
});

type AddText = (segment: Omit<Segment, 'source'>, text: string) => Segment;

/** Adds the texts of a part that belongs to a sheet, such as its comments. */
async function readPart(
  workbook: Workbook,
  part: TextPart & { sheet: Sheet },
  addText: AddText,
): Promise<void> {
  const { path, rule, regionId, sheet } = part;
  const reader = new PartTextReader(rule, ({ key, text, reference }) => {
    const place = reference === undefined ? part.place : `${part.place} ${reference}`;
    addText({ regionId, cellId: key, kind: 'text_block', page: sheet.number, place }, text);
    return undefined;
  });
  await readXmlPart(workbook.office, path, reader);
}

/** Adds the words of a number format. */
function addFormat(format: NumberFormat, addText: AddText): void {
  for (const [at, { text }] of format.words.entries()) {
    const [cellId, place] = [formatKey(format, at), `number format ${clip(format.code, 60)}`];
    addText({ regionId: formatRegion, cellId, kind: 'text_block', page: null, place }, text);
  }
}

/**
 * Counts the texts of sheets that are not selected.
 * @returns the characters of their cells, and the styles of the cells
 */
async function countLeftOut(
  workbook: Workbook,
  strings: SharedStrings,
  sheets: readonly Sheet[],
  tally: TextTally,
): Promise<{ characters: number; styles: ReadonlySet<number> }> {
  let characters = 0;
  const styles = new Set<number>();
  for (const sheet of sheets) {
    const tables = await SheetTables.read(workbook.office, sheet.path);
    const summary = await readTextCells(workbook, sheet, strings, tables, {
      text: () => {},
      outcome: (_, ofCell) => {
        characters += ofCell;
        if (ofCell > 0) tally.keep('not_selected', 'pages', ofCell);
      },
    });
    for (const { text } of summary.validationTexts)
      tally.keep('not_selected', 'pages', countCharacters(text));
    for (const style of summary.styles) styles.add(style);
  }
  return { characters, styles };
}

/**
 * Checks a file before a job is created: all limits except those on the number and length of texts, and whether all
 * parts that are read are valid. This takes as long as `extract`.
 *
 * @throws {FileError} `protected`, `too_large` or `unreadable`
 */
export const check: LayoutFormat['check'] = (bytes, take = () => false, selection = {}) => {
  const { pages, excludeColumns } = selection;
  let wanted = true;
  return withFileErrors(async () => {
    const leftOut = new LeftOutColumns(excludeColumns);
    const workbook = await openWorkbook(bytes);
    const strings = await SharedStrings.read(workbook.office, workbook.sharedStrings);
    await new KeptContent().read(workbook);
    for (const sheet of selectSheets(workbook.sheets, pages)) {
      const tables = await SheetTables.read(workbook.office, sheet.path);
      const { validationTexts } = await readTextCells(workbook, sheet, strings, tables, {
        isLeftOut: ({ column }) => leftOut.has(sheet.name, column),
        text: (_cell, _, text) => {
          wanted = wanted && take(text());
        },
      });
      for (const { text } of validationTexts) wanted = wanted && take(text);
    }
  });
};

/** Returns the reason why the name of a sheet stays, and the class of the reason. */
function whyNamed({ name }: Sheet, { include = [] }: Selection): [KeptClass, string] {
  if (!include.includes('sheet_names')) return [classOf('xlsx', 'sheet_names'), 'sheet_names'];
  return hasLetter(name) ? ['not_selected', 'pages'] : ['kept', 'number'];
}
