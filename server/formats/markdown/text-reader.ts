import type { Nodes, Parents, PhrasingContent } from 'mdast';
import type { SegmentKind } from '../document.ts';
import { FileError } from '../file-error.ts';
import { inlineFormats, inlineVoids, opaqueElements } from '../html/inline-formats.ts';
import { findTemplateCode, withoutTemplateCode } from '../html/template-code.ts';
import { type FormatKind, plainText } from '../inline-content.ts';
import { visibleCode } from '../markup/inline-runs.ts';
import { isOtherLanguage, otherLanguage } from '../markup/other-language.ts';
import type { OwnNames } from '../markup/visible-names.ts';
import { proseOfCode } from '../markup/visible-names.ts';
import type { TextOptions } from '../text-file.ts';
import { countCharacters } from '../text-tally.ts';
import {
  type AttributeTexts,
  attributesOfCode,
  attributesOfFence,
  attributesOfMdx,
  attributesOfTags,
  type MdxAttribute,
  textOfOption,
} from './attribute-texts.ts';
import type { ForeignSyntax } from './block-syntax.ts';
import type { MarkdownItem, Markup } from './items.ts';
import type { Markdown, Range } from './parse.ts';
import { codedValue } from './value-codes.ts';

/** The texts of a paragraph, a heading or a cell. */
export interface TextBlock {
  kind: SegmentKind;
  syntax: 'paragraph' | 'headingAtx' | 'tableCell';
  /** The offset of the block. */
  start: number;
  items: MarkdownItem[];
  /** Set for a heading of Markdown. */
  heading?: Heading;
}

export interface Heading extends Range {
  node: Nodes & { type: 'heading' };
}

/** The text of an image, the title of a link, or an attribute. */
export interface LabelText extends Range {
  name: string;
  text: string;
  /** Set for an attribute: its quote, and how its value is written with the quotes. */
  quote?: string;
  write?(text: string): string;
}

interface MarkdownTexts {
  blocks: TextBlock[];
  labels: LabelText[];
  /** The ranges of blocks of HTML whose texts are translated. */
  html: Range[];
  kept: { reason: string; text: string }[];
  /** Visible characters. */
  characters: number;
}

const maxDepth = 200;
const formats = { emphasis: 'italic', strong: 'bold', delete: 'strike' } as const satisfies Record<
  string,
  FormatKind
>;

/** @throws {FileError} `unreadable` if markup is nested too deeply */
export function readTexts(
  source: string,
  markdown: Markdown,
  { sourceLanguage }: Pick<TextOptions, 'sourceLanguage'>,
  names: OwnNames,
): MarkdownTexts {
  const reader = new TextReader(source, markdown, sourceLanguage, names);
  reader.readBlock(markdown.tree, 0);
  reader.readCode();
  return reader.texts;
}

class TextReader {
  readonly texts: MarkdownTexts = { blocks: [], labels: [], html: [], kept: [], characters: 0 };
  readonly #source: string;
  readonly #language: string | undefined;
  readonly #markdown: Markdown;
  readonly #names: OwnNames;
  /** The ranges of code, blocks of HTML and front matter. */
  readonly #programs: Range[] = [];
  #pairs = 0;
  #items: MarkdownItem[] = [];

  constructor(source: string, markdown: Markdown, language: string | undefined, names: OwnNames) {
    this.#names = names;
    this.#language = language;
    this.#source = source;
    this.#markdown = markdown;
  }

