import type { OfficePackage } from '../office/package.ts';
import type { PositionedXmlEvents } from '../office/xml-reader.ts';
import { prefixOf, replaceAttributes, setAttribute } from './attributes.ts';
import { encodeAttributeText, encodeCellText, textElement } from './cell-text.ts';
import { type PartEditor, rewriteXmlPart } from './part-stream.ts';
import { richText } from './rich-text.ts';
import type { SharedStringPlan } from './shared-string-plan.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { Cell } from './sheet-reader.ts';
import { isSpreadsheet } from './workbook.ts';

/**
 * Yields the part with the shared strings, changed as planned.
 *
 * @param formatLost is called for each entry in which words lose their formatting
 */
export function rewriteSharedStrings(
  office: OfficePackage,
  path: string,
  strings: SharedStrings,
  plan: SharedStringPlan,
  formatLost: () => void,
): AsyncGenerator<Uint8Array> {
  const copied = new Map<number, string>();
  for (const appended of plan.appended) if ('copyOf' in appended) copied.set(appended.copyOf, '');
  return rewriteXmlPart(office, path, (editor): PositionedXmlEvents => {
    let depth = 0;
    /** The namespace prefix of the root element, which is declared in the whole part. */
    let rootPrefix = '';
    let index = -1;
    let start = 0;
    let contentStart = 0;
    let inItem = false;
    return {
      openTag: (tag) => {
        depth++;
        if (depth === 1) {
          rootPrefix = prefixOf(tag);
          // The attribute `count` stays unchanged, because it is the number of cells with a shared string.
          const source = editor.source(tag.start, tag.end);
          const count = `${strings.count + plan.appended.length}`;
          if (plan.appended.length > 0)
            editor.replace(tag.start, tag.end, source.replace(/(?<=\suniqueCount\s*=\s*["'])\d*/, count));
        }
        if (depth !== 2 || tag.local !== 'si' || !isSpreadsheet(tag)) return;
        inItem = true;
        index++;
        start = tag.start;
        contentStart = tag.end;
        editor.hold(start);
      },
      closeTag: (tag) => {
        depth--;
        if (depth !== 1 || !inItem) return;
        inItem = false;
        if (copied.has(index)) copied.set(index, editor.source(start, tag.end));
        const text = plan.changed.get(index);
        if (text !== undefined) {
          const { xml, hasLostFormat } = richText(
            editor.source(contentStart, tag.start),
            prefixOf(tag),
            text,
          );
          if (hasLostFormat) formatLost();
          editor.replace(contentStart, tag.start, xml);
        }
        if (index === strings.count - 1)
          for (const appended of plan.appended) {
            const item =
              'copyOf' in appended
                ? copied.get(appended.copyOf)!
                : `<${rootPrefix}si>${textElement(rootPrefix, appended.text)}</${rootPrefix}si>`;
            editor.replace(tag.end, tag.end, item);
          }
        editor.hold(undefined);
      },
    };
  });
}

/** Makes a cell refer to another shared string. */
export function repoint(editor: PartEditor, { valueContent }: Cell, index: number): void {
  if (valueContent) editor.replace(valueContent.start, valueContent.end, `${index}`);
}

/**
 * Changes the text of a cell that has no shared string.
 *
 * @returns whether words lose their formatting
 */
export function setOwnText(editor: PartEditor, cell: Cell, text: string): boolean {
  if (cell.type === 'str') {
    const { valueContent } = cell;
    if (valueContent) editor.replace(valueContent.start, valueContent.end, encodeCellText(text));
  } else if (cell.inlineContent) {
    const { start, end, prefix } = cell.inlineContent;
    const { xml, hasLostFormat } = richText(editor.source(start, end), prefix, text);
    editor.replace(start, end, xml);
    return hasLostFormat;
  }
  return false;
}

/** Writes new heights of rows into a sheet. @param heights the heights in points, by the numbers of the rows */
export function rowHeightWriter(
  editor: PartEditor,
  heights: ReadonlyMap<number, number>,
): PositionedXmlEvents {
  let depth = 0;
  let row = 0;
  return {
    openTag: (tag) => {
      if (++depth !== 3 || tag.local !== 'row' || !isSpreadsheet(tag)) return;
      row = Number(tag.attributes['r'] ?? row + 1);
      const height = heights.get(row);
      if (height !== undefined) setAttribute(editor, tag, 'ht', `${height}`);
    },
    closeTag: () => {
      depth--;
    },
  };
}

/** The new texts in the part of a table, each by its column, from 0. */
export interface TableTexts {
  /** The labels of the totals row. */
  labels: Map<number, string>;
  /** The names of the columns. */
  names: Map<number, string>;
}

/** Writes new texts into the part of a table. */
export function tableWriter(editor: PartEditor, { labels, names }: TableTexts): PositionedXmlEvents {
  let depth = 0;
  let column = -1;
  return {
    openTag: (tag) => {
      if (++depth !== 3 || tag.local !== 'tableColumn' || !isSpreadsheet(tag)) return;
      column++;
      const values = new Map<string, string>();
      const set = (attribute: string, text: string | undefined): void => {
        if (text !== undefined) values.set(attribute, encodeAttributeText(text));
      };
      set('totalsRowLabel', labels.get(column));
      set('name', names.get(column));
      if (values.size > 0) replaceAttributes(editor, tag, values);
    },
    closeTag: () => {
      depth--;
    },
  };
}
