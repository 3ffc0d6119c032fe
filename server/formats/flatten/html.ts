import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import { type Break, Paragraphs } from './paragraphs.ts';

/** Elements that stand apart from what is before and after them, as browsers show them. */
const breaks = new Map<string, Break>([
  ...names('line', 'br button caption center dd div dt hr legend li option optgroup td th tr'),
  ...names(
    'paragraph',
    'address article aside blockquote body details dialog dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
      'header hgroup html main menu nav ol p pre search section select summary table tbody textarea tfoot thead title ul',
  ),
]);

/** Elements whose content the tokenizer reads in a mode of its own; none of it is markup. */
const modes = new Map<string, Tokenizer['state']>([
  ['script', TokenizerMode.SCRIPT_DATA],
  ...['style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript'].map(
    (name): [string, Tokenizer['state']] => [name, TokenizerMode.RAWTEXT],
  ),
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
]);

/** Elements whose content no reader sees. */
const unseen = new Set(
  'script style title iframe noembed noframes noscript template datalist object audio video canvas'.split(
    ' ',
  ),
);

/**
 * The text that a reader of the page sees: what is shown by a browser that runs scripts, before they have run. Not the
 * title, attributes, or content that only stands in for what a browser cannot show. Runs of whitespace become one
 * space, save in `pre` and `textarea`; what `hidden` and style sheets hide is kept, since one cannot be sure of it.
 *
 * Reads tokens, not a tree: time and memory are linear in any source. What the tree would move or imply does not matter
 * to a text.
 */
export function readHtml(source: string): string {
  const reader = new TextReader();
  reader.tokenizer.write(source, true);
  return reader.paragraphs.text();
}

class TextReader {
  readonly paragraphs = new Paragraphs();
  readonly tokenizer: Tokenizer;
  /** How many elements of each unseen name are open. */
  readonly #unseen = new Map<string, number>();
  /** How many elements are open that keep whitespace. */
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
    // Only in SVG does a slash close these elements; in HTML it says nothing.
    if (mode !== undefined && !selfClosing) this.tokenizer.state = mode;
    if (unseen.has(name) && !selfClosing) this.#unseen.set(name, (this.#unseen.get(name) ?? 0) + 1);
    if (isVerbatim(name)) this.#verbatim++;
    this.#break(name);
  }

  #close(name: string): void {
    const open = this.#unseen.get(name);
    if (open !== undefined) {
      if (open > 1) this.#unseen.set(name, open - 1);
      else this.#unseen.delete(name);
    }
    this.#break(name);
    if (isVerbatim(name) && this.#verbatim > 0) this.#verbatim--;
  }

  #break(name: string): void {
    const kind = breaks.get(name);
    if (kind === undefined || this.#unseen.size > 0) return;
    this.paragraphs.break(kind);
  }

  #read(chars: string): void {
    if (this.#unseen.size > 0) return;
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
