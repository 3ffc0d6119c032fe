import { addCompared } from '#server/formats/office/compared-texts.ts';
import type { SegmentKind } from '../document.ts';
import { limits, overLimit } from '../file-error.ts';
import type { Item } from '../markup/inline-runs.ts';
import { ComparedTexts } from '../office/compared-texts.ts';
import {
  attributeOf,
  readPositionedXml,
  type TextAttribute,
  textAttribute,
  type XmlStartTag,
} from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import type { Dependent } from '../text-file.ts';
import { countCharacters } from '../text-tally.ts';
import { type KeyColumn, KeyColumns, LeftOutColumns } from '../xlsx/columns.ts';
import { type AttributeText, visibleAttributes } from './attribute-texts.ts';
import { addParagraph, type CellValue, cellValue, isRepeated, OpenTables, repeats } from './tables.ts';
import { type OpenBlock, type TextBlock, textItems } from './text-block.ts';
import { declarations, elementName, headers, reasons, type Styles, type TextStyle } from './text-styles.ts';

/** The kinds of files, as the element with the content of the file is named. */
export type FileKind = 'text' | 'spreadsheet' | 'presentation';

export interface FoundTexts {
  blocks: TextBlock[];
  attributes: AttributeText[];
  /** The attributes that repeat the texts of cells, and are removed if these change. */
  repeated: Dependent[];
  /** The number of comments and hidden slides that stay. */
  comments: number;
  hiddenSlides: number;
  /** The number of dropdown lists whose entries stay. */
  lists: number;
  /** The texts with which cells may be compared. */
  compared: ComparedTexts;
  /** The columns that look like keys. */
  columns: KeyColumn[];
  kept: { reason: string; text: string }[];
  /** Visible characters. */
  characters: number;
}

const blocks: ReadonlySet<string> = new Set([
  ...['text:p', 'text:h', 'svg:title', 'svg:desc', 'text:index-title-template', 'text:index-entry-span'],
  // The headers, footers and fixed dates to which slides refer, and the words of number formats.
  ...Object.keys(declarations),
  'datastyle:text',
]);
/** Fields with words that the author of the file wrote: prompts, and the texts of buttons. */
const prompts: ReadonlySet<string> = new Set(['text:placeholder', 'text:text-input', 'text:execute-macro']);
/** The kinds of content controls whose text is a value that a person selects. */
const chosenValues = ['checkbox', 'dropdown', 'combobox', 'date', 'picture'];
/** Elements without an effect on the text. */
const leftOut: ReadonlySet<string> = new Set(['text:soft-page-break', 'text:meta']);
const cells: ReadonlySet<string> = new Set(['table:table-cell', 'table:covered-table-cell']);
/** Elements that are one character. */
const blanks: Readonly<Record<string, string>> = { 'text:tab': '\t', 'text:line-break': '\n' };
/** Whether an element repeats a text of the file, such as the heading to which it refers. Others repeat a number. */
function isTextReference(name: string, tag: XmlStartTag): boolean {
  return (
    /^text:(?:bookmark|reference|note|sequence)-ref$/.test(name) &&
    /^(?:text|chapter|caption|category-and-value|direction)$/.test(
      attributeOf(tag, 'reference-format') ?? 'text',
    )
  );
}

interface Options {
  styles: Styles;
  /** The path of the part. */
  path: string;
  /** Is added to the positions of texts. */
  offset: number;
  include: readonly Includable[];
  kind: FileKind;
  excludeColumns?: string[] | undefined;
}

export function readParts(source: string, options: Options): FoundTexts {
  const reader = new TextReader(source, options);
  readPositionedXml(source, reader);
  return reader.found;
}

