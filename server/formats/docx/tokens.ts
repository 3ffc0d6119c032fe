import { limits, overLimit } from '../file-error.ts';
import type { FieldMark } from './fields.ts';

/** The namespace declarations between a paragraph and a position in it, by attribute name. Usually empty. */
export type Declarations = ReadonlyMap<string, string>;

/** The tags and properties around the content of a run. */
export interface Run {
  /** Its start tag with the declarations around it, so that the tag is valid in any position. */
  open: string;
  /** Its `rPr` as written; '' if it has none. */
  properties: string;
  /** Its end tag. */
  close: string;
  /** The declarations around it and its own, which its properties may need. */
  declarations: Declarations | undefined;
  isHidden: boolean;
}

/**
 * A piece of a paragraph, in the order of the source.
 *
 * - `text`: characters to translate.
 * - `void`: content without such text, such as a break, an image, a tracked change.
 * - `marker`: content without width, such as the start of a bookmark. It is not in the segment.
 * - `field`: a `fldChar`; `code`: a part of a field's code.
 * - `open`, `close`: the tags of an element around text, such as a hyperlink.
 */
export interface Token {
  type: 'text' | 'void' | 'marker' | 'field' | 'code' | 'open' | 'close';
  /** The source, without the tags of the run. */
  raw: string;
  /** The run that contains it; undefined if it is outside all runs. */
  run: Run | undefined;
  /** The characters in plain text, or the code. */
  text: string;
  /** The offset in the part. */
  start: number;
  /** The page on which it starts. */
  page: number;
  mark?: FieldMark;
  /** The marks inside a `void` of fields that start or end outside it, in order. */
  innerMarks?: InnerMark[];
  /** The properties of the text if they differ from those of the run: the base of ruby text has separate runs. */
  properties?: string;
  /** For raw content outside the runs: declarations that its start tag needs if it moves. */
  declarations?: Declarations | undefined;
  /** A `void` that is read as a part of the sentence, such as a formula or a page number. */
  isPartOfSentence?: boolean;
  /** A marker that belongs to the following content. */
  isStart?: boolean;
}

/** A field mark in content that is not read as tokens. */
export interface InnerMark {
  mark: FieldMark;
  start: number;
}

/** Writes tokens unchanged. Consecutive tokens of the same run share its tags. */
export function writeTokens(tokens: readonly Token[]): string {
  let written = '';
  let run: Run | undefined;
  for (const token of tokens) {
    if (token.run !== run) {
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
 * Limits the length of one written paragraph, because the tags of a run are repeated for each of its pieces.
 *
 * @throws {FileError} `too_large`
 */
export function rejectLength(written: string): void {
  if (written.length > limits.docxWritten)
    throw overLimit('the length of one translated paragraph', limits.docxWritten);
}

/**
 * Adds namespace declarations to the first tag of `raw`. Text that moves out of a hyperlink must keep the declarations of the
 * hyperlink.
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
