import { limits, overLimit } from '../file-error.ts';
import type { FieldMark } from './fields.ts';

/** The namespace declarations between a paragraph and a place in it, by attribute name. Usually there are none. */
export type Declarations = ReadonlyMap<string, string>;

/** What surrounds the content of a run. */
export interface Run {
  /** Its start tag, which stands by itself: with the declarations around it. */
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
 * - `marker`: content without width, such as the start of a bookmark. The segment does not show it.
 * - `field`: a `fldChar`; `code`: a part of a field's code.
 * - `open`, `close`: the tags of an element around text, such as a hyperlink.
 */
export interface Token {
  type: 'text' | 'void' | 'marker' | 'field' | 'code' | 'open' | 'close';
  /** The source, without the tags of the run. */
  raw: string;
  /** The run that holds it; undefined if it stands beside the runs. */
  run: Run | undefined;
  /** The characters that a plain reading shows, or the code. */
  text: string;
  /** The offset in the part. */
  start: number;
  /** The page on which it begins. */
  page: number;
  mark?: FieldMark;
  /** The marks inside a `void` of fields that begin or end outside it, in their order. */
  innerMarks?: InnerMark[];
  /** The properties of the text where they differ from the run's: the base of ruby text has runs of its own. */
  properties?: string;
  /** For raw content beside the runs: declarations that its start tag needs in another place. */
  declarations?: Declarations | undefined;
  /** A `void` that is read as a part of the sentence, such as a formula or a page number. */
  isSpoken?: boolean;
  /** A marker that belongs to what follows it. */
  isStart?: boolean;
}

/** A field mark in content that is not read as tokens. */
export interface InnerMark {
  mark: FieldMark;
  start: number;
}

/** Writes tokens as they were. Tokens in a row that are of one run share its tags. */
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
    refuseLength(written);
  }
  return run ? written + run.close : written;
}

/**
 * Bounds what is written for one paragraph: the tags of a run are written again for each of its pieces.
 *
 * @throws {FileError} `too_large`
 */
export function refuseLength(written: string): void {
  if (written.length > limits.docxWritten)
    throw overLimit('the length of one translated paragraph', limits.docxWritten);
}

/**
 * Adds namespace declarations to the first tag of `raw`. Text that moves out of a hyperlink must not lose what the hyperlink
 * declares.
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
