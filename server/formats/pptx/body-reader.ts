import { limits, overLimit } from '../file-error.ts';
import type { Numbering } from '../office/numbering.ts';
import { FieldStack } from '../office/paragraph/fields.ts';
import { readContent } from '../office/paragraph/paragraph-content.ts';
import { type PlacedText, placedTexts } from '../office/paragraph/placed-texts.ts';
import type { RunProperties, TextFormat } from '../office/paragraph/text-format.ts';
import type { Declarations, Run, Token } from '../office/paragraph/tokens.ts';
import type { XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { drawingMarkup, isDrawing } from './drawing-xml.ts';
import {
  addAttributes,
  addElement,
  formatOf,
  type LevelStyle,
  type Levels,
  levelOf,
  readLevels,
} from './list-styles.ts';
import type { BodyProperties, DrawingParagraph, TextBody } from './text-body.ts';

/** The state of a part that the reader of a paragraph needs. */
export interface ParagraphContext {
  source: string;
  /** Returns the visible formatting of a run. @param level the level of the paragraph, from 0 */
  formatOf(level: number, properties: RunProperties): TextFormat;
  /** Is called with the text of each field, which stays unchanged. */
  onField(text: string): void;
}

/** The run around the current position. */
interface OpenRun {
  tag: XmlStartTag;
  /** Whether the run is a field, such as the number of the slide. */
  isField: boolean;
  propertiesTag: XmlStartTag | undefined;
  properties: string;
  own: RunProperties;
  /** The XML of the hyperlinks of the run; '' if it has none. */
  link: string;
  text: string;
}

/**
 * Reads the tokens of one `a:p` element. Pass it the XML events between the start and the end tag of the paragraph.
 * Breaks and fields are voids, and consecutive runs with the same hyperlink are in one pair.
 */
class ParagraphReader {
  readonly tag: XmlStartTag;
  readonly #context: ParagraphContext;
  readonly #tokens: Token[] = [];
  /** The `pPr` element; undefined if missing. */
  properties: XmlStartTag | undefined;
  propertiesEnd = 0;
  /** The offsets of the content: without the properties, and without those of the paragraph mark. */
  contentStart: number;
  contentEnd: number | undefined;
  #depth = 0;
  #run: OpenRun | undefined;
  #isText = false;
  /** The start tag of the open child of the paragraph, and of the open property of a run. */
  #child: XmlStartTag | undefined;
  #property: XmlStartTag | undefined;
  /** The hyperlinks of the last token; '' if it has none. */
  #link = '';

  constructor(tag: XmlStartTag, context: ParagraphContext) {
    this.tag = tag;
    this.contentStart = tag.end;
    this.#context = context;
  }

  /** The level of the paragraph in its outline, from 0 to 8. */
  get level(): number {
    const level = Number(this.properties?.attributes['lvl'] ?? 0);
    return Number.isInteger(level) && level >= 0 && level < 9 ? level : 0;
  }

  open(tag: XmlStartTag): void {
    const depth = ++this.#depth;
    const run = this.#run;
    if (depth === 1) this.#openChild(tag);
    else if (depth === 2 && run && isDrawing(tag)) {
      if (tag.local === 't') this.#isText = true;
      else if (tag.local === 'rPr') {
        run.propertiesTag = tag;
        addAttributes(run.own, tag);
      }
    } else if (depth === 3 && run?.propertiesTag && run.properties === '') this.#property = tag;
  }

  text(text: string): void {
    if (this.#isText && this.#run) this.#run.text += text;
  }

  close({ end, local }: XmlEndTag): void {
    const depth = this.#depth--;
    const run = this.#run;
    if (depth === 2) this.#isText = false;
    if (depth === 3 && run && this.#property) {
      const raw = this.#context.source.slice(this.#property.start, end);
      if (local.startsWith('hlink')) run.link += raw;
      else addElement(run.own, this.#property, raw);
      this.#property = undefined;
    } else if (depth === 2 && run?.propertiesTag && run.properties === '' && local === 'rPr')
      run.properties = this.#context.source.slice(run.propertiesTag.start, end);
    else if (depth === 1) this.#closeChild(end);
  }

  /** Returns the tokens. @param end the offset of the paragraph's end tag */
  finish(end: number): Token[] {
    this.#setLink('', end);
    this.contentEnd ??= end;
    return this.#tokens;
  }

  #openChild(tag: XmlStartTag): void {
    this.#child = tag;
    const { local, start } = tag;
    if (!isDrawing(tag)) return;
    if (local === 'pPr' && this.#tokens.length === 0) this.properties = tag;
    else if (local === 'endParaRPr') this.contentEnd = start;
    else if (local === 'r' || local === 'fld')
      this.#run = {
        ...{ tag, isField: local === 'fld', propertiesTag: undefined },
        ...{ properties: '', own: {}, link: '', text: '' },
      };
  }

  #closeChild(end: number): void {
    const { start, local } = this.#child!;
    const run = this.#run;
    this.#run = undefined;
    if (this.properties === this.#child) {
      this.propertiesEnd = end;
      this.contentStart = end;
    } else if (this.contentEnd !== undefined) return;
    else if (run && !run.isField) this.#addRun(run);
    else {
      if (run?.isField) this.#context.onField(run.text);
      this.#setLink('', start);
      const isBreak = !run && local === 'br';
      // Formulas and fields are read as a part of the sentence.
      this.#push({
        ...{ type: 'void', raw: this.#context.source.slice(start, end), run: undefined },
        ...{ text: isBreak ? '\n' : '', start, page: 0, isPartOfSentence: !isBreak },
      });
    }
  }

  /** Begins or ends a hyperlink. The properties of its runs contain it, so its tags have no XML. */
  #setLink(link: string, start: number): void {
    if (link === this.#link) return;
    const edge = { raw: '', run: undefined, text: '', start, page: 0 };
    if (this.#link !== '') this.#push({ ...edge, type: 'close' });
    if (link !== '') this.#push({ ...edge, type: 'open' });
    this.#link = link;
  }

  /**
   * Adds the text of a run. Soft hyphens are removed, because they mark positions at which words of the source language
   * can be hyphenated.
   */
  #addRun({ tag, properties, own, link, text: written }: OpenRun): void {
    const { start, end, name, selfClosing } = tag;
    if (selfClosing || written === '') return;
    this.#setLink(link, start);
    const run: Run = {
      open: this.#context.source.slice(start, end),
      properties,
      close: `</${name}>`,
      declarations: declarationsOf(tag),
      isHidden: false,
      format: this.#context.formatOf(this.level, own),
      markup: drawingMarkup,
    };
    const prefix = name.slice(0, -1);
    for (const piece of written.replace(/[\r\n]/g, ' ').split(/(\t)/)) {
      if (piece === '') continue;
      const text = piece.replaceAll('\u00ad', '');
      const raw = drawingMarkup.textElement(piece, prefix);
      this.#push({ type: piece === '\t' ? 'void' : 'text', raw, run, text, start, page: 0 });
    }
  }

  #push(token: Token): void {
    this.#tokens.push(token);
    if (this.#tokens.length > limits.docxParagraphPieces)
      throw overLimit('the number of pieces of one paragraph', limits.docxParagraphPieces);
  }
}