class TextReader {
  readonly found: FoundTexts = {
    blocks: [],
    attributes: [],
    repeated: [],
    comments: 0,
    hiddenSlides: 0,
    lists: 0,
    compared: new ComparedTexts(),
    columns: [],
    kept: [],
    characters: 0,
  };
  readonly #source: string;
  readonly #styles: Styles;
  readonly #offset: number;
  readonly #include: ReadonlySet<string>;
  readonly #path: string;
  readonly #kind: FileKind;
  readonly #open: OpenBlock[] = [];
  readonly #contexts: { depth: number; reason?: string; kind?: SegmentKind; notes?: true }[] = [];
  #depth = 0;
  #elements = 0;
  #paragraphs = 0;
  #slide = 0;
  #sheets = 0;
  readonly #tables: OpenTables;
  readonly #leftOut: LeftOutColumns;
  #keys = new KeyColumns();
  /** The largest number of characters that a validation accepts, by its name. */
  readonly #limits = new Map<string, number>();
  #most: number | undefined;

  constructor(source: string, { path, styles, offset, include, kind, excludeColumns }: Options) {
    this.#leftOut = new LeftOutColumns(excludeColumns);
    this.#kind = kind;
    this.#path = path;
    this.#source = source;
    this.#styles = styles;
    this.#tables = new OpenTables(styles);
    this.#offset = offset;
    this.#include = new Set(include);
  }

