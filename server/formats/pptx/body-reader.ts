import type { Numbering } from '../office/numbering.ts';
import { FieldStack } from '../office/paragraph/fields.ts';
import { readContent } from '../office/paragraph/paragraph-content.ts';
import { type PlacedText, placedTexts } from '../office/paragraph/placed-texts.ts';
import type { XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { isDrawing } from './drawing-xml.ts';
import { formatOf, type LevelStyle, type Levels, levelOf, readLevels } from './list-styles.ts';
import { ParagraphReader } from './paragraph-reader.ts';
import type { BodyProperties, DrawingParagraph, TextBody } from './text-body.ts';

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
