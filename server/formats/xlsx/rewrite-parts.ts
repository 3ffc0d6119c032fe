import { onlyPositionOf } from '../inline-content.ts';
import type { OfficePackage } from '../office/package.ts';
import { type PositionedXmlEvents, readPositionedXml } from '../office/xml-reader.ts';
import { decodeCellText, encodeAttributeText, encodeCellText, textElement } from './cell-text.ts';
import { type PartEditor, prefixOf, replaceAttributes, rewriteXmlPart, setAttribute } from './part-stream.ts';
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

/** A run of a rich text: a text with one formatting. */
interface Run {
  /** The XML of the `rPr` element; '' if the run has none. */
  properties: string;
  text: string;
}

/** The new content of a string item. */
interface RichText {
  xml: string;
  /** Whether words of the new text lack the formatting that the old text has. */
  hasLostFormat: boolean;
}

/** The maximum number of runs whose formatting is kept. */
const maxRuns = 50;

/**
 * Returns the XML of a string item with a new text. The text gets the formatting that most of the old characters have.
 * Other formatting stays on the words that are in both texts, such as the raised figure of `m2` or a name.
 *
 * @param old the XML inside of the old item
 * @param prefix the namespace prefix of its elements, with the colon
 */
function richText(old: string, prefix: string, text: string): RichText {
  const runs = runsOf(old, prefix);
  if (runs.length === 0) return { xml: textElement(prefix, text), hasLostFormat: false };
  const usual = usualProperties(runs);
  const formatted = runs.filter(({ properties, text: own }) => properties !== usual && own.trim() !== '');
  const spans: { start: number; end: number; properties: string }[] = [];
  for (const run of formatted.slice(0, maxRuns)) {
    const words = run.text.trim();
    const start = placeOf(text, words, contextOf(runs, run));
    const end = start + words.length;
    if (start >= 0 && !spans.some((span) => start < span.end && span.start < end))
      spans.push({ start, end, properties: run.properties });
  }
  const hasLostFormat = spans.length < formatted.length;
  if (spans.length === 0 && usual === '') return { xml: textElement(prefix, text), hasLostFormat };
  spans.sort((one, other) => one.start - other.start);
  let xml = '';
  let at = 0;
  const append = (end: number, properties: string): void => {
    if (end > at) xml += `<${prefix}r>${properties}${textElement(prefix, text.slice(at, end))}</${prefix}r>`;
    at = end;
  };
  for (const { start, end, properties } of spans) {
    append(start, usual);
    append(end, properties);
  }
  append(text.length, usual);
  return { xml, hasLostFormat };
}

/** Returns the word before a run if the run continues this word, such as `m` before a raised 2; otherwise ''. */
function contextOf(runs: readonly Run[], run: Run): string {
  const before = runs[runs.indexOf(run) - 1]?.text ?? '';
  return /^\s/.test(run.text) ? '' : /[\p{L}\p{N}]{0,20}$/u.exec(before)![0];
}

function placeOf(text: string, words: string, context: string): number {
  const at = onlyPositionOf(text, context + words);
  if (at >= 0) return at + context.length;
  return context === '' ? -1 : onlyPositionOf(text, words);
}

function usualProperties(runs: readonly Run[]): string {
  const lengths = new Map<string, number>();
  for (const { properties, text } of runs)
    lengths.set(properties, (lengths.get(properties) ?? 0) + text.length);
  let usual = '';
  let most = -1;
  for (const [properties, length] of lengths) if (length > most) [usual, most] = [properties, length];
  return usual;
}

/** Reads the runs of a string item. An item with plain text has none. */
function runsOf(xml: string, prefix: string): Run[] {
  const runs: Run[] = [];
  if (!xml.includes(`<${prefix}r>`)) return runs;
  let depth = 0;
  let start = 0;
  let inRun = false;
  let isText = false;
  let written = '';
  const source = `<item>${xml}</item>`;
  readPositionedXml(source, {
    openTag: (tag) => {
      depth++;
      // Phonetic runs have texts, too, but they are not part of the text.
      if (depth === 2) inRun = tag.name === `${prefix}r`;
      if (depth === 2 && inRun) runs.push({ properties: '', text: '' });
      if (depth === 3 && tag.name === `${prefix}rPr`) start = tag.start;
      isText = inRun && depth === 3 && tag.name === `${prefix}t`;
      written = '';
    },
    closeTag: (tag) => {
      const run = runs.at(-1);
      if (run && inRun && depth === 3 && tag.name === `${prefix}rPr`)
        run.properties = source.slice(start, tag.end);
      if (run && depth === 3 && isText) run.text += decodeCellText(written);
      isText = false;
      depth--;
    },
    text: (text) => {
      if (isText) written += text;
    },
  });
  return runs;
}