  openTag(tag: XmlStartTag): void {
    if (++this.#elements > limits.docxElements)
      throw overLimit('the number of XML elements of the file', limits.docxElements);
    const name = elementName(tag);
    this.#depth++;
    this.#endText(tag);
    this.#enter(name, tag);
    if (blocks.has(name)) this.#openBlock(name, tag);
    else this.#openInline(name, tag);
  }

  closeTag(tag: {
    name: string;
    local: string;
    namespace: string | undefined;
    start: number;
    end: number;
  }): void {
    const name = elementName(tag);
    const isSelfClosing = this.#source[tag.end - 2] === '/' && this.#source[tag.start + 1] !== '/';
    if (!isSelfClosing) this.#endText(tag);
    const block = this.#open.at(-1);
    if (block) {
      if (blocks.has(name)) this.#closeBlock(name, tag.end);
      else if (block.whole?.depth === this.#depth) {
        const { start, isField, text, ruby } = block.whole;
        block.whole = undefined;
        const type = text === ' ' || ruby ? 'text' : 'void';
        this.#push(block, {
          start,
          end: tag.end,
          type,
          isWord: isField,
          ...(text !== undefined && { text }),
        });
      } else if (!block.whole) {
        const pair = block.pairs.pop();
        if (pair) {
          this.#push(block, { start: tag.start, end: tag.end, type: 'close', name: pair.name });
          block.closed = pair;
        } else if (pair === null && tag.start >= block.at)
          block.leftOut.push({ ...this.#shifted(tag), type: 'close' });
      }
      const current = this.#open.at(-1);
      if (current) current.at = tag.end;
    }
    if (this.#contexts.at(-1)?.depth === this.#depth) this.#contexts.pop();
    if (name === 'table:table') {
      if (this.#kind === 'spreadsheet' && this.#tables.depth === 1) {
        this.found.columns.push(...this.#keys.found(this.#tables.outermost!.name));
        this.#keys = new KeyColumns();
      }
      this.#tables.close();
    } else if (cells.has(name)) this.#closeCell();
    else if (name === 'table:table-row') this.#tables.closeRow();
    this.#depth--;
  }

  text(text: string): void {
    const block = this.#open.at(-1);
    if (!block) return;
    const { whole } = block;
    if (!whole) block.text += text;
    else if (whole.isField) this.#keep('fields', text);
    else if (whole.ruby === 'text') this.#keep('other', text);
    else if (whole.ruby === 'base') {
      this.found.characters += countCharacters(text);
      whole.text += text;
    }
  }

  /** Records what an element means for the texts inside. */
  #enter(name: string, tag: XmlStartTag): void {
    const depth = this.#depth;
    const entries = addCompared(this.found.compared, name, tag);
    for (const entry of entries) this.#keep('dropdown_lists', entry);
    if (entries.some((entry) => letter.test(entry))) this.found.lists++;
    const reason = reasons[name];
    if (name === 'office:annotation' && !this.#include.has('comments')) this.found.comments++;
    if (reason !== undefined) this.#leaveOut(reason);
    else if (headers[name] ?? declarations[name])
      this.#contexts.push({ depth, kind: (headers[name] ?? declarations[name])! });
    else if (name === 'text:section' && attributeOf(tag, 'display') === 'none') this.#leaveOut('hidden');
    else if (name === 'presentation:notes') this.#contexts.push({ depth, notes: true });
    else if (name === 'table:content-validation') this.#addLimit(tag);
    else if (name === 'draw:page' && this.#kind === 'presentation') {
      this.#slide++;
      this.#paragraphs = 0;
      this.#tables.restart();
      if (this.#styles.hiddenSlides.has(attributeOf(tag, 'style-name') ?? '')) {
        if (!this.#include.has('hidden')) this.found.hiddenSlides++;
        this.#leaveOut('hidden');
      }
    } else if (name === 'table:table') {
      if (this.#depth === 4 && this.#kind === 'spreadsheet') {
        this.#sheets++;
        this.#keep('sheet_names', attributeOf(tag, 'name') ?? '');
      }
      this.#tables.open(tag);
    } else if (name === 'table:table-column') this.#tables.addColumn(tag);
    else if (name === 'table:table-row') this.#tables.openRow(tag);
    else if (cells.has(name)) this.#openCell(tag);
    // The table is a copy of one in another file, to which formulas refer.
    else if (name === 'table:table-source')
      this.#contexts.push({ depth: depth - 1, reason: 'formula_result' });
    this.#addAttributes(name, tag);
  }

  /** Adds the attributes of an element that a program shows. */
  #addAttributes(name: string, tag: XmlStartTag): void {
    const found = visibleAttributes(name);
    for (const { local, place, reason } of found) {
      const text = textAttribute(this.#source, tag, local);
      if (!text || !letter.test(text.text)) continue;
      if (reason === undefined) this.#addAttribute(text, 'text_block', `${this.#path}, ${place}`);
      else this.#keep(reason, text.text);
    }
  }

  #addLimit(tag: XmlStartTag): void {
    const condition = attributeOf(tag, 'condition') ?? '';
    const [, sign, most] =
      /cell-content-text-length\(\)\s*(<=?|=)\s*(\d+)$/.exec(condition) ??
      /cell-content-text-length-is-between\(\d+(,)(\d+)\)$/.exec(condition) ??
      [];
    const limit = Number(most) - (sign === '<' ? 1 : 0);
    if (limit > 0) this.#limits.set(attributeOf(tag, 'name') ?? '', limit);
  }

  #openCell(tag: XmlStartTag): void {
    const depth = this.#depth;
    const type = attributeOf(tag, 'value-type');
    const kept = this.#tables.isFormula(tag)
      ? 'formula_result'
      : type !== undefined && type !== 'string'
        ? 'number'
        : this.#isLeftOut
          ? 'columns'
          : undefined;
    const isSheet = this.#kind === 'spreadsheet';
    this.#most = this.#limits.get(attributeOf(tag, 'content-validation-name') ?? '');
    this.#tables.openCell(tag, cellValue(this.#source, tag, { type, isSheet, depth, kept }));
    const kind = isSheet && this.#tables.depth === 1 ? 'cell' : 'table_cell';
    this.#contexts.push({ depth, kind, ...(kept && { reason: kept }) });
  }

  /** Whether the current cell is in a column that the request leaves out. */
  get #isLeftOut(): boolean {
    const { outermost, depth } = this.#tables;
    return (
      this.#kind === 'spreadsheet' && depth === 1 && this.#leftOut.has(outermost!.name, outermost!.column)
    );
  }

  #closeCell(): void {
    const value = this.#tables.current?.value;
    if (value) this.#useValue(value);
    this.#tables.closeCell();
  }