  readBlock(node: Nodes, depth: number): void {
    checkDepth(depth);
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      this.#items = [];
      this.#readChildren(node, depth);
      const { start } = rangeOf(node);
      const block: TextBlock = { kind: 'paragraph', syntax: 'paragraph', start, items: this.#items };
      if (node.type === 'tableCell') Object.assign(block, { kind: 'table_cell', syntax: 'tableCell' });
      else if (node.type === 'heading') this.#readHeading(node, block);
      this.texts.blocks.push(block);
    } else if (node.type === 'code') {
      this.#programs.push(rangeOf(node));
      this.#keep('code', node.value.replaceAll(this.#markdown.mask, ''));
      this.#addAttributes(attributesOfFence(this.#source, rangeOf(node), this.#names));
    } else if (node.type === 'html') {
      if (this.#isHtml(rangeOf(node))) this.texts.html.push(rangeOf(node));
      else this.#keep('code', node.value.replace(/<!--[\s\S]*?(?:-->|$)|<[^<>]*>/g, ''));
      this.#readTags(node);
    } else if (node.type === 'mdxFlowExpression' || node.type === 'mdxjsEsm') this.#keepProse(node);
    else if ('children' in node) {
      if (node.type === 'mdxJsxFlowElement') this.#readMdx(node);
      for (const child of node.children) this.readBlock(child, depth + 1);
    } else if (node.type === 'yaml' || (node.type as string) === 'toml') this.#programs.push(rangeOf(node));
  }

  /** Reads the attributes in syntax that is not part of Markdown, outside of programs, and the options of directives. */
  readCode(): void {
    const programs = this.#programs.sort((one, other) => one.start - other.start);
    for (const range of this.#markdown.ranges) {
      if (range.line === 'option') this.#addAttributes(textOfOption(this.#source, range, this.#names));
      else if (range.line === 'code') this.#keep('code', this.#source.slice(range.start, range.end));
      if (range.line) continue;
      const around = programs[indexFrom(programs, range.start + 1) - 1];
      if (around && around.end > range.start) continue;
      this.#addAttributes(attributesOfCode(this.#source, range, this.#names));
      // The strings of shortcodes and of attributes are read with them.
      const code = this.#source
        .slice(range.start, range.end)
        .replace(/(?:^|\s)[\w-]+=(?:"[^"]*"|'[^']*')/g, '');
      if (range.isAttribute || /^\{(?:%|\{[<%])/.test(code)) continue;
      for (const text of proseOfCode(code, /\b(?:items|tabs|labels|options)=/.test(code)))
        this.#keep('code', text);
    }
  }

  /** Whether a block of HTML is only this: without the signs of a quote, Markdown, expressions and other syntax. */
  #isHtml(range: Range): boolean {
    const html = this.#source.slice(range.start, range.end);
    const codes = findTemplateCode(html);
    const page = withoutTemplateCode(html, codes).replace(/<(script|style)\b[\s\S]*?(?:<\/\1|$)/gi, '');
    if (/[\r\n][ \t]*>|\{[^{}]*\}|<[^<>]*\smarkdown(?=[\s=>])/i.test(page)) return false;
    return this.#rangesWithin(range.start, range.end).every(({ start, end }) =>
      codes.some((code) => range.start + code.start <= start && end <= range.start + code.end),
    );
  }

  #readTags(node: Nodes): void {
    const range = rangeOf(node);
    this.#programs.push(range);
    this.#addAttributes(attributesOfTags(this.#source, range, this.#names));
  }

  #readMdx({ name, attributes }: { name?: string | null; attributes: readonly unknown[] }): void {
    const given = attributes as readonly MdxAttribute[];
    this.#addAttributes(attributesOfMdx(this.#source, name, given, this.#names));
  }

