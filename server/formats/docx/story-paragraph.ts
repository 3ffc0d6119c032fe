import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { Edit } from '../office/splice.ts';

/** A paragraph that has text to translate. */
export interface StoryParagraph {
  texts: PlacedText[];
  /** The paragraph before it that holds the large first letters, which `texts` have, too. */
  dropCap?: StoryParagraph;
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