function declarationsOf({ declaresNamespace, attributes }: XmlStartTag): Declarations | undefined {
  if (!declaresNamespace) return undefined;
  return new Map(Object.entries(attributes).filter(([name]) => /^xmlns(:|$)/.test(name)));
}

/** The size of text for which the file sets none, in points. */
const defaultSize = 18;

const fits: ReadonlySet<string> = new Set(['noAutofit', 'normAutofit', 'spAutoFit']);

interface BodyContext {
  source: string;
  numbering: Numbering;
  /** The lists whose properties the paragraphs inherit, from the most general to the most specific. */
  inherited: readonly Levels[];
  /** Returns the texts with the keys that they have, and whether they repeat the texts of another paragraph. */
  match(texts: PlacedText[]): { texts: PlacedText[]; isRepeated: boolean };
  onField(text: string): void;
}

/** Reads the paragraphs and the properties of one text body. Pass it the XML events inside of the body. */
export class BodyReader {
  readonly #context: BodyContext;
  readonly #paragraphs: DrawingParagraph[] = [];
  readonly #properties: BodyProperties = {
    ...{ tag: undefined, fit: undefined, fitAt: 0 },
    ...{ isWarped: false, attributes: {} },
  };
  #levels: Levels = [];
  #lists: XmlStartTag | undefined;
  #inherited: readonly Levels[];
  #depth = 0;
  #paragraph: ParagraphReader | undefined;
  #inProperties = false;
  readonly #levelStyles: LevelStyle[] = [];

  constructor(context: BodyContext) {
    this.#context = context;
    this.#inherited = context.inherited;
  }

  open(tag: XmlStartTag): void {
    const depth = ++this.#depth;
    if (this.#paragraph) this.#paragraph.open(tag);
    else if (depth === 1 && isDrawing(tag)) this.#openChild(tag);
    else if (depth === 2 && this.#inProperties && tag.local === 'prstTxWarp')
      this.#properties.isWarped = tag.attributes['prst'] !== 'textNoShape';
    else if (depth === 2 && this.#inProperties && fits.has(tag.local))
      this.#properties.fit = { local: tag.local, attributes: tag.attributes, start: tag.start, end: tag.end };
  }

  text(text: string): void {
    this.#paragraph?.text(text);
  }

  close(tag: XmlEndTag): void {
    const depth = this.#depth--;
    if (depth === 2 && this.#inProperties) {
      if (tag.local === 'prstTxWarp') this.#properties.fitAt = tag.end;
      if (fits.has(tag.local)) this.#properties.fit!.end = tag.end;
    }
    if (depth > 1) {
      this.#paragraph?.close(tag);
      return;
    }
    if (this.#paragraph) this.#closeParagraph(this.#paragraph, tag);
    else if (this.#lists) {
      this.#levels = readLevels(this.#context.source.slice(this.#lists.start, tag.end));
      this.#inherited = [...this.#context.inherited, this.#levels];
    }
    this.#paragraph = undefined;
    this.#lists = undefined;
    this.#inProperties = false;
  }

  result(): Pick<TextBody, 'properties' | 'levels' | 'paragraphs'> {
    return { properties: this.#properties, levels: this.#levels, paragraphs: this.#paragraphs };
  }

  #openChild(tag: XmlStartTag): void {
    const { local, selfClosing } = tag;
    if (local === 'bodyPr') {
      this.#inProperties = true;
      Object.assign(this.#properties, { tag, fitAt: tag.end, attributes: tag.attributes });
    } else if (local === 'lstStyle' && !selfClosing) this.#lists = tag;
    else if (local === 'p') {
      this.#context.numbering.openParagraph();
      this.#paragraph = new ParagraphReader(tag, {
        source: this.#context.source,
        formatOf: (level, own) => formatOf(this.#levelStyle(level).run, own),
        onField: this.#context.onField,
      });
    }
  }

  #levelStyle(level: number): LevelStyle {
    this.#levelStyles[level] ??= levelOf(this.#inherited, level);
    return this.#levelStyles[level];
  }

  #closeParagraph(reader: ParagraphReader, { start: end }: XmlEndTag): void {
    const tokens = reader.finish(end);
    const level = this.#levelStyle(reader.level);
    const read = readContent(tokens, new FieldStack(false, new Set(), () => {}));
    const { numbering, match } = this.#context;
    const { texts, isRepeated } = read
      ? match(placedTexts(read, numbering.keyAndPlace()))
      : { texts: [], isRepeated: false };
    const { sz = level.run.sz } =
      texts[0]?.content.properties.format ?? tokens.find(({ run }) => run)?.run?.format ?? {};
    const { tag, properties, contentStart, contentEnd } = reader;
    this.#paragraphs.push({
      ...{ texts, isRepeated, properties, level, contentStart, contentEnd: contentEnd! },
      text: tokens.map((token) => token.text).join(''),
      size: Number(sz) / 2 || defaultSize,
      prefix: tag.name.slice(0, -1),
      start: tag.end,
    });
  }
}
