import type { PlacedText } from '../office/paragraph/placed-texts.ts';
import type { Edit } from '../office/splice.ts';
import type { Includable } from '../selection.ts';
import type { KeptContent } from './kept-content.ts';
import type { Styles } from './styles.ts';

/** A sequence of paragraphs in one XML part: the main text of a document, a header, a footer, or all notes of a kind. */
export interface Story {
  kind: 'main' | 'header' | 'footer' | 'footnotes' | 'endnotes' | 'comments';
  /** The prefix of the keys of the story's segments: '' or, for example, `header1-`. */
  keyPrefix: string;
  source: string;
}

export interface ParagraphResult {
  /** The changes of the paragraph in its part; they include its inner changes. Empty if it stays unchanged. */
  edits: readonly Edit[];
}

export interface StoryOptions {
  styles: Styles;
  /** The texts that are read although they are left out by default. */
  include: ReadonlySet<Includable>;
  /** Is called for each XML element; it may throw to stop the reading. */
  countElement?: () => void;
}

/** The result of reading a story. */
export interface StoryResult<T> {
  /** What `use` returned for each paragraph. A paragraph comes before those of its text boxes. */
  paragraphs: T[];
  /** The changes of all paragraphs, in order. */
  edits: Edit[];
  kept: KeptContent;
  /** The relationship ids of the headers and footers that the sections refer to, in the order of the sections. */
  headersAndFooters: string[];
  /** The number of the story's last page. */
  pages: number;
}

/** The names of the outermost elements. */
export const roots: Readonly<Record<Story['kind'], string>> = {
  main: 'document',
  header: 'hdr',
  footer: 'ftr',
  footnotes: 'footnotes',
  endnotes: 'endnotes',
  comments: 'comments',
};

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