  /** Decides what becomes of the attribute with the value of a cell, whose paragraphs are usually the same text. */
  #useValue(value: CellValue): void {
    const { start, end, first, last, kept } = value;
    if (kept !== undefined) {
      if (first < 0) this.#keep(kept, value.text);
    } else if (isRepeated(value) && this.#open.length === 0)
      this.found.repeated.push({
        start: first + this.#offset,
        end: last + this.#offset,
        edit: { ...this.#shifted({ start, end }), text: '' },
      });
    else {
      const kind = this.#kind === 'spreadsheet' && this.#tables.depth === 1 ? 'cell' : 'table_cell';
      this.#addAttribute(value, kind, this.#place(kind));
    }
  }

  #addAttribute(attribute: TextAttribute, kind: SegmentKind, place: string): void {
    this.found.characters += countCharacters(attribute.text);
    const reason = this.#reason();
    if (reason !== undefined) this.found.kept.push({ reason, text: attribute.text });
    else this.found.attributes.push({ ...attribute, ...this.#locate(kind), kind, place });
  }

  /** Returns the page, the cell and its room at the current position. */
  #locate(kind: SegmentKind | undefined): Pick<TextBlock, 'page' | 'cellId' | 'room' | 'most'> {
    return {
      page: this.#slide || this.#sheets || (this.#kind === 'text' ? 1 : undefined),
      ...(kind === 'cell' && {
        cellId: this.#tables.reference,
        room: this.#tables.current?.room,
        most: this.#most,
      }),
    };
  }

  /** The texts of the current element stay, unless the request includes them. Deleted texts always stay. */
  #leaveOut(reason: string): void {
    const depth = this.#depth;
    if (!this.#include.has(reason)) this.#contexts.push({ depth, reason });
    // A comment has the reason of the slide or section around it, but not that of its cell.
    else if (reason === 'comments') this.#contexts.push({ depth, kind: 'text_block', ...this.#around() });
  }

  /** Returns the innermost context that can leave out texts, except those of cells. */
  #around(): { reason?: string } {
    const { reason } =
      this.#contexts.findLast(
        ({ kind, reason }) => kind === 'header' || kind === 'footer' || (!kind && reason),
      ) ?? {};
    return { ...(reason && { reason }) };
  }

  #openBlock(name: string, tag: XmlStartTag): void {
    const outer = this.#open.at(-1);
    // An object in a text, such as a frame, is one tag of it.
    if (outer && !outer.whole) outer.whole = { start: tag.start, depth: this.#depth, isField: false };
    const kind = this.#contexts.findLast((one) => one.kind)?.kind;
    this.#open.push({
      kind: kind ?? (name === 'text:h' ? 'heading' : name === 'text:p' ? 'paragraph' : 'text_block'),
      place: this.#place(kind),
      ...this.#locate(kind),
      items: [],
      leftOut: [],
      prefix: name.startsWith('text:') ? tag.name.slice(0, tag.name.indexOf(':') + 1) : undefined,
      reason: this.#reason(),
      start: tag.start,
      at: tag.end,
      text: '',
      whole: undefined,
      pairs: [],
      closed: undefined,
    });
  }

  /** Headers and footers are inside a master page, whose other texts stay. */
  #reason(): string | undefined {
    const inner = this.#contexts.findLast(
      ({ reason, kind }) => reason !== undefined || (kind && kind !== 'table_cell' && kind !== 'cell'),
    );
    return inner?.reason;
  }

  #place(kind: SegmentKind | undefined): string {
    const sheet = this.#kind === 'spreadsheet' ? this.#tables.outermost : undefined;
    if (sheet && kind === 'cell') return `${sheet.name}!${this.#tables.reference}`;
    const isNote = this.#contexts.some(({ notes }) => notes);
    const page =
      this.#slide > 0 ? `slide ${this.#slide}${isNote ? ', notes' : ''}` : (sheet?.name ?? this.#path);
    const table = this.#tables.current;
    return table && kind === 'table_cell'
      ? `${page}, table ${table.number}, row ${table.row}, cell ${table.column}`
      : `${page}, paragraph ${++this.#paragraphs}`;
  }

  #closeBlock(name: string, end: number): void {
    const { reason: own, whole, start, at, text, pairs, closed, ...block } = this.#open.pop()!;
    // A single letter of a number format is a sign, such as a unit.
    const isSign = name === 'datastyle:text' && !block.items.some(({ text = '' }) => /\p{L}{2}/u.test(text));
    const reason = isSign ? 'number' : own;
    const outer = this.#open.at(-1);
    if (outer?.whole && outer.whole.depth === this.#depth) {
      // This block was directly in another one, which no program writes.
      this.#push(outer, { start: outer.whole.start, end: at, type: 'boundary' });
      outer.whole = undefined;
    }
    const value = this.#tables.current?.value;
    if (value?.depth === this.#depth - 1) addParagraph(value, block.items, start, end);
    if (reason === undefined && block.kind === 'cell')
      this.#keys.add(this.#tables.current!.column, block.items.map(({ text = '' }) => text).join(''));
    if (reason === undefined) this.found.blocks.push(block);
    else
      for (const { type, text: inside = '' } of block.items)
        if (type === 'text' && inside.trim() !== '') this.found.kept.push({ reason, text: inside });
  }

  #openInline(name: string, tag: XmlStartTag): void {
    const block = this.#open.at(-1);
    if (!block) return;
    const { start, end } = tag;
    if (!block.whole) {
      // The namespace of content controls is one of LibreOffice.
      const isControl = tag.local === 'content-control';
      const hasValue = isControl && chosenValues.some((kind) => attributeOf(tag, kind) === 'true');
      if (name === 'text:ruby')
        block.whole = { start, depth: this.#depth, isField: false, text: '', ruby: 'base' };
      else if (
        name === 'text:span' ||
        isTextReference(name, tag) ||
        name === 'text:a' ||
        prompts.has(name) ||
        leftOut.has(name) ||
        (isControl && !hasValue)
      ) {
        const style = name === 'text:span' ? this.#styleOf(tag) : undefined;
        const isPair = !tag.selfClosing && !leftOut.has(name) && (!style || style.format);
        const last = block.items.at(-1);
        if (!isPair) {
          block.pairs.push(null);
          if (!tag.selfClosing) block.leftOut.push({ ...this.#shifted(tag), type: 'open' });
        } else if (
          last?.type === 'close' &&
          last.end === start + this.#offset &&
          style &&
          style.look === block.closed?.look
        ) {
          // Programs split a text of one style into several elements, which become one pair.
          block.items.pop();
          block.pairs.push(block.closed);
          block.closed = undefined;
        } else {
          const pair = { name: `${name} ${this.#elements}`, look: style?.look };
          block.pairs.push(pair);
          this.#push(block, {
            start,
            end,
            type: 'open',
            name: pair.name,
            format: style?.format ?? undefined,
          });
        }
      } else {
        const isField =
          hasValue ||
          (/^(?:text|presentation):/.test(name) &&
            !/^text:(?:(?:note|bookmark|reference)(?!-ref$)|change|alphabetical|toc|user-index)/.test(name));
        const text = name === 'text:s' ? ' '.repeat(Math.min(repeats(tag, 'c'), 100)) : blanks[name];
        block.whole = { start, depth: this.#depth, isField: isField && text === undefined, text };
      }
    } else if (block.whole.ruby && name === 'text:ruby-text') block.whole.ruby = 'text';
    block.at = end;
  }

  #styleOf(tag: XmlStartTag): TextStyle {
    const name = attributeOf(tag, 'style-name') ?? '';
    return this.#styles.ofTexts.get(name) ?? { format: 'other', look: name };
  }

  /** Adds the text before a tag. */
  #endText({ start }: { start: number }): void {
    const block = this.#open.at(-1);
    if (!block || block.text === '') return;
    const { text, at } = block;
    block.text = '';
    this.found.characters += countCharacters(text);
    for (const item of textItems(this.#source.slice(at, start), text, at)) this.#push(block, item);
  }

  #push(block: OpenBlock, item: Item): void {
    block.items.push({ ...item, ...this.#shifted(item) });
  }

  #shifted({ start, end }: { start: number; end: number }): { start: number; end: number } {
    return { start: start + this.#offset, end: end + this.#offset };
  }

  #keep(reason: string, text: string): void {
    if (text.trim() === '') return;
    this.found.characters += countCharacters(text);
    this.found.kept.push({ reason, text });
  }
}
