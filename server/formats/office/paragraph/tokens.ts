import { limits, overLimit } from '../../file-error.ts';
import type { FieldMark } from './fields.ts';
import type { TextFormat } from './text-format.ts';

/**
 * Namespace declarations, by attribute name: those of the elements between a paragraph and a position in it. Usually
 * empty.
 */
export type Declarations = ReadonlyMap<string, string>;

/** How a kind of XML represents the text of runs. */
export interface TextMarkup {
  /** Whether a run contains one element with text. Otherwise it may contain several, and breaks between them. */
  hasOneTextPerRun: boolean;
  /**
   * Returns the element with a piece of text.
   *
   * @param prefix the namespace prefix of the element, with the colon
   */
  textElement(text: string, prefix: string): string;
  /**
   * Returns the runs with a text, which may contain line breaks and tabs.
   *
   * @param opening the start tag of a run
   * @param properties the XML of the run's properties; '' for none
   */
  runs(text: string, opening: string, properties: string, prefix: string): string;
}

/** The tags and properties around the content of a run. */
export interface Run {
  /**
   * The run's start tag. It includes the namespace declarations of the elements around the run, so that the tag is
   * valid in any position.
   */
  open: string;
  /** The XML of the run's `rPr` element; '' if the run has none. */
  properties: string;
  /** The run's end tag. */
  close: string;
  /** The namespace declarations around the run and those of the run itself. The run's properties may need them. */
  declarations: Declarations | undefined;
  isHidden: boolean;
  markup: TextMarkup;
  format: TextFormat;
}

/**
 * A piece of a paragraph, in the order of the source.
 *
 * - `text`: characters to translate.
 * - `void`: content without text to translate, such as a break, an image, a tracked change.
 * - `marker`: content without width, such as the start of a bookmark. A marker is not part of the segment.
 * - `field`: a `fldChar`; `code`: a part of a field's code.
 * - `open`, `close`: the tags of an element around text, such as a hyperlink.
 */
export interface Token {
  type: 'text' | 'void' | 'marker' | 'field' | 'code' | 'open' | 'close';
  /** The XML of the piece, without the tags of its run. */
  raw: string;
  /** The run that contains the piece; undefined if the piece is outside all runs. */
  run: Run | undefined;
  /** The characters that the piece has in plain text. For `code`: the characters of the code. */
  text: string;
  /** The offset of the piece in the XML part. */
  start: number;
  /** The page on which the piece starts. */
  page: number;
  mark?: FieldMark;
  /** For a void: the marks inside it of fields that start or end outside of it, in order. */
  innerMarks?: InnerMark[];
  /**
   * The properties of the text if they differ from those of the run. The base of ruby text has separate runs, so its
   * properties differ.
   */
  properties?: string;
  /** For a piece outside all runs: the namespace declarations that its start tag needs if the piece moves. */
  declarations?: Declarations | undefined;
  /** Whether a void is read as a part of the sentence, such as a formula or a page number. */
  isPartOfSentence?: boolean;
  /** Whether a marker belongs to the content after it, such as the start of a bookmark. */
  isStart?: boolean;
}

/** The mark of a field inside content that is not read as tokens. */
export interface InnerMark {
  mark: FieldMark;
  start: number;
}

/** Returns the XML of tokens without changing them. Consecutive tokens of the same run are written into one run, if it may contain them. */
export function writeTokens(tokens: readonly Token[]): string {
  let written = '';
  let run: Run | undefined;
  for (const token of tokens) {
    if (token.run !== run || run?.markup.hasOneTextPerRun) {
      if (run) written += run.close;
      run = token.run;
      if (run) written += run.open + run.properties;
    }
    written += run ? token.raw : withDeclarations(token.raw, token.declarations);
    rejectLength(written);
  }
  return run ? written + run.close : written;
}

/**
 * Rejects a written paragraph that is too long. A paragraph can become much longer than its source, because the tags of
 * a run are repeated for each of the run's pieces.
 *
 * @throws {FileError} `too_large`
 */
export function rejectLength(written: string): void {
  if (written.length > limits.docxWritten)
    throw overLimit('the length of one translated paragraph', limits.docxWritten);
}

/**
 * Adds namespace declarations to the first tag of `raw`. They are needed when content moves out of the element that
 * declares them, such as a hyperlink.
 */
export function withDeclarations(raw: string, declarations: Declarations | undefined): string {
  if (!declarations || declarations.size === 0 || raw.startsWith('</')) return raw;
  const tag = /^<[^\s/>]+/.exec(raw)?.[0];
  if (tag === undefined) return raw;
  const attributes = /^(?:[^"'>]+|"[^"]*"|'[^']*')*>/.exec(raw.slice(tag.length))?.[0] ?? '';
  let written = tag;
  for (const [name, value] of declarations)
    if (!new RegExp(`\\s${name.replaceAll('.', '\\.')}\\s*=`).test(attributes))
      written += ` ${name}="${escapeAttribute(value)}"`;
  return written + raw.slice(tag.length);
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
