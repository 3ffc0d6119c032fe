import { limits, overLimit } from '../file-error.ts';
import { isLiveField } from '../office/paragraph/fields.ts';
import type { RunProperties, TextFormat } from '../office/paragraph/text-format.ts';
import { type Declarations, type Run, type Token, withDeclarations } from '../office/paragraph/tokens.ts';
import { attributeOf, type XmlEndTag, type XmlStartTag } from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import type { KeptContent } from './kept-content.ts';
import {
  fieldMarkOf,
  ignored,
  KeptSubtree,
  PropertiesSubtree,
  RubySubtree,
  type Subtree,
  TextSubtree,
} from './subtrees.ts';
import { ControlProperties, isWord, runCharacters, wordMarkup, wordNamespaces } from './word-xml.ts';

/** The state of a story that the reader of a paragraph needs. */
export interface ParagraphContext {
  /** Returns the XML of the part between two offsets, with the changes inside of it, such as those in text boxes. */
  slice(start: number, end: number): string;
  kept: KeptContent;
  include: ReadonlySet<Includable>;
  /** Whether the results of all fields stay unchanged, as in headers and footers. */
  allFieldsLive: boolean;
  /** Whether the XML part declares `xml:space="preserve"` for all its texts. */
  preservesSpace: boolean;
  /** Returns the number of the page at the current position. */
  page(): number;
  /** Whether a paragraph style or a run style hides the text of a run. */
  isHiddenStyle(paragraphStyle: string | undefined, runStyle: string | undefined): boolean;
  /** Returns the visible formatting of a run, given the styles of its paragraph and of itself and its own properties. */
  formatOf(
    paragraphStyle: string | undefined,
    runStyle: string | undefined,
    properties: RunProperties,
  ): TextFormat;
}

/** Elements without width, which occur in a paragraph or in a run. */
const markers = new Set(
  (
    'bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd permStart permEnd moveFromRangeStart moveFromRangeEnd ' +
    'moveToRangeStart moveToRangeEnd customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd ' +
    'customXmlMoveFromRangeStart customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd ' +
    'lastRenderedPageBreak commentReference annotationRef'
  ).split(' '),
);
/** Elements around runs. Each becomes a pair of tags around the text. */
const surrounding = new Set('hyperlink dir bdo fldSimple'.split(' '));
/** Tracked changes whose text is part of the paragraph if tracked changes are included. */
const insertions = new Set('ins moveTo'.split(' '));
/** Elements around runs that do not affect what a reader sees. Their runs are read as if the element were absent. */
const transparent = new Set('smartTag customXml'.split(' '));
/**
 * Elements that are removed. `proofErr` marks a mistake in the source text, so it does not apply to the translation.
 */
const dropped = new Set('smartTagPr customXmlPr proofErr'.split(' '));

/** Elements that stay unchanged and are read as a part of the surrounding sentence. */
const sentenceElements = new Set('fldSimple sdt ins moveTo oMath sym'.split(' '));

/**
 * The maximum length of the namespace declarations between a paragraph and its text. The limit is low, because the
 * declarations are repeated for each piece that may move.
 */
const maxDeclarationLength = 500;

type Position = Pick<Token, 'start' | 'page'>;

/** A content control around the current position. */
interface OpenControl {
  tag: XmlStartTag;
  at: Position;
  properties: ControlProperties;
  isInContent: boolean;
  /** The offset at which the end tag of the content starts. */
  contentEnd?: number;
}

/** Reads the tokens of one paragraph. Pass it the XML events between the start and the end tag of the paragraph. */
export class ParagraphReader {
  readonly tag: XmlStartTag;
  readonly #tokens: Token[] = [];
  /** The XML of the `pPr` element; '' if missing. */
  properties = '';
  style: string | undefined;
  /** The outline level that the paragraph itself sets, from 0. */
  outlineLevel: number | undefined;
  /** The offset of the content: after the properties, or after the start tag if missing. */
  contentStart: number;
  readonly #context: ParagraphContext;
  /** The element that a subtree currently reads, and the action to run at the element's end. */
  #inside: { depth: number; subtree: Subtree; finish: (end: number) => void } | undefined;
  /** The closing actions of all other open elements, innermost last. */
  readonly #closers: ((tag: XmlEndTag) => void)[] = [];
  /** The open content controls whose content is read, outermost first. */
  readonly #controls: OpenControl[] = [];
  /** Whether the last token is in a pair around hidden text. */
  #isInHidden = false;
  #run: Run | undefined;
  #declarations: Declarations | undefined;

