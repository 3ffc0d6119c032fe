import { type Finding, fileFinding, type RebuildOptions } from '../document.ts';
import { describeLength } from '../length-limit.ts';
import type { Targets } from '../office/office-format.ts';
import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import { clip } from '../text.ts';
import { type DirectionChange, directionChange } from '../typesetting/languages.ts';
import { type CellPosition, writeReference } from './cell-reference.ts';
import { CellStyles } from './cell-styles.ts';
import { cellTextLimit, cutToLimit, translatedText } from './cell-text.ts';
import { LeftOutColumns } from './columns.ts';
import {
  columnNameLimit,
  decideHeaders,
  type NewHeader,
  NewNames,
  newSheetNames,
  sheetNameLimit,
} from './names.ts';
import {
  formatKey,
  formatLimit,
  formatRegion,
  formatWriter,
  type NumberFormat,
  readNumberFormats,
  selectedFormats,
  writeFormat,
} from './number-formats.ts';
import { PartChanges, type PartEditor, readXmlPart } from './part-stream.ts';
import {
  includedParts,
  namedSheets,
  type PartText,
  PartTextReader,
  sheetNameKey,
  type TextPart,
} from './part-texts.ts';
import { findReferences, ReferenceReader, type References } from './references.ts';
import {
  repoint,
  rewriteSharedStrings,
  rowHeightWriter,
  setOwnText,
  type TableTexts,
  tableWriter,
} from './rewrite-parts.ts';
import { SharedStringPlan } from './shared-string-plan.ts';
import { SharedStrings } from './shared-strings.ts';
import { columnWidthWriter } from './sheet-columns.ts';
import { type NewSizes, SheetFit } from './sheet-fit.ts';
import type { Cell } from './sheet-reader.ts';
import { type HeaderSelection, SheetTables, slicedTables, type TableHeader } from './tables.ts';
import { readTextCells, type TextCellVisitor, textCellReader } from './text-cells.ts';
import { type ValidationText, validationWriter } from './validation-texts.ts';
import { isSpreadsheet, openWorkbook, type Sheet, selectSheets, type Workbook } from './workbook.ts';

/** The elements that the schema places before the views of a sheet. */
const beforeViews = new Set(['sheetPr', 'dimension']);

