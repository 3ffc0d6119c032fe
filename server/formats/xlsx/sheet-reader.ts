import { FileError } from '../file-error.ts';
import { ComparedTexts } from '../office/compared-texts.ts';
import type { PositionedXmlEvents, XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { countCharacters } from '../text-tally.ts';
import {
  CellLimits,
  type CellRange,
  lastColumn,
  lastRow,
  readRange,
  readReference,
  writeReference,
} from './cell-reference.ts';
import { decodeCellText, hasLetter } from './cell-text.ts';
import { boundRun, isOn, type PartEditor, prefixOf } from './part-stream.ts';
import { PageSetup } from './print-scale.ts';
import { StringItem } from './shared-strings.ts';
import { SheetColumns } from './sheet-columns.ts';
import { type ValidationText, ValidationTexts } from './validation-texts.ts';
import { isSpreadsheet, requireRoot } from './workbook.ts';

/** The position of an element's content, which is between the element's start tag and end tag. */
interface Content {
  start: number;
  end: number;
  /** The namespace prefix of the element's name, with its colon. */
  prefix: string;
}

/** A cell of a sheet. The reader uses one object for all cells, so do not keep it. */
export interface Cell {
  row: number;
  column: number;
  /** The number of the cell's style. */
  style: number;
  /** The height of the cell's row in points, 0 if the row is hidden; undefined if the file does not have it. */
  rowHeight: number | undefined;
  /** Whether the height of the row stays when its texts change. */
  hasFixedHeight: boolean;
  columns: SheetColumns;
  /** The type of the cell's value: `s`, `inlineStr`, `str`, …; '' for a number. */
  type: string;
  hasFormula: boolean;
  /** The range of cells that the result of the cell's formula fills, if it fills several cells. */
  formulaRange: string | undefined;
  /** The content of the `<v>` element, with XML references decoded. */
  value: string;
  /** The text of the `<is>` element. */
  inlineText: string;
  /**
   * The positions of the contents of `<v>` and of `<is>`. Undefined if the cell does not have the element, or if the
   * element is self-closing.
   */
  valueContent: Content | undefined;
  inlineContent: Content | undefined;
}

/** The content of a sheet that is not in its cells. */
export interface SheetSummary {
  /** The merged ranges, by their first cells: `A1`. */
  merged: Map<string, CellRange>;
  page: PageSetup;
  /** The texts with which cells may be compared. */
  compared: ComparedTexts;
  /** The headers and footers with letters. */
  headersAndFooters: TextCount;
  /** The tips of links. */
  tips: TextCount;
  /** The data validations that contain their list of values. */
  literalLists: TextCount;
  /** The messages of data validations, and those without a letter. */
  validationTexts: readonly ValidationText[];
  otherValidationTexts: Readonly<TextCount>;
  /** The lengths of texts that cells accept. */
  limits: CellLimits;
  /** The numbers of the styles of cells with a value. */
  styles: Set<number>;
}

/** A number of texts, and of their visible characters. */
interface TextCount {
  texts: number;
  characters: number;
}

/**
 * Reads a sheet cell by cell. A row or cell without a reference is next to the previous one.
 *
 * `openTag` throws a FileError `unreadable` if cells are not in order, because Excel repairs such a sheet and then
 * drops cells.
 *
 * @param onCell is called at the end of each cell; it may change the cell by means of the editor
 */
export class SheetReader implements PositionedXmlEvents {
  readonly #validations = new ValidationTexts();
  readonly summary: SheetSummary = {
    merged: new Map(),
    page: new PageSetup(),
    compared: new ComparedTexts(),
    headersAndFooters: { texts: 0, characters: 0 },
    tips: { texts: 0, characters: 0 },
    literalLists: { texts: 0, characters: 0 },
    validationTexts: this.#validations.texts,
    otherValidationTexts: this.#validations.others,
    limits: new CellLimits(),
    styles: new Set(),
  };
  readonly #onCell: (cell: Cell) => void;
  readonly #editor: PartEditor | undefined;
  readonly #item = new StringItem();
  #depth = 0;
  /** The name of the open child of the root element; '' if it is of another namespace. */
  #section = '';
  #row = 0;
  #column = 0;
  #inCell = false;
  #cellStart = 0;
  /** The name of the open child of the cell. */
  #part = '';
  #text = '';
  #content: Content | undefined;
  readonly #cell: Cell = {
    row: 0,
    column: 0,
    style: 0,
    rowHeight: undefined,
    hasFixedHeight: false,
    columns: new SheetColumns(),
    type: '',
    hasFormula: false,
    formulaRange: undefined,
    value: '',
    inlineText: '',
    valueContent: undefined,
    inlineContent: undefined,
  };

  constructor(onCell: (cell: Cell) => void, editor?: PartEditor) {
    this.#onCell = onCell;
    this.#editor = editor;
  }

  openTag(tag: XmlStartTag): void {
    const depth = ++this.#depth;
    if (this.#inCell) {
      if (depth === 5) this.#openCellPart(tag);
      else if (this.#part === 'is') this.#item.open(tag);
      return;
    }
    if (depth === 1) requireRoot(tag, 'worksheet');
    else if (depth === 2) {
      this.#section = isSpreadsheet(tag) ? tag.local : '';
      if (this.#section === 'sheetFormatPr') this.#cell.columns.setFormat(tag);
      else this.summary.page.add(this.#section, tag);
    } else if (this.#section === 'sheetData') {
      if (!isSpreadsheet(tag)) return;
      if (depth === 3 && tag.local === 'row') this.#openRow(tag);
      else if (depth === 4 && tag.local === 'c') this.#openCell(tag);
    } else {
      this.#text = '';
      this.summary.limits.open(tag);
      if (tag.local === 'mergeCell' && this.#section === 'mergeCells') this.#openMerge(tag);
      else if (tag.local === 'col' && this.#section === 'cols') this.#cell.columns.add(tag);
      else if (tag.local === 'dataValidation') this.#validations.add(tag);
      else if (tag.local === 'hyperlink') this.#addTip(tag.attributes['tooltip'] ?? '');
      else if (isFilter(tag)) this.summary.compared.addValue(decodeCellText(tag.attributes['val'] ?? ''));
      else if (depth === 3) this.summary.page.add(this.#section, tag);
    }
  }

  #addTip(tip: string): void {
    if (hasLetter(tip)) count(this.summary.tips, tip);
  }

  closeTag(tag: XmlEndTag): void {
    const depth = this.#depth--;
    if (this.#inCell) {
      boundRun(this.#cellStart, tag.end);
      if (depth === 5) this.#closeCellPart(tag);
      else if (depth === 4) {
        this.#inCell = false;
        if (this.#cell.value !== '') this.summary.styles.add(this.#cell.style);
        this.#onCell(this.#cell);
        this.#editor?.hold(undefined);
      } else if (this.#part === 'is') this.#item.close(tag);
      return;
    }
    this.summary.limits.close(tag.local, this.#text);
    if (depth === 3 && this.#section === 'headerFooter') {
      const shown = shownInHeader(this.#text);
      if (hasLetter(shown)) count(this.summary.headersAndFooters, shown);
    }
    if (depth === 4 && this.#section === 'conditionalFormatting')
      this.summary.compared.addFormula(this.#text);
    if (
      this.#section === 'dataValidations'
        ? depth === 4 && /^formula[12]$/.test(tag.local)
        : this.#section === 'extLst' && tag.local === 'f'
    )
      this.#closeRule();
  }

  /** Adds the formula of a data validation, or of a rule in the form of newer versions of Excel. */
  #closeRule(): void {
    const { compared, literalLists } = this.summary;
    if (isList(this.#text)) {
      compared.addList(this.#text);
      count(literalLists, this.#text.replace(/^\s*"|"\s*$/g, ''));
    } else compared.addFormula(this.#text);
  }

  text(text: string): void {
    if (this.#inCell) {
      if (this.#part === 'is') this.#item.append(text);
      else if ((this.#part === 'v' || this.#part === 'f') && this.#depth === 5) this.#text += text;
    } else if (this.#section !== 'sheetData') this.#text += text;
  }

  #openRow({ attributes }: XmlStartTag): void {
    const written = attributes['r'];
    const row = written === undefined ? this.#row + 1 : /^\d{1,7}$/.test(written) ? Number(written) : 0;
    if (row <= this.#row || row > lastRow) throw notInOrder();
    this.#row = row;
    this.#column = 0;
    const height = Number(attributes['ht']);
    this.#cell.rowHeight = isOn(attributes['hidden']) ? 0 : height > 0 ? height : undefined;
    this.#cell.hasFixedHeight = isOn(attributes['customHeight']);
  }

  #openMerge({ attributes: { ref = '' } }: XmlStartTag): void {
    if (!/^\$?[A-Z]+\$?\d+:\$?[A-Z]+\$?\d+$/i.test(ref)) return;
    const range = readRange(ref);
    this.summary.merged.set(writeReference({ row: range.top, column: range.left }), range);
  }

  #openCell({ attributes, start }: XmlStartTag): void {
    const reference = attributes['r'];
    let column = this.#column + 1;
    if (reference !== undefined) {
      const position = readReference(reference);
      if (position.row !== this.#row) throw notInOrder();
      column = position.column;
    }
    if (column <= this.#column || column > lastColumn) throw notInOrder();
    this.#column = column;
    this.#inCell = true;
    this.#cellStart = start;
    const cell = this.#cell;
    cell.row = this.#row;
    cell.column = column;
    cell.style = Number(attributes['s'] ?? 0);
    cell.type = attributes['t'] ?? '';
    cell.hasFormula = false;
    cell.formulaRange = undefined;
    cell.value = '';
    cell.inlineText = '';
    cell.valueContent = undefined;
    cell.inlineContent = undefined;
    this.#editor?.hold(start);
  }

  #openCellPart(tag: XmlStartTag): void {
    const { local, attributes, selfClosing, end } = tag;
    this.#part = isSpreadsheet(tag) ? local : '';
    if (local === 'f' && this.#part) {
      this.#cell.hasFormula = true;
      const type = attributes['t'];
      if (type === 'array' || type === 'dataTable') this.#cell.formulaRange = attributes['ref'];
    }
    this.#text = '';
    if (local === 'is') this.#item.reset();
    this.#content = selfClosing ? undefined : { start: end, end, prefix: prefixOf(tag) };
  }

  #closeCellPart({ start }: XmlEndTag): void {
    if (this.#content) this.#content.end = start;
    if (this.#part === 'v') {
      this.#cell.value = this.#text;
      this.#cell.valueContent = this.#content;
    } else if (this.#part === 'f') this.summary.compared.addFormula(this.#text);
    else if (this.#part === 'is') {
      this.#cell.inlineText = this.#item.text;
      this.#cell.inlineContent = this.#content;
    }
    this.#part = '';
  }
}

/** Whether an element is a value by which rows are filtered. */
export function isFilter({ local }: XmlStartTag): boolean {
  return local === 'filter' || local === 'customFilter';
}

function notInOrder(): FileError {
  return new FileError('unreadable', 'the cells of a sheet are not in order');
}

/**
 * Returns the text of a header or footer without its codes. They begin with an `&` and stand for fields, fonts and
 * colors.
 */
export function shownInHeader(text: string): string {
  return text.replace(/&(?:"[^"]*"|K[0-9A-F]{6}|K\d\d[+-]\d{3}|\d+|.)/gis, '');
}

function count(texts: TextCount, text: string): void {
  texts.texts++;
  texts.characters += countCharacters(text);
}

/** Whether the formula of a data validation is a literal list such as `"Yes,No"` that contains letters. */
function isList(formula: string): boolean {
  return /^\s*".*\p{L}/su.test(formula);
}
