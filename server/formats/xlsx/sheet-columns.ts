import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import { lastColumn } from './cell-reference.ts';
import type { PartEditor } from './part-stream.ts';
import { isOn, prefixOf } from './part-stream.ts';
import { isSpreadsheet } from './workbook.ts';

/** The width of a column that a file does not set: 8 digits and the margins. */
const usualWidth = 9.14;

/** The attributes of a `col` element that a new width replaces. */
const ownWidth = /\s(?:min|max|width|customWidth|bestFit)=("|').*?\1/g;

/** Adjacent columns with the same properties. */
interface ColumnRange {
  first: number;
  last: number;
  width: number;
}

/** The widths of a sheet's columns, in digits of the usual font, with the margins of the cells. */
export class SheetColumns {
  readonly #ranges: ColumnRange[] = [];
  readonly #widths = new Map<number, number>();
  /** The width of all columns up to a column, by its number. */
  readonly #sums: number[] = [0];
  #usual = usualWidth;

  /** Adds the `sheetFormatPr` element. */
  setFormat({ attributes }: XmlStartTag): void {
    const base = Number(attributes['baseColWidth'] ?? 8) + usualWidth - 8;
    this.#usual = Number(attributes['defaultColWidth']) || base || usualWidth;
  }

  /** Adds a `col` element. */
  add({ attributes }: XmlStartTag): void {
    const { first, last } = rangeOf(attributes);
    const width = isOn(attributes['hidden']) ? 0 : Number(attributes['width'] ?? this.#usual);
    this.#ranges.push({ first, last, width });
  }

  widthOf(column: number): number {
    let width = this.#widths.get(column);
    if (width === undefined) {
      const range = this.#ranges.find(({ first, last }) => first <= column && column <= last);
      width = range?.width ?? this.#usual;
      this.#widths.set(column, width);
    }
    return width;
  }

  /** Returns the width of adjacent columns together. */
  widthOfAll(first: number, last: number): number {
    while (this.#sums.length <= last) this.#sums.push(this.#sums.at(-1)! + this.widthOf(this.#sums.length));
    return this.#sums[last]! - this.#sums[first - 1]!;
  }
}

function rangeOf(attributes: XmlStartTag['attributes']): { first: number; last: number } {
  return {
    first: Number(attributes['min'] ?? 0),
    last: Math.min(Number(attributes['max'] ?? 0), lastColumn),
  };
}

/** Writes new widths of columns into a sheet. @param widths the widths by the numbers of the columns */
export function columnWidthWriter(
  editor: PartEditor,
  widths: ReadonlyMap<number, number>,
): PositionedXmlEvents {
  const left = [...widths.keys()].sort((a, b) => a - b);
  let depth = 0;
  let isInColumns = false;
  /** Takes the columns up to a number that no `col` element describes, and returns their elements. */
  const newColumns = (before: number, prefix: string): string => {
    let xml = '';
    while (left.length > 0 && left[0]! < before) {
      const column = left.shift()!;
      xml += `<${prefix}col min="${column}" max="${column}" width="${widths.get(column)}" customWidth="1"/>`;
    }
    return xml;
  };
  /** Cuts a `col` element at the columns that have new widths. */
  const cut = (tag: XmlStartTag): void => {
    const { first, last } = rangeOf(tag.attributes);
    const before = newColumns(first, prefixOf(tag));
    if (before !== '') editor.replace(tag.start, tag.start, before);
    if (!(left[0]! <= last)) return;
    const source = editor.source(tag.start, tag.end);
    const pieces: string[] = [];
    const add = (from: number, to: number, width?: number): void => {
      if (from > to) return;
      const values = width === undefined ? '' : ` width="${width}" customWidth="1"`;
      const replaced = width === undefined ? /\s(?:min|max)=("|').*?\1/g : ownWidth;
      const rest = source.replace(replaced, '');
      pieces.push(rest.replace(`<${tag.name}`, `<${tag.name} min="${from}" max="${to}"${values}`));
    };
    let next = first;
    while (left[0]! <= last) {
      const column = left.shift()!;
      add(next, column - 1);
      add(column, column, widths.get(column));
      next = column + 1;
    }
    add(next, last);
    // The end tag of an element that is not self-closing belongs to the last piece.
    const closed = pieces.slice(0, -1).map((piece) => piece.replace(/\/?>$/, '/>'));
    editor.replace(tag.start, tag.end, closed.join('') + pieces.at(-1)!);
  };
  return {
    openTag: (tag) => {
      depth++;
      if (depth === 3 && isInColumns && tag.local === 'col') cut(tag);
      if (depth !== 2 || !isSpreadsheet(tag)) return;
      isInColumns = tag.local === 'cols';
      if (tag.local !== 'sheetData' || left.length === 0) return;
      const prefix = prefixOf(tag);
      const columns = newColumns(Number.POSITIVE_INFINITY, prefix);
      editor.replace(tag.start, tag.start, `<${prefix}cols>${columns}</${prefix}cols>`);
    },
    closeTag: (tag) => {
      if (depth-- !== 2 || !isInColumns) return;
      isInColumns = false;
      const columns = newColumns(Number.POSITIVE_INFINITY, prefixOf(tag));
      if (columns !== '') editor.replace(tag.start, tag.start, columns);
    },
  };
}