  #keepProse(node: Nodes & { value: string }): void {
    this.#programs.push(rangeOf(node));
    for (const text of proseOfCode(node.value)) this.#keep('code', text);
  }

  #addAttributes({ texts, kept }: AttributeTexts): void {
    for (const text of kept) this.#keep('code', text);
    for (const text of texts) {
      this.texts.characters += countCharacters(plainText(codedValue(text.text).source));
      this.texts.labels.push(text);
    }
  }

  /** Adds what a heading, or the title of a block that is read as one, has besides its text. */
  #readHeading(node: Nodes & { type: 'heading' }, block: TextBlock): void {
    const { start, end } = rangeOf(node);
    const { blocks } = this.#markdown;
    // The sign of a heading is the last one of the marks.
    const mark = blocks[indexFrom(blocks, start + 1) - 1];
    if (mark && start < mark.end) {
      Object.assign(block, { kind: mark.kind ?? 'heading', syntax: 'headingAtx' });
    } else {
      const syntax = this.#source[start] === '#' ? 'headingAtx' : 'paragraph';
      Object.assign(block, { kind: 'heading', syntax, heading: { node, start, end } });
    }
  }

  #readChildren(parent: Parents, depth: number): void {
    checkDepth(depth);
    const children = parent.children as PhrasingContent[];
    for (const [at, child] of children.entries()) this.#readInline(child, children[at + 1], depth);
  }

  #readInline(node: PhrasingContent, next: PhrasingContent | undefined, depth: number): void {
    const { start, end } = rangeOf(node);
    switch (node.type) {
      case 'text':
        this.#readText(node.value, { start, end });
        return;
      case 'break':
        // The prefix of the next line, such as `> `, belongs to the break.
        this.#items.push({ start, end: next ? rangeOf(next).start : end, type: 'void', text: '\n' });
        return;
      case 'emphasis':
      case 'strong':
      case 'delete':
        this.#readPair(node, node.type, depth, { format: formats[node.type] });
        return;
      case 'link':
        if (this.#source[start] === '[') {
          this.#readTitle({ start, end }, node.title);
          this.#readPair(node, 'link', depth);
          return;
        }
        this.#keep('address', node.children.map((child) => ('value' in child ? child.value : '')).join(''));
        this.#items.push({ start, end, type: 'void', isWord: true });
        return;
      case 'linkReference':
        this.#readPair(node, 'link', depth, { written: this.#referenceEnd(node) });
        return;
      case 'image':
        this.#readAlt({ start, end }, node.alt);
        this.#readTitle({ start, end }, node.title);
        this.#items.push({ start, end, type: 'void' });
        return;
      case 'imageReference':
        // The label of a short reference is its alternative text, so this text stays.
        if (node.referenceType === 'full') this.#readAlt({ start, end }, node.alt);
        this.#items.push({ start, end, type: 'void' });
        return;
      case 'inlineCode': {
        this.#programs.push({ start, end });
        this.#keep('code', node.value);
        const last = this.#items.at(-1);
        const hasRole = last?.end === start && last.type === 'void' && this.#source[start - 1] === '}';
        const from = hasRole ? this.#items.pop()!.start : start;
        this.#items.push({ start: from, end, type: 'void', isWord: true, code: visibleCode(node.value) });
        return;
      }
      case 'html':
        this.#readTags(node);
        this.#items.push({ start, end, ...readTag(node.value, this.#language) });
        return;
      case 'mdxTextExpression':
        this.#keepProse(node);
        this.#items.push({ start, end, type: 'void', isWord: true });
        return;
      case 'mdxJsxTextElement':
        this.#readMdx(node);
        if (node.children.length > 0) this.#readPair(node, 'other', depth, { opaque: this.#opaqueOf(node) });
        else this.#items.push({ start, end, type: 'void', isWord: true });
        return;
      default:
        this.#items.push({ start, end, type: 'void', isWord: false });
    }
  }

  #readPair(
    node: Parents & PhrasingContent,
    markup: Markup,
    depth: number,
    given: { format?: FormatKind; written?: string | undefined; opaque?: string | undefined } = {},
  ): void {
    const { format, written, opaque } = given;
    const { start, end } = rangeOf(node);
    const [first, last] = [node.children[0], node.children.at(-1)];
    if (!first || !last) {
      this.#items.push({ start, end, type: 'void' });
      return;
    }
    const name = `pair ${++this.#pairs}`;
    // The brackets of a link stay in the segment, because its text may not have some brackets.
    const open = { start, end: rangeOf(first).start, type: 'open', name, format, markup } as const;
    this.#items.push({ ...open, isWord: markup === 'link', ...(opaque && { opaque }) });
    this.#readChildren(node, depth + 1);
    const close: MarkdownItem = { start: rangeOf(last).end, end, type: 'close', name, markup };
    this.#items.push(written === undefined ? close : { ...close, written });
  }

  /** Returns why the content of an element of MDX stays. */
  #opaqueOf({ name, attributes }: PhrasingContent & { type: 'mdxJsxTextElement' }): string | undefined {
    const lang = attributes.find((one) => one.type === 'mdxJsxAttribute' && one.name === 'lang')?.value;
    const isElement = /^[a-z]/.test(name ?? '') && typeof lang === 'string';
    return isElement && isOtherLanguage(lang, [this.#language]) ? otherLanguage : undefined;
  }

  /** Returns the end of a reference `[text]`, whose text is its label, after its text has changed: `][label]`. */
  #referenceEnd(node: PhrasingContent & { type: 'linkReference' }): string | undefined {
    if (node.referenceType === 'full') return undefined;
    const [first, last] = [node.children[0], node.children.at(-1)];
    if (!first || !last) return undefined;
    const label = this.#source.slice(rangeOf(first).start, rangeOf(last).end);
    return `][${label.replace(/\s*[\r\n][ \t>]*/g, ' ')}]`;
  }

  /** Adds a text. White space at its edges and foreign syntax are separate items. */
  #readText(value: string, { start, end }: Range): void {
    const { mask } = this.#markdown;
    const masks = this.#rangesWithin(start, end);
    const values = masks.length === 0 ? [value] : value.split(new RegExp(`${mask}+`));
    let [at, index] = [start, 0];
    for (const piece of values) {
      this.#addText(piece, at, masks[index]?.start ?? end);
      // Between ranges without a character between them, the value has no text.
      do {
        const range = masks[index++];
        if (!range) break;
        this.#addSyntax(range);
        at = range.end;
      } while (masks[index]?.start === at);
    }
  }

  #addSyntax({ start, end, separates, isWord = false, side, isAttribute }: ForeignSyntax): void {
    const last = this.#items.at(-1);
    if (side === 'open') {
      this.#items.push({ start, end, type: 'open', name: 'foreign', markup: 'link', isWord: true });
    } else if (side === 'close') {
      this.#items.push({ start, end, type: 'close', name: 'foreign', markup: 'link' });
    } else if (isAttribute && last?.end === start && hasAttributes(last)) {
      // The markup may move, but not without its attributes.
      if (last.written !== undefined) last.written += this.#source.slice(start, end);
      last.end = end;
    } else this.#items.push({ start, end, type: separates ? 'boundary' : 'void', isWord });
  }

  #addText(value: string, start: number, end: number): void {
    this.texts.characters += countCharacters(value);
    const raw = this.#source.slice(start, end);
    const lead = /^[ \t]*(?:(?:\r\n?|\n)[ \t>]*)*/.exec(raw)![0].length;
    const trail = lead === raw.length ? 0 : raw.length - withoutEnd(raw).length;
    const last = this.#items.at(-1);
    // The white space after a line break belongs to it.
    if (last?.type === 'void' && last.text === '\n') last.end = start + lead;
    else if (lead > 0) this.#items.push({ start, end: start + lead, type: 'text', text: ' ' });
    if (value.trim() !== '')
      this.#items.push({ start: start + lead, end: end - trail, type: 'text', text: value.trim() });
    if (trail > 0) this.#items.push({ start: end - trail, end, type: 'text', text: ' ' });
  }

  #rangesWithin(start: number, end: number): readonly ForeignSyntax[] {
    const { ranges } = this.#markdown;
    const from = indexFrom(ranges, start);
    let to = from;
    while (to < ranges.length && ranges[to]!.end <= end) to++;
    return ranges.slice(from, to);
  }

  /** Adds the text of an image, which is its first label. */
  #readAlt({ start, end }: Range, alt: string | null | undefined): void {
    const label = this.#markdown.labels[indexFrom(this.#markdown.labels, start + '!['.length)];
    if (alt && label && label.end <= end) this.#addLabel(label, 'alt', alt);
  }

  /** Adds the title of a link or an image, which is the last one in it. */
  #readTitle({ start, end }: Range, title: string | null | undefined): void {
    if (!title) return;
    let found: Range | undefined;
    const { titles } = this.#markdown;
    for (let at = indexFrom(titles, start); at < titles.length && titles[at]!.end <= end; at++)
      found = titles[at];
    if (found) this.#addLabel(found, 'title', title);
  }

  #addLabel({ start, end }: Range, name: string, text: string): void {
    if (text.includes(this.#markdown.mask) || /[\r\n]/.test(text)) {
      this.#keep('code', text.replaceAll(this.#markdown.mask, ''));
      return;
    }
    this.texts.characters += countCharacters(text);
    this.texts.labels.push({ start, end, name, text });
  }

  #keep(reason: string, text: string): void {
    if (text.trim() === '') return;
    this.texts.characters += countCharacters(text);
    this.texts.kept.push({ reason, text });
  }
}

