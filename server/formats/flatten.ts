import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import type { FlattenKind } from './document-kind.ts';
import { FileError } from './file-error.ts';
import { readDocx } from './flatten/docx.ts';
import { type Break, Paragraphs } from './flatten/paragraphs.ts';
import { readPdf } from './flatten/pdf.ts';
import { readXml } from './flatten/xml.ts';
import { decodeText, TextEncodingError } from './text.ts';

type Reader = (bytes: Uint8Array) => string | Promise<string>;

/**
 * The reader of each format. CSV, JSON and Markdown files keep their markup: the translation is a file of the same
 * format, and the markup shows the engine the role of each piece of text. XML and HTML files have more markup than
 * text, and published translations are plain text, so these files are reduced to their text.
 */
const readers: Record<FlattenKind, Reader> = {
  csv: decodeText,
  docx: readDocx,
  html: (bytes) => readHtml(decodeText(bytes)),
  json: decodeText,
  md: decodeText,
  pdf: readPdf,
  txt: decodeText,
  xml: (bytes) => readXml(decodeText(bytes)),
};

/**
 * Returns the text of a file: trimmed, with `\n` as line end and blank lines between paragraphs. This function
 * terminates for all input. For PDF files, the time and memory that it needs are only roughly in proportion to the file
 * size, so it runs in a sandbox (`server/platform/sandbox/`).
 *
 * @throws {FileError} if the file has no readable text; the request then fails with status 400
 */
export async function flatten(kind: FlattenKind, bytes: Uint8Array): Promise<string> {
  if (bytes.length === 0) throw new FileError('empty', 'the file is empty');
  let text: string;
  try {
    text = (await readers[kind](bytes)).trim();
  } catch (error) {
    if (error instanceof TextEncodingError) throw new FileError('not_text', error.message, { cause: error });
    throw error;
  }
  if (text === '') throw new FileError('empty', 'no text was found in the file');
  return text;
}

/** Elements that browsers display on separate lines, each with the kind of break before and after the element. */
const breaks = new Map<string, Break>([
  ...names('line', 'br button caption center dd div dt hr legend li option optgroup td th tr'),
  ...names(
    'paragraph',
    'address article aside blockquote body details dialog dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
      'header hgroup html main menu nav ol p pre search section select summary table tbody textarea tfoot thead title ul',
  ),
]);

/** Elements whose content the tokenizer reads without markup, each with the tokenizer's state for it. */
const modes = new Map<string, Tokenizer['state']>([
  ['script', TokenizerMode.SCRIPT_DATA],
  ...['style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'].map(
    (name): [string, Tokenizer['state']] => [name, TokenizerMode.RAWTEXT],
  ),
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
]);

/** Elements whose content browsers do not display. */
const invisibleElements = new Set(
  'script style title iframe noembed noframes noscript template datalist object audio video canvas'.split(
    ' ',
  ),
);

/**
 * Returns the visible text of a page, as a browser with enabled scripts displays it before a script runs. Excludes the
 * title, attributes, and fallback content. Runs of whitespace become one space, except in `pre` and `textarea`.
 * Includes text that `hidden` attributes or style sheets hide, because this hiding cannot be determined reliably.
 *
 * Reads tokens, not a tree, so time and memory are linear for any source. Elements that a tree would move or add do not
 * affect the text.
 */
function readHtml(source: string): string {
  const reader = new TextReader();
  reader.tokenizer.write(source, true);
  return reader.paragraphs.text();
}

class TextReader {
  readonly paragraphs = new Paragraphs();
  readonly tokenizer: Tokenizer;
  /** The number of open elements for each name in `invisibleElements`. */
  readonly #openInvisible = new Map<string, number>();
  /** The number of open elements whose whitespace is kept. */
  #verbatim = 0;

  constructor() {
    const onText = (token: Token.CharacterToken): void => this.#read(token.chars);
    const ignore = (): void => {};
    this.tokenizer = new Tokenizer(
      {},
      {
        onStartTag: (token) => this.#open(token.tagName, token.selfClosing),
        onEndTag: (token) => this.#close(token.tagName),
        onCharacter: onText,
        onWhitespaceCharacter: onText,
        onNullCharacter: ignore,
        onComment: ignore,
        onDoctype: ignore,
        onEof: ignore,
      },
    );
  }

  #open(name: string, selfClosing: boolean): void {
    const mode = modes.get(name);
    // A slash before the end of the tag closes these elements only in SVG; in HTML it has no effect. A closed element
    // has no content.
    if (mode !== undefined && !selfClosing) this.tokenizer.state = mode;
    if (invisibleElements.has(name) && !selfClosing)
      this.#openInvisible.set(name, (this.#openInvisible.get(name) ?? 0) + 1);
    if (isVerbatim(name)) this.#verbatim++;
    this.#break(name);
  }

  #close(name: string): void {
    const open = this.#openInvisible.get(name);
    if (open !== undefined) {
      if (open > 1) this.#openInvisible.set(name, open - 1);
      else this.#openInvisible.delete(name);
    }
    this.#break(name);
    if (isVerbatim(name) && this.#verbatim > 0) this.#verbatim--;
  }

  #break(name: string): void {
    const kind = breaks.get(name);
    if (kind === undefined || this.#openInvisible.size > 0) return;
    this.paragraphs.break(kind);
  }

  #read(chars: string): void {
    if (this.#openInvisible.size > 0) return;
    if (this.#verbatim > 0) this.#readVerbatim(chars);
    else this.paragraphs.appendWords(chars);
  }

  #readVerbatim(chars: string): void {
    let start = 0;
    for (let end = chars.indexOf('\n'); end >= 0; end = chars.indexOf('\n', start)) {
      this.paragraphs.append(chars.slice(start, end));
      this.paragraphs.break('line');
      start = end + 1;
    }
    this.paragraphs.append(chars.slice(start));
  }
}

function isVerbatim(name: string): boolean {
  return name === 'pre' || name === 'textarea' || name === 'listing' || name === 'xmp';
}

function names(kind: Break, list: string): [string, Break][] {
  return list.split(' ').map((name) => [name, kind]);
}
