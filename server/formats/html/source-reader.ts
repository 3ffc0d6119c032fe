import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  html,
  Parser,
  type Token,
  type TreeAdapter,
} from 'parse5';

/**
 * Reads the tokens of an HTML source, because tokens contain their positions in the source. The parser's tree only
 * provides the element that a token belongs to. The text nodes of the finished tree are not suitable. A text node merges
 * the texts before and after an end tag without a start tag, and text directly in a table is moved before the table.
 *
 * The overridden methods are internals of the parser, so its version is pinned.
 */
export abstract class SourceReader extends Parser<DefaultTreeAdapterMap> {
  /** The offset after the last tag, comment or doctype. */
  #textStart = 0;
  /** The number of formatting elements that the parser may still reopen. */
  #reopeningsLeft = 0;

  /** @param textStart the offset after the last markup; two tokens with the same `textStart` belong to one text */
  protected abstract readText(token: Token.CharacterToken, textStart: number): void;

  protected abstract readStartTag(token: Token.TagToken): void;

  protected readEndTag(_: Token.TagToken): void {}

  protected readComment(_: Token.CommentToken | Token.DoctypeToken): void {}

  read(source: string): this {
    // The limit is in proportion to the length of the source, and far above the needs of a real page.
    this.#reopeningsLeft = source.length / 4;
    this.tokenizer.write(source, true);
    return this;
  }

  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (this.#endMarkup(token)) this.readStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    super.onEndTag(token);
    if (this.#endMarkup(token)) this.readEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    super.onComment(token);
    if (this.#endMarkup(token)) this.readComment(token);
  }

  override onDoctype(token: Token.DoctypeToken): void {
    super.onDoctype(token);
    if (this.#endMarkup(token)) this.readComment(token);
  }

  /**
   * Records the end of a tag, comment or doctype. Call this function after the token has been processed, because the
   * parser may have delayed text before the token (in tables).
   *
   * @returns false for a token that was read before: the parser repeats a comment that ends a delayed text
   */
  #endMarkup({ location }: Token.Token): boolean {
    if (location!.startOffset < this.#textStart) return false;
    this.#textStart = location!.endOffset;
    return true;
  }

  /**
   * The parser calls this once for each character token that becomes text. Between two tags there may be several of
   * these tokens, because the tokenizer splits a text where whitespace begins or ends. The boundaries of the tokens are
   * inexact next to references, so one range covers all tokens from the end of the last tag.
   */
  override _insertCharacters(token: Token.CharacterToken): void {
    this.readText(token, this.#textStart);
  }

  /** The element that contains the text which the parser inserts. */
  protected get textParent(): DefaultTreeAdapterTypes.ParentNode {
    return this._shouldFosterParentOnInsertion() ? this._findFosterParentingLocation().parent : this.current;
  }

  protected get current(): DefaultTreeAdapterTypes.ParentNode {
    return this.openElements.current ?? this.document;
  }

  /**
   * Limits the number of reopened elements. HTML reopens every unclosed `<b>`, `<i>`, … in each new paragraph, so the
   * tree of a short source can have quadratic size. At the limit, unclosed elements are not reopened. The only effect
   * is that their `translate` attributes may be ignored in later paragraphs.
   */
  override _reconstructActiveFormattingElements(): void {
    if (this.#reopeningsLeft < 0) this.activeFormattingElements.clearToLastMarker();
    const depth = this.openElements.depth;
    super._reconstructActiveFormattingElements();
    this.#reopeningsLeft -= this.openElements.depth - depth;
  }
}

/** Makes a reader for a source. `treeAdapter` stores the nodes. */
export function readerFor<R extends SourceReader>(
  source: string,
  Reader: Pick<typeof SourceReader, 'getFragmentParser'> &
    (new (
      ...args: ConstructorParameters<typeof SourceReader>
    ) => R),
  treeAdapter: TreeAdapter<DefaultTreeAdapterMap>,
): R {
  // If scripting were enabled, the parser would return the markup inside a noscript element as text.
  const options = { treeAdapter, sourceCodeLocationInfo: true, scriptingEnabled: false };
  // `getFragmentParser` makes an instance of its class, but its type names the base class.
  return startsInsideTable(source)
    ? (Reader.getFragmentParser(null, options) as unknown as R)
    : new Reader(options);
}

/**
 * Whether the first tag of the source is allowed only inside a table. If so, the source is parsed as the content of a
 * template, where the parser keeps such tags. Otherwise the source, which may be a page or a fragment, is parsed as a
 * page.
 */
function startsInsideTable(source: string): boolean {
  const skipped = /\s+|<!--[\s\S]*?-->/y;
  let start = 0;
  while (skipped.test(source)) start = skipped.lastIndex;
  return /^<(?:caption|col|colgroup|tbody|td|tfoot|th|thead|tr)[\s/>]/i.test(source.slice(start, start + 12));
}

/** Whether an element can contain only text: an HTML title or textarea. (An SVG title may contain markup.) */
export function isVerbatim(element: DefaultTreeAdapterTypes.ParentNode): boolean {
  return (
    'namespaceURI' in element &&
    element.namespaceURI === html.NS.HTML &&
    (element.tagName === 'title' || element.tagName === 'textarea')
  );
}
