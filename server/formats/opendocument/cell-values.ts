import type { Item } from '../markup/inline-runs.ts';
import type { XmlStartTag } from '../office/xml-reader.ts';
import { type TextAttribute, textAttribute } from './attribute-texts.ts';

/** The value of a cell in an attribute. A program shows it instead of the cell's paragraphs, which repeat it. */
export interface CellValue extends TextAttribute {
  /** The number of open elements around the cell's paragraphs. */
  depth: number;
  /** Why the text stays. */
  kept: string | undefined;
  /** The text of the cell's paragraphs, without white space, and their range. */
  shown: string;
  first: number;
  last: number;
}

/**
 * Returns the text in the attribute `office:string-value` of a cell; undefined if no program shows it.
 *
 * @param type the type of the cell's value. Only spreadsheets show the attribute of a cell without a type
 */
export function cellValue(
  source: string,
  tag: XmlStartTag,
  cell: { type: string | undefined; isSheet: boolean; depth: number; kept: string | undefined },
): CellValue | undefined {
  if (cell.type !== 'string' && (cell.type !== undefined || !cell.isSheet)) return undefined;
  const attribute = textAttribute(source, tag, 'string-value');
  return attribute && { ...attribute, ...cell, shown: '', first: -1, last: -1 };
}

/** Adds a paragraph of the cell. */
export function addParagraph(value: CellValue, items: readonly Item[], start: number, end: number): void {
  if (value.first < 0) value.first = start;
  value.last = end;
  value.shown += withoutSpace(items.map(({ text = '' }) => text).join(''));
}

/**
 * Whether the paragraphs have the text of the attribute. They have another one if the cell has a format that adds words
 * to its text.
 */
export function isRepeated({ text, shown }: CellValue): boolean {
  return withoutSpace(text) === shown;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