  constructor(tag: XmlStartTag, context: ParagraphContext) {
    this.tag = tag;
    this.contentStart = tag.end;
    this.#context = context;
  }

  open(tag: XmlStartTag): void {
    if (this.#inside) {
      this.#inside.depth++;
      this.#inside.subtree.open(tag);
    } else if (this.#run) this.#openInRun(tag, this.#run);
    else this.#openBesideRuns(tag);
  }

  text(text: string): void {
    this.#inside?.subtree.text(text);
  }

  close(tag: XmlEndTag): void {
    const inside = this.#inside;
    if (!inside) {
      this.#closers.pop()?.(tag);
      return;
    }
    inside.subtree.close(tag);
    if (--inside.depth > 0) return;
    this.#inside = undefined;
    inside.finish(tag.end);
  }

  #read(tag: XmlStartTag, subtree: Subtree, finish: (end: number) => void): void {
    this.#inside = { depth: 1, subtree, finish };
    subtree.open(tag);
  }

  #openBesideRuns(tag: XmlStartTag): void {
    const { local } = tag;
    const control = this.#controls.at(-1);
    if (control && !control.isInContent) this.#openInControl(tag, control);
    else if (!isWord(tag) || this.#declaresTooMuch(tag)) this.#readKept(tag);
    else if (local === 'r') this.#openRun(tag);
    else if (local === 'pPr' && this.#tokens.length === 0 && this.#closers.length === 0)
      this.#readParagraphProperties(tag);
    else if (markers.has(local)) this.#readMarker(tag);
    else if (dropped.has(local)) this.#read(tag, ignored, () => {});
    else if (transparent.has(local)) this.#openTransparent(tag);
    else if (local === 'fldData') this.#readFieldData(tag);
    else if (this.#isSurrounding(local) && !this.#isKeptElement(tag)) this.#openSurrounding(tag);
    else if (local === 'sdt' && this.#context.include.has('content_controls') && !this.#isKeptElement(tag))
      this.#openControl(tag);
    else this.#readKept(tag);
  }

  #isSurrounding(local: string): boolean {
    return surrounding.has(local) || (insertions.has(local) && this.#context.include.has('tracked_changes'));
  }

  /**
   * Whether an element stays unchanged, because it is a live field or because it redefines the namespace prefix of the
   * paragraph.
   */
  #isKeptElement(tag: XmlStartTag): boolean {
    if (tag.local === 'fldSimple')
      if (this.#context.allFieldsLive || isLiveField(attributeOf(tag, 'instr') ?? '')) return true;
    const prefix = this.tag.name.slice(0, -1);
    const redeclared = tag.attributes[prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`];
    return redeclared !== undefined && !wordNamespaces.has(redeclared);
  }

  /** Whether moving the content of an element would require namespace declarations that exceed the limit. */
  #declaresTooMuch(tag: XmlStartTag): boolean {
    if (!tag.declaresNamespace || markers.has(tag.local)) return false;
    let length = 0;
    for (const [name, value] of this.#declare(tag) ?? []) length += name.length + value.length;
    return length > maxDeclarationLength;
  }

  #openInRun(tag: XmlStartTag, run: Run): void {
    const { local } = tag;
    const character = isWord(tag) ? runCharacters.get(local) : undefined;
    if (!isWord(tag)) this.#readKept(tag);
    else if (local === 't') this.#readText(tag);
    else if (local === 'rPr' && run.properties === '') this.#readRunProperties(tag, run);
    else if (markers.has(local)) this.#readMarker(tag);
    else if (local === 'softHyphen') this.#readCharacter(tag, 'text', '');
    else if (local === 'noBreakHyphen') this.#readCharacter(tag, 'text', character!);
    else if (character !== undefined) this.#readCharacter(tag, 'void', character);
    else if (local === 'instrText') this.#readCode(tag);
    else if (local === 'ruby') this.#readRuby(tag);
    else if (fieldMarkOf(tag)) {
      const at = this.#position(tag);
      this.#read(tag, ignored, (end) =>
        this.#push('field', this.#slice(tag.start, end), '', at, { mark: fieldMarkOf(tag)! }),
      );
    } else this.#readKept(tag);
  }

  #openRun(tag: XmlStartTag): void {
    const { start, end, selfClosing, name } = tag;
    if (selfClosing) {
      this.#closers.push(() => {});
      return;
    }
    this.#run = {
      open: withDeclarations(this.#slice(start, end), this.#declarations),
      properties: '',
      close: `</${name}>`,
      declarations: this.#declare(tag),
      isHidden: this.#context.isHiddenStyle(this.style, undefined),
      format: this.#context.formatOf(this.style, undefined, {}),
      markup: wordMarkup,
    };
    this.#closers.push(() => {
      this.#run = undefined;
    });
  }

  #openTransparent(tag: XmlStartTag): void {
    const outer = this.#declarations;
    this.#declarations = this.#declare(tag);
    this.#closers.push(() => {
      this.#declarations = outer;
    });
  }

  #openSurrounding(tag: XmlStartTag): void {
    const outer = this.#declarations;
    if (tag.selfClosing) {
      // An empty hyperlink is kept, because Word may display the target of the link.
      this.#push('void', this.#slice(tag.start, tag.end), '', this.#position(tag));
      this.#closers.push(() => {});
      return;
    }
    this.#push('open', this.#slice(tag.start, tag.end), '', this.#position(tag));
    this.#declarations = this.#declare(tag);
    this.#closers.push(({ start, end }) => {
      this.#declarations = outer;
      this.#push('close', this.#slice(start, end), '', { start, page: this.#context.page() });
    });
  }

  /** Opens a content control. Its properties, which precede its content, determine whether its text is read. */
  #openControl(tag: XmlStartTag): void {
    const outer = this.#declarations;
    const at = this.#position(tag);
    const control: OpenControl = { tag, at, properties: new ControlProperties(), isInContent: false };
    this.#controls.push(control);
    this.#closers.push(({ end }) => {
      this.#controls.pop();
      this.#declarations = outer;
      const { contentEnd } = control;
      if (contentEnd === undefined) this.#push('void', this.#slice(tag.start, end), '', at);
      else this.#push('close', this.#slice(contentEnd, end), '', { ...at, start: contentEnd });
    });
  }

  /** Reads an element directly in a content control. Elements other than its content are parts of its tags. */
  #openInControl(tag: XmlStartTag, control: OpenControl): void {
    if (tag.local === 'sdtPr') this.#read(tag, control.properties, () => {});
    else if (tag.local !== 'sdtContent' || control.contentEnd !== undefined)
      this.#read(tag, ignored, () => {});
    else if (control.properties.hasValue || this.#declaresTooMuch(tag)) this.#keepControl(tag, control);
    else {
      this.#push('open', this.#slice(control.tag.start, tag.end), '', control.at);
      this.#declarations = this.#declare(control.tag);
      this.#declarations = this.#declare(tag);
      control.isInContent = true;
      this.#closers.push(({ start }) => {
        control.isInContent = false;
        control.contentEnd = start;
      });
    }
  }

  /** Keeps a content control whose content begins with this tag. */
  #keepControl(content: XmlStartTag, { tag, at }: OpenControl): void {
    this.#controls.pop();
    this.#closers.pop();
    const subtree = new KeptSubtree(this.#context.kept);
    subtree.open(tag);
    this.#read(content, subtree, (end) => this.#pushKept(subtree, tag, end, at));
    this.#inside!.depth++;
  }

  /** Returns the current namespace declarations together with those of the tag. */
  #declare({ declaresNamespace, attributes }: XmlStartTag): Declarations | undefined {
    if (!declaresNamespace) return this.#declarations;
    const all = new Map(this.#declarations);
    for (const name in attributes) if (/^xmlns(:|$)/.test(name)) all.set(name, attributes[name]!);
    return all;
  }

  #readParagraphProperties(tag: XmlStartTag): void {
    const properties = new PropertiesSubtree();
    this.#read(tag, properties, (end) => {
      this.properties = this.#slice(tag.start, end);
      this.style = properties.style;
      this.outlineLevel = properties.outlineLevel;
      this.contentStart = end;
    });
  }

  #readRunProperties(tag: XmlStartTag, run: Run): void {
    const properties = new PropertiesSubtree();
    this.#read(tag, properties, (end) => {
      run.properties = this.#slice(tag.start, end);
      run.isHidden = properties.hidden ?? this.#context.isHiddenStyle(this.style, properties.style);
      run.format = this.#context.formatOf(this.style, properties.style, properties.run);
    });
  }

  /**
   * Reads the text of a `t` element as Word does: trims it, and reads line feeds and tabs as spaces. Removes soft
   * hyphens, because they mark positions at which words of the source language can be hyphenated.
   */
  #readText(tag: XmlStartTag): void {
    const at = this.#position(tag);
    const subtree = new TextSubtree();
    const space = tag.attributes['xml:space'];
    const preserves = space === undefined ? this.#context.preservesSpace : space === 'preserve';
    this.#read(tag, subtree, (end) => {
      const trimmed = preserves ? subtree.content : subtree.content.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
      if (trimmed === '') return;
      const text = trimmed.replace(/[\t\n\r]/g, ' ').replaceAll('\u00ad', '');
      this.#push('text', this.#slice(tag.start, end), text, at);
    });
  }

  #readCode(tag: XmlStartTag): void {
    const at = this.#position(tag);
    const subtree = new TextSubtree();
    this.#read(tag, subtree, (end) => this.#push('code', this.#slice(tag.start, end), subtree.content, at));
  }

  #readCharacter(tag: XmlStartTag, type: 'text' | 'void', character: string): void {
    const at = this.#position(tag);
    this.#read(tag, ignored, (end) => this.#push(type, this.#slice(tag.start, end), character, at));
  }

  #readMarker(tag: XmlStartTag): void {
    const at = this.#position(tag);
    const isStart = tag.local.endsWith('Start');
    this.#read(tag, ignored, (end) => this.#push('marker', this.#slice(tag.start, end), '', at, { isStart }));
  }

  #readRuby(tag: XmlStartTag): void {
    const at = this.#position(tag);
    const ruby = new RubySubtree();
    this.#read(tag, ruby, (end) => {
      const { base, properties } = ruby;
      const written = properties ? this.#slice(properties.start, properties.end) : '';
      this.#push('text', this.#slice(tag.start, end), base, at, { properties: written });
    });
  }

  /** Reads the `fldData` element of a simple field. It directly follows the field's start tag. */
  #readFieldData(tag: XmlStartTag): void {
    const field = this.#tokens.at(-1);
    if (field?.type !== 'open') {
      this.#readKept(tag);
      return;
    }
    this.#read(tag, ignored, (end) => {
      field.raw = this.#slice(field.start, end);
    });
  }

  #readKept(tag: XmlStartTag): void {
    const at = this.#position(tag);
    const subtree = new KeptSubtree(this.#context.kept);
    this.#read(tag, subtree, (end) => this.#pushKept(subtree, tag, end, at));
  }

  #pushKept({ marks }: KeptSubtree, { local, start }: XmlStartTag, end: number, at: Position): void {
    const more: Partial<Token> = { isPartOfSentence: sentenceElements.has(local) };
    if (marks.length > 0) more.innerMarks = marks;
    this.#push('void', this.#slice(start, end), '', at, more);
  }

  #push(type: Token['type'], raw: string, text: string, at: Position, more: Partial<Token> = {}): void {
    const run = this.#run;
    const token: Token = { type, raw, run, text, ...at, ...more };
    if (!run && this.#declarations) token.declarations = this.#declarations;
    const isHidden = run?.isHidden === true && (type === 'text' || type === 'void') && !more.innerMarks;
    if (isHidden && this.#isHiddenTextRead(token)) {
      if (!this.#isInHidden) this.#addToken({ type: 'open', raw: '', run: undefined, text: '', ...at });
      this.#isInHidden = true;
    } else if (isHidden) {
      token.type = 'marker';
      token.text = '';
      if (type === 'text' && letter.test(text)) this.#context.kept.add('hidden_text');
    } else if (type !== 'marker') this.#endHidden(at);
    this.#addToken(token);
  }

  /** Whether hidden text is read, in a separate pair of tags. */
  #isHiddenTextRead({ type, text }: Token): boolean {
    if (!this.#context.include.has('hidden')) return false;
    return this.#isInHidden || (type === 'text' && letter.test(text));
  }

  #endHidden(at: Position): void {
    if (!this.#isInHidden) return;
    this.#isInHidden = false;
    this.#addToken({ type: 'close', raw: '', run: undefined, text: '', ...at });
  }

  #addToken(token: Token): void {
    this.#tokens.push(token);
    if (this.#tokens.length > limits.docxParagraphPieces)
      throw overLimit('the number of texts, breaks and links in one paragraph', limits.docxParagraphPieces);
  }

  /** Returns the tokens of the paragraph. Call it at the end tag of the paragraph, which starts at `start`. */
  finish(start: number): readonly Token[] {
    this.#endHidden({ start, page: this.#context.page() });
    return this.#tokens;
  }

  #position(tag: XmlStartTag): Position {
    return { start: tag.start, page: this.#context.page() };
  }

  #slice(start: number, end: number): string {
    return this.#context.slice(start, end);
  }
}
