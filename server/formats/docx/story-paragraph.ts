import type { SegmentKey } from '../document.ts';
import type { ParagraphContent } from '../office/paragraph/paragraph-content.ts';
import type { Edit } from '../office/splice.ts';

/** A text of a paragraph: all of it, or the text on one side of a tab. */
export interface StoryText extends SegmentKey {
  /** The location of the text in the story, in a readable form: `paragraph 3`, `table 1, row 2, cell 3`. */
  place: string;
  content: ParagraphContent;
}

/** A paragraph that has text to translate. */
export interface StoryParagraph {
  texts: StoryText[];
  /** Returns the whole paragraph as one text, as earlier versions have read it. */
  whole(): StoryText;
  inTable: boolean;
  /** Whether the paragraph is in a text box. */
  inBox: boolean;
  /** Whether the paragraph is in a text box that only older programs show, instead of another one or of a picture. */
  isFallback: boolean;
  /** Whether the texts are in a copy and have the keys of the texts that they repeat. */
  isRepeated: boolean;
  isHeading: boolean;
  /** The XML of the `pPr` element; '' if missing. */
  properties: string;
  style: string | undefined;
  /** The namespace prefix of Word's elements, with the colon. */
  prefix: string;
  /**
   * The offsets in the part between which the properties and the content are: everything between the paragraph's tags.
   */
  start: number;
  end: number;
  /** The changes inside of the paragraph: those in its text boxes. The content of the paragraph has them. */
  innerEdits: readonly Edit[];
}
