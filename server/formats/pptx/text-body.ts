import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { XmlStartTag } from '../office/xml-reader.ts';
import type { LevelStyle, Levels } from './list-styles.ts';
import type { Frame, Shape } from './shapes.ts';

export interface DrawingParagraph {
  /** The texts to translate; empty if the paragraph has no letter to translate. */
  texts: PlacedText[];
  /** The text without its fields. */
  text: string;
  /** The size of most of the text, in points. */
  size: number;
  /** Whether the texts are in a copy and have the keys of the texts that they repeat. */
  isRepeated: boolean;
  /** The start tag of the `pPr` element; undefined if missing. */
  properties: XmlStartTag | undefined;
  /** The properties of the paragraph's level, without those of the paragraph. */
  level: LevelStyle;
  /** The namespace prefix of DrawingML's elements, with the colon. */
  prefix: string;
  /** The offset after the start tag of the paragraph. */
  start: number;
  /** The offsets of the content, without the properties of the paragraph and of its mark. */
  contentStart: number;
  contentEnd: number;
}

/** How a text body fits its text into its shape. */
export interface BodyProperties {
  /** The start tag of the `bodyPr` element; undefined if missing. */
  tag: XmlStartTag | undefined;
  /** The `noAutofit`, `normAutofit` or `spAutoFit` element. */
  fit:
    | { local: string; attributes: Readonly<Record<string, string>>; start: number; end: number }
    | undefined;
  /** The offset at which the schema places the kind of fit. */
  fitAt: number;
  /** Whether the text is bent to the form of its shape, as WordArt is. */
  isWarped: boolean;
  attributes: Readonly<Record<string, string>>;
}

/** All paragraphs of one shape or table cell. */
export interface TextBody {
  shape: Shape | undefined;
  /** The place of the shape or the cell on its slide; undefined if the shape inherits its place. */
  frame: Frame | undefined;
  /** Whether the text has much less room than its shape, as in some diagrams. */
  hasOtherTextFrame: boolean;
  inTable: boolean;
  /** Whether the slide or the shape is not shown. */
  isHidden: boolean;
  /** Whether only programs show the text that do not support the newer form of the content. */
  isFallback: boolean;
  properties: BodyProperties;
  levels: Levels;
  paragraphs: DrawingParagraph[];
}