/** Changes the direction of a sheet: in a right-to-left sheet, column A is at the right. */
function directionWriter(editor: PartEditor, change: 'rtl' | 'ltr'): PositionedXmlEvents {
  let depth = 0;
  let section = '';
  /** Whether the place of the views has been read. */
  let isPast = false;
  const openSection = ({ local, name, start }: XmlStartTag): void => {
    section = local;
    if (isPast || beforeViews.has(local)) return;
    isPast = true;
    if (local === 'sheetViews' || change === 'ltr') return;
    const prefix = name.slice(0, name.length - local.length);
    const view = `<${prefix}sheetView rightToLeft="1" workbookViewId="0"/>`;
    editor.replace(start, start, `<${prefix}sheetViews>${view}</${prefix}sheetViews>`);
  };
  const openView = ({ name, attributes, start, end }: XmlStartTag): void => {
    const source = editor.source(start, end);
    const plain = source.replace(/\srightToLeft\s*=\s*(?:"[^"]*"|'[^']*')/, '');
    const written = change === 'rtl' ? plain.replace(`<${name}`, `<${name} rightToLeft="1"`) : plain;
    if (attributes['rightToLeft'] === undefined && change === 'ltr') return;
    editor.replace(start, end, written);
  };
  return {
    openTag: (tag) => {
      depth++;
      if (depth === 2 && isSpreadsheet(tag)) openSection(tag);
      else if (depth === 3 && section === 'sheetViews' && tag.local === 'sheetView') openView(tag);
    },
    closeTag: () => {
      depth--;
    },
  };
}

/** Returns the parts of a workbook that change, with the translations in its cells. */
export async function writeWorkbook(bytes: Uint8Array, targets: Targets, options: RebuildOptions) {
  const workbook = await openWorkbook(bytes);
  const strings = await SharedStrings.read(workbook.office, workbook.sharedStrings);
  const headers = options.include?.includes('table_headers')
    ? { sliced: await slicedTables(workbook) }
    : undefined;
  const work = new Rebuilding(workbook, strings, headers, targets, options);
  await work.readCells();
  await work.readParts();
  await work.writeFormats();
  work.nameSheets();
  await work.rename();
  await work.writeCells();
  return {
    parts: work.changes.contents(),
    findings: work.findings,
    lateFindings: () => work.lateFindings(),
  };
}

/** The state of rebuilding one workbook. Each step adds to the changes of the parts. */
class Rebuilding {
  readonly findings: Finding[] = [];
  readonly changes: PartChanges;
  /** The numbers of texts in which words lose their formatting. They are known after the parts are written. */
  #unformatted = 0;
  #unformattedInParts = 0;
  readonly #targets: Targets;
  readonly #workbook: Workbook;
  readonly #strings: SharedStrings;
  readonly #headers: HeaderSelection | undefined;
  readonly #options: RebuildOptions;
  readonly #direction: DirectionChange;
  readonly #selected: readonly Sheet[];
  readonly #plan: SharedStringPlan;
  readonly #names = new NewNames();
  /** The new texts of tables, by the paths of their parts. */
  readonly #tableTexts = new Map<string, TableTexts>();
  /** The numbers of the sheets that must be written, because their texts or their direction change. */
  readonly #changedSheets = new Set<number>();
  readonly #turnedSheets = new Set<number>();
  /** The new sizes of rows and columns, by the numbers of the sheets. */
  readonly #sizes = new Map<number, NewSizes>();
  /** The translations of cells, by their old texts, for the copies in charts. */
  readonly #copied = new Map<string, string>();
  readonly #leftOut: LeftOutColumns;
  /** The numbers of the styles of cells in sheets that are selected, and in the others. */
  readonly #usedStyles = new Set<number>();
  readonly #pinnedStyles = new Set<number>();

  constructor(
    workbook: Workbook,
    strings: SharedStrings,
    headers: HeaderSelection | undefined,
    targets: Targets,
    options: RebuildOptions,
  ) {
    this.#workbook = workbook;
    this.#strings = strings;
    this.#headers = headers;
    this.#targets = targets;
    this.#options = options;
    this.#direction = directionChange(options.sourceLanguage, options.targetLanguage);
    this.#selected = selectSheets(workbook.sheets, options.pages);
    this.#plan = new SharedStringPlan(strings);
    this.#leftOut = new LeftOutColumns(options.excludeColumns);
    this.changes = new PartChanges(workbook.office);
  }

  /** Reads all cells, and decides their new texts. */
  async readCells(): Promise<void> {
    const styles = await CellStyles.read(this.#workbook);
    for (const sheet of selectSheets(this.#workbook.sheets, undefined))
      if (this.#selected.includes(sheet)) await this.#readSheet(sheet, styles);
      else await this.#pinSheet(sheet);
    this.#plan.decide(new Set([...this.#changedSheets, ...this.#turnedSheets]));
  }

  /** The shared strings of a sheet that is not selected keep their texts and indexes, so that the sheet stays unchanged. */
  async #pinSheet(sheet: Sheet): Promise<void> {
    const plan = this.#plan;
    const pin = (_: Cell, index: number | undefined) => index !== undefined && plan.pin(index);
    const tables = await SheetTables.read(this.#workbook.office, sheet.path);
    const { styles } = await readTextCells(this.#workbook, sheet, this.#strings, tables, {
      text: pin,
      stays: pin,
      formulaResult: (index) => plan.pin(index),
    });
    for (const style of styles) this.#pinnedStyles.add(style);
  }

  async #readSheet(sheet: Sheet, styles: CellStyles): Promise<void> {
    const plan = this.#plan;
    const tables = await SheetTables.read(this.#workbook.office, sheet.path, this.#headers);
    const headers: (NewHeader & { index: number | undefined; cell: CellPosition })[] = [];
    const fit = new SheetFit(styles, sheet.printArea);
    const isLeftOut = (cell: Cell) => this.#leftOut.has(sheet.name, cell.column);
    const lengths: (CellPosition & { length: number })[] = [];
    const summary = await readTextCells(this.#workbook, sheet, this.#strings, tables, {
      filled: (cell) => fit.filled(cell),
      isLeftOut,
      text: (cell, index, text, header) => {
        const old = text();
        const next = this.#textOf(sheet, cell, old);
        if (next.text !== old)
          lengths.push({ row: cell.row, column: cell.column, length: [...next.text.trim()].length });
        fit.add(cell, old, next.text);
        if (header) {
          const { row, column } = cell;
          headers.push({ ...header, old, text: next.text, index, cell: { row, column } });
          return;
        }
        if (next.isCut) this.findings.push(truncated(sheet, cell, 'a cell', cellTextLimit));
        const label = next.text === old ? undefined : tables.totalsLabel(cell, old);
        if (label) this.#textsOf(label.path).labels.set(label.column, next.text);
        this.#use(sheet, index, old, next.text);
      },
      stays: (_, index) => {
        if (index !== undefined) plan.use(index, this.#strings.textOf(index), sheet.number);
      },
      formulaResult: (index) => plan.pin(index),
    });
    for (const style of summary.styles) this.#usedStyles.add(style);
    if (!summary.limits.isEmpty)
      for (const cell of lengths) {
        const most = summary.limits.of(cell);
        if (most !== undefined && cell.length > most) this.findings.push(tooLong(sheet, cell, most));
      }
    const sizes = fit.sizes(summary.merged);
    this.#sizes.set(sheet.number, sizes);
    const scale = summary.page.scaleFor(...sizes.printed, styles.fontSize);
    if (scale) this.changes.add(sheet.path, (editor) => summary.page.scaleWriter(editor, scale));
    this.#readValidations(sheet, summary.validationTexts);
    for (const { text, cell } of headers)
      if (text.length > columnNameLimit)
        this.findings.push(truncated(sheet, cell, "the header of a table's column", columnNameLimit));
    decideHeaders(headers);
    for (const { table, column, index, old, text } of headers) {
      this.#use(sheet, index, old, text);
      if (text === old) continue;
      this.#textsOf(table.path).names.set(column, text);
      this.#names.addColumn(table.name, table.columns[column]!, text);
    }
  }

  /** Returns the new text of a cell, and whether it was truncated to Excel's maximum length. */
  #textOf(sheet: Sheet, cell: CellPosition, old: string): { text: string; isCut: boolean } {
    const text = this.#partTextOf(sheet.regionId, writeReference(cell), old);
    if (text === undefined) return { text: old, isCut: false };
    const cut = cutToLimit(text);
    return { text: cut, isCut: cut !== text };
  }

  #partTextOf(regionId: string, cellId: string, old: string): string | undefined {
    return translatedText(old, this.#targets.of({ regionId, cellId }));
  }

  /** Records the new text of a cell. */
  #use(sheet: Sheet, index: number | undefined, old: string, text: string): void {
    if (text !== old) {
      if (this.#options.include?.includes('charts')) this.#copied.set(old, text);
      if (this.#direction !== 'kept') this.#turnedSheets.add(sheet.number);
    }
    if (index !== undefined) this.#plan.use(index, text, sheet.number);
    else if (text !== old) this.#changedSheets.add(sheet.number);
  }

  /** Decides the new messages of data validations, and adds the change of the sheet. */
  #readValidations(sheet: Sheet, validationTexts: readonly ValidationText[]): void {
    const texts = new Map<string, string>();
    for (const { key, place, text, limit } of validationTexts) {
      const next = this.#partTextOf(sheet.regionId, key, text);
      if (next === undefined) continue;
      texts.set(key, cutToLimit(next, limit));
      if (next.length > limit) this.findings.push(messageCut(sheet, key, place, limit));
    }
    if (texts.size > 0) this.changes.add(sheet.path, (editor) => validationWriter(editor, texts));
  }

  #textsOf(table: string): TableTexts {
    const texts = this.#tableTexts.get(table) ?? { labels: new Map(), names: new Map() };
    this.#tableTexts.set(table, texts);
    return texts;
  }

  /** Reads the included texts that are not in cells, and adds the changes of their parts. */
  async readParts(): Promise<void> {
    for (const part of await includedParts(this.#workbook, this.#selected, this.#options))
      await this.#readPart(part);
  }

  async #readPart({ path, regionId, rule }: TextPart): Promise<void> {
    const textOf = ({ key, text }: PartText) => this.#partTextOf(regionId, key, text);
    const cached = (text: string) => this.#copied.get(text);
    let changes = false;
    const noting =
      <T>(next: (text: T) => string | undefined) =>
      (text: T) => {
        if (next(text) !== undefined) changes = true;
        return undefined;
      };
    // The first reading marks the translations as used, because the part is written only later.
    const reader = new PartTextReader(rule, noting(textOf), { cached: noting(cached) });
    await readXmlPart(this.#workbook.office, path, reader);
    const formatLost = (): void => {
      this.#unformattedInParts++;
    };
    if (changes)
      this.changes.add(path, (editor) => new PartTextReader(rule, textOf, { editor, cached, formatLost }));
  }

  /** Writes the words of number formats. */
  async writeFormats(): Promise<void> {
    const read = await readNumberFormats(this.#workbook);
    const codes = new Map<string, string>();
    for (const format of selectedFormats(read, this.#usedStyles, this.#pinnedStyles).translated) {
      const texts = format.words.map(({ text }, at) =>
        this.#partTextOf(formatRegion, formatKey(format, at), text),
      );
      const code = writeFormat(format, texts);
      if (code.length > formatLimit) this.findings.push(formatTooLong(format));
      else if (code !== format.code) codes.set(format.id, code);
    }
    if (read.path !== undefined && codes.size > 0)
      this.changes.add(read.path, (editor) => formatWriter(editor, codes));
  }

  /** Decides the names of the sheets. */
  nameSheets(): void {
    const { sheets } = this.#workbook;
    const wanted = new Map<Sheet, string>();
    for (const sheet of namedSheets(this.#workbook, this.#selected, this.#options)) {
      const name = this.#partTextOf(sheet.regionId, sheetNameKey, sheet.name);
      if (name === undefined) continue;
      wanted.set(sheet, name);
      if (name.length > sheetNameLimit) this.findings.push(shortened(sheet));
    }
    for (const [{ name }, next] of newSheetNames(sheets, wanted)) this.#names.addSheet(name, next);
  }

  /** Adds the changes of the parts that refer to a new name. */
  async rename(): Promise<void> {
    for (const [path, texts] of this.#tableTexts)
      this.changes.add(path, (editor) => tableWriter(editor, texts));
    const references = await findReferences(this.#workbook, this.#names);
    const report = { changed: () => {}, unsure: () => {} };
    for (const path of references.parts)
      this.changes.add(path, (editor) => new ReferenceReader(this.#names, report, editor));
    if (references.unsure > 0) this.findings.push(unsureReferences(references));
  }

  /** Adds the changes of the shared strings and of the sheets. */
  async writeCells(): Promise<void> {
    const { office, sharedStrings } = this.#workbook;
    const plan = this.#plan;
    const formatLost = (): void => {
      this.#unformatted++;
    };
    if (sharedStrings !== undefined && (plan.changed.size > 0 || plan.appended.length > 0))
      this.changes.set(sharedStrings, () =>
        rewriteSharedStrings(office, sharedStrings, this.#strings, plan, formatLost),
      );
    for (const sheet of this.#selected) {
      const { number, path } = sheet;
      const direction = this.#direction;
      if (direction !== 'kept' && this.#turnedSheets.has(number))
        this.changes.add(path, (editor) => directionWriter(editor, direction));
      const { heights, widths } = this.#sizes.get(number)!;
      if (widths.size > 0) this.changes.add(path, (editor) => columnWidthWriter(editor, widths));
      if (heights.size > 0) this.changes.add(path, (editor) => rowHeightWriter(editor, heights));
      if (!this.#changedSheets.has(number) && !plan.repointedSheets.has(number)) continue;
      const tables = await SheetTables.read(office, path, this.#headers);
      this.changes.add(path, (editor) =>
        textCellReader(this.#strings, tables, this.#writer(sheet, editor, formatLost), editor),
      );
    }
  }

  /** Returns a visitor that writes the new texts of a sheet. */
  #writer(sheet: Sheet, editor: PartEditor, formatLost: () => void): TextCellVisitor {
    const point = (cell: Cell, index: number, text: string): void => {
      const next = this.#plan.indexOf(index, text);
      if (next !== index) repoint(editor, cell, next);
    };
    return {
      text: (cell, index, text, header) => {
        const old = text();
        const next = header ? (this.#headerText(header) ?? old) : this.#textOf(sheet, cell, old).text;
        if (index !== undefined) point(cell, index, next);
        else if (next !== old && setOwnText(editor, cell, next)) formatLost();
      },
      isLeftOut: (cell) => this.#leftOut.has(sheet.name, cell.column),
      stays: (cell, index) => {
        if (index !== undefined) point(cell, index, this.#strings.textOf(index));
      },
    };
  }

  #headerText({ table, column }: TableHeader): string | undefined {
    return this.#tableTexts.get(table.path)?.names.get(column);
  }

  lateFindings(): Finding[] {
    const counts: [number, string][] = [
      [this.#unformatted, 'cells'],
      [this.#unformattedInParts, 'comments, text boxes and charts'],
    ];
    return counts.flatMap(([texts, place]) => (texts > 0 ? [formattingLost(texts, place)] : []));
  }
}

/** @param place the kinds of objects that have the texts */
function formattingLost(texts: number, place: string): Finding {
  const message = `in ${texts === 1 ? '1 text' : `${texts} texts`} of ${place}, some words of the translation do not have the formatting of the source`;
  return { severity: 'info', code: 'formatting_lost', message, unitId: null };
}

function truncated({ name }: Sheet, cell: CellPosition, holder: string, limit: number): Finding {
  const reference = writeReference(cell);
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}!${reference} is longer than the ${limit.toLocaleString('en-US')} characters that ${holder} can hold, and was cut`,
    unitId: reference,
  };
}

function tooLong({ name }: Sheet, cell: CellPosition & { length: number }, most: number): Finding {
  const reference = writeReference(cell);
  const message = `the translation of ${name}!${reference} has ${describeLength(cell.length, 'characters')}; the cell accepts ${most}`;
  return { severity: 'warning', code: 'text_too_long', message, unitId: reference };
}

function formatTooLong({ id, code }: NumberFormat): Finding {
  const message = `the translation of the number format ${clip(code, 60)} is longer than the ${formatLimit} characters that Excel accepts, and stays`;
  return { severity: 'warning', code: 'unsupported_content_kept', message, unitId: `format${id}` };
}

function shortened({ name }: Sheet): Finding {
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}, sheet name, is longer than the ${sheetNameLimit} characters that the name of a sheet can have, and was cut`,
    unitId: sheetNameKey,
  };
}

function messageCut({ name }: Sheet, key: string, place: string, limit: number): Finding {
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}, ${place}, is longer than the ${limit} characters that Excel accepts there, and was cut`,
    unitId: key,
  };
}

function unsureReferences({ unsure, places }: References): Finding {
  const subject = unsure === 1 ? '1 formula makes a reference' : `${unsure} formulas make references`;
  const where = places.length === 0 ? '' : ` (${places.join(', ')}${unsure > places.length ? ', …' : ''})`;
  const message = `${subject} from texts${where}, which may contain old names of sheets or columns; check the results in Excel`;
  return fileFinding('warning', 'unsupported_content_kept', message);
}
