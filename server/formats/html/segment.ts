import type { TranslatableAttribute } from './places.ts';

interface Span {
  /** Offset in the source of the first UTF-16 unit that a translation replaces. */
  start: number;
  /** Offset just after the last one. */
  end: number;
  /** What a reader sees there: references decoded, line ends as `\n`. */
  text: string;
  /** Name of the element that holds the text or carries the attribute; `body` for text outside every element. */
  element: string;
}

/** A stretch of text that no tag, comment or CDATA section interrupts. */
export interface TextSegment extends Span {
  kind: 'text';
}

/** The value of a translatable attribute. */
export interface AttributeSegment extends Span {
  kind: 'attribute';
  attribute: TranslatableAttribute;
  /** The quote around the value; empty for a bare value, which the segment then covers whole. */
  quote: '"' | "'" | '';
}

/** One translatable place of an HTML source. */
export type HtmlSegment = TextSegment | AttributeSegment;