/** Whether attributes after a tag are written with it. The signs of emphasis are chosen again. */
function hasAttributes({ type, markup, text }: MarkdownItem): boolean {
  return type === 'close' ? markup === 'link' : type === 'void' && text !== '\n';
}

/** Removes the white space at the end of a source, and line ends with the prefix of the next line. */
function withoutEnd(raw: string): string {
  const newline = Math.max(raw.lastIndexOf('\n'), raw.lastIndexOf('\r'));
  const isEnd = newline >= 0 && /^[ \t>]*$/.test(raw.slice(newline + 1));
  return (isEnd ? raw.slice(0, newline) : raw).trimEnd();
}

function checkDepth(depth: number): void {
  if (depth > maxDepth)
    throw new FileError('unreadable', `the markup is nested more than ${maxDepth} levels deep`);
}

function rangeOf({ position }: Pick<Nodes, 'position'>): Range {
  return { start: position!.start.offset!, end: position!.end.offset! };
}

/** Returns the index of the first range that starts at an offset or after it. */
function indexFrom(ranges: readonly Range[], start: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads a tag or comment of HTML in a paragraph. */
function readTag(html: string, language: string | undefined): Omit<MarkdownItem, 'start' | 'end'> {
  const [, slash, written = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(html) ?? [];
  const name = written.toLowerCase();
  if (name === '' || inlineVoids.has(name) || html.endsWith('/>'))
    return { type: 'void', ...(name === 'br' && { text: '\n' }) };
  if (slash) return { type: 'close', name: `html ${name}`, markup: 'other' };
  const [, declared] = /\s(?:xml:)?lang\s*=\s*["']?([\w-]+)/i.exec(html) ?? [];
  const opaque = opaqueElements[name] || (isOtherLanguage(declared, [language]) && otherLanguage);
  const open = { type: 'open', name: `html ${name}`, format: inlineFormats[name], markup: 'other' } as const;
  return { ...open, ...(opaque && { opaque }) };
}
