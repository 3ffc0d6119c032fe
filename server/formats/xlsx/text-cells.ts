import { limits, overLimit } from '../file-error.ts';
import { countCharacters } from '../text-tally.ts';
import { type CellRange, lastColumn, readRange } from './cell-reference.ts';
import { decodeCellText, hasLetter } from './cell-text.ts';
import { type PartEditor, readXmlPart } from './part-stream.ts';
import type { SharedStrings } from './shared-strings.ts';
import { type Cell, SheetReader, type SheetSummary } from './sheet-reader.ts';
import type { SheetTables, TableHeader } from './tables.ts';
import type { Sheet, Workbook } from './workbook.ts';

/**
 * The cells that show the results of a formula that is in another cell: the cells of an array formula or of a data
 * table. Only the first cell has the formula, and none of these cells has its own text.
 */
class FormulaResults {
  /**
   * For each column, the last row that a formula fills so far. A formula is in the first cell of the range that it
   * fills, so the rows above have already been read.
   */
  readonly #lastRows = new Int32Array(lastColumn + 1);
  #marked = 0;

  /** @throws {FileError} `too_large` if all formulas together fill more columns than a sheet can need */
  add({ left, right, bottom }: CellRange): void {
    this.#marked += right - left + 1;
    if (this.#marked > limits.xlsxFormulaColumns)
      throw overLimit('the number of columns that array formulas fill', limits.xlsxFormulaColumns);
    for (let column = left; column <= right; column++)
      if (this.#lastRows[column]! < bottom) this.#lastRows[column] = bottom;
  }

  includes(row: number, column: number): boolean {
    return row <= this.#lastRows[column]!;
  }
}

/**
 * Receives the cells of a sheet. Cells that are never translated are skipped: numbers, dates, texts without a letter.
 */
export interface TextCellVisitor {
  /** Called for every cell with a value or a formula, before the other methods. */
  filled?(cell: Cell): void;
  /**
   * Called for a cell whose text is translated.
   *
   * @param sharedIndex the index of the shared string; undefined if the cell contains its text itself
   * @param text returns the text of the cell
   * @param header the header of a table's column, if the cell is one
   */
  text(cell: Cell, sharedIndex: number | undefined, text: () => string, header?: TableHeader): void;
  /** Called for a cell with text that stays unchanged: the header of a table's column, or a cell that is left out. */
  stays?(cell: Cell, sharedIndex: number | undefined): void;
  /** Whether a cell with a text is left out. */
  isLeftOut?(cell: Cell): boolean;
  /** Called for a cell with a formula whose result is a shared string. */
  formulaResult?(sharedIndex: number): void;
  /**
   * Called for every cell with a text, with what becomes of the text and with the number of its visible characters. It is
   * called after the other methods.
   */
  outcome?(outcome: CellOutcome, characters: number): void;
}

/** The outcome of a cell's text: `segment`, or the reason why it stays. */
type CellOutcome = 'segment' | 'columns' | 'table_headers' | 'formula_result' | 'number';

/** Returns a reader for a sheet that passes the text cells to the visitor. */
export function textCellReader(
  strings: SharedStrings,
  tables: SheetTables,
  visitor: TextCellVisitor,
  editor?: PartEditor,
): SheetReader {
  const results = new FormulaResults();
  const visit = (cell: Cell, sharedIndex: number | undefined, text: () => string): CellOutcome => {
    if (visitor.isLeftOut?.(cell)) {
      visitor.stays?.(cell, sharedIndex);
      return 'columns';
    }
    const table = tables.withHeader(cell.row, cell.column);
    const header = table && tables.translatedHeader(cell.row, cell.column, text());
    if (!table || header) {
      visitor.text(cell, sharedIndex, text, header);
      return 'segment';
    }
    tables.countHeader(table);
    visitor.stays?.(cell, sharedIndex);
    return 'table_headers';
  };
  const onCell = (cell: Cell): void => {
    if (cell.hasFormula || cell.value !== '' || cell.inlineText !== '') visitor.filled?.(cell);
    if (cell.formulaRange !== undefined) results.add(readRange(cell.formulaRange));
    const isResult = cell.hasFormula || results.includes(cell.row, cell.column);
    if (cell.type === 's') {
      const index = strings.readIndex(cell.value);
      if (index === undefined) return;
      let outcome: CellOutcome = isResult ? 'formula_result' : 'number';
      if (strings.isTranslatable(index)) {
        if (isResult) visitor.formulaResult?.(index);
        else outcome = visit(cell, index, () => strings.textOf(index));
      }
      visitor.outcome?.(outcome, strings.charactersOf(index));
    } else if (cell.type === 'inlineStr' || cell.type === 'str') {
      const text = cell.type === 'str' ? decodeCellText(cell.value) : cell.inlineText;
      let outcome: CellOutcome = isResult ? 'formula_result' : 'number';
      if (!isResult && hasLetter(text)) outcome = visit(cell, undefined, () => text);
      if (visitor.outcome) visitor.outcome(outcome, countCharacters(text));
    }
  };
  return new SheetReader(onCell, editor);
}

/** Reads the cells of a sheet in order. Returns the numbers of other texts in the sheet. */
export async function readTextCells(
  { office }: Workbook,
  { path }: Sheet,
  strings: SharedStrings,
  tables: SheetTables,
  visitor: TextCellVisitor,
): Promise<SheetSummary> {
  const reader = textCellReader(strings, tables, visitor);
  await readXmlPart(office, path, reader);
  return reader.summary;
}
