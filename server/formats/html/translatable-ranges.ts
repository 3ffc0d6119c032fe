import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, html, Parser, type Token } from 'parse5';
import { modeOf, modeOfTag, parentTree } from './translate-attribute.ts';

/** The attributes whose values are translated, on any element. */
export const translatableAttributes = ['title', 'alt', 'placeholder', 'aria-label'] as const;

export type TranslatableAttribute = (typeof translatableAttributes)[number];

/** A range of the source between two tags or comments: a text of one element. */
export interface TextRange {
  kind: 'text';
  start: number;
  end: number;
  element: string;
  /** Whether `<` is an ordinary character in the range, as in a textarea. */
  verbatim: boolean;
}

/** The range of a translatable attribute: its name, equals sign, quotes and value. */
export interface AttributeRange {
  kind: 'attribute';
  start: number;
  end: number;
  element: string;
  attribute: TranslatableAttribute;
  /** The attribute's value, as decoded by the parser. */
  value: string;
}

export type TranslatableRange = TextRange | AttributeRange;

const parserOptions = {
  treeAdapter: parentTree,
  sourceCodeLocationInfo: true,
  // If scripting were enabled, the parser would return the markup inside a noscript element as text.
  scriptingEnabled: false,
};

/** Returns the ranges of `source` that are translated, in source order and without overlap. */
export function findTranslatableRanges(source: string): TranslatableRange[] {
  const reader = startsInsideTable(source)
    ? (RangeReader.getFragmentParser(null, parserOptions) as RangeReader)
    : new RangeReader(parserOptions);
  // The limit is in proportion to the length of the source, and far above the needs of a real page.
  reader.reopeningsLeft = source.length / 4;
  reader.tokenizer.write(source, true);
  return reader.places;
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

/**
 * Collects ranges from the parser's tokens, because tokens contain their positions in the source. The parser's tree
 * only provides the element that a token belongs to. The text nodes of the finished tree are not suitable. A text node
 * merges the texts before and after an end tag without a start tag, and text directly in a table is moved before the
 * table.
 *
 * The overridden methods are internals of the parser, so its version is pinned.
 */
class RangeReader extends Parser<DefaultTreeAdapterMap> {
  readonly places: TranslatableRange[] = [];
  /** The offset after the last tag, comment or doctype. */
  #textStart = 0;
  /** The number of formatting elements that the parser may still reopen. */
  reopeningsLeft = 0;

  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    this.#endMarkup(token);
    this.#readAttributes(token);
  }

  override onEndTag(token: Token.TagToken): void {
    super.onEndTag(token);
    this.#endMarkup(token);
  }

  override onComment(token: Token.CommentToken): void {
    super.onComment(token);
    this.#endMarkup(token);
  }

  override onDoctype(token: Token.DoctypeToken): void {
    super.onDoctype(token);
    this.#endMarkup(token);
  }

  /**
   * Records the end of a tag, comment or doctype. Call this function after the token has been processed, because the
   * parser may have delayed text before the token (in tables).
   */
  #endMarkup(token: Token.Token): void {
    this.#textStart = token.location!.endOffset;
  }

  /**
   * The parser calls this once for each character token that becomes text. Between two tags there may be several of
   * these tokens, because the tokenizer splits a text where whitespace begins or ends. The boundaries of the tokens are
   * inexact next to references, so one range covers all tokens from the end of the last tag.
   */
  override _insertCharacters(token: Token.CharacterToken): void {
    const last = this.places.at(-1);
    if (last?.kind === 'text' && last.start === this.#textStart) {
      last.end = token.location!.endOffset;
      return;
    }
    if (token.chars.trim() === '' || this.openElements.tmplCount > 0) return;
    const element = this._shouldFosterParentOnInsertion()
      ? this._findFosterParentingLocation().parent
      : this.#current;
    if (modeOf(element) !== 'yes') return;
    this.places.push({
      kind: 'text',
      start: this.#textStart,
      end: token.location!.endOffset,
      // The root element is the current element only in a fragment. It then represents the page around the fragment.
      element: element === this.openElements.items[0] ? 'body' : element.nodeName,
      verbatim: isVerbatim(element),
    });
  }

  get #current(): DefaultTreeAdapterTypes.ParentNode {
    return this.openElements.current ?? this.document;
  }

  #readAttributes(token: Token.TagToken): void {
    if (this.openElements.tmplCount > 0) return;
    if (modeOfTag(token.tagName, token.attrs, modeOf(this.#current)) !== 'yes') return;
    for (const { name, value } of token.attrs) {
      const attribute = translatableAttributes.find((translatable) => translatable === name);
      const location = token.location!.attrs?.[name];
      if (attribute === undefined || location === undefined) continue;
      this.places.push({
        kind: 'attribute',
        start: location.startOffset,
        end: location.endOffset,
        element: token.tagName,
        attribute,
        value,
      });
    }
  }

  /**
   * Limits the number of reopened elements. HTML reopens every unclosed `<b>`, `<i>`, … in each new paragraph, so the
   * tree of a short source can have quadratic size. At the limit, unclosed elements are not reopened. The only effect
   * is that their `translate` attributes may be ignored in later paragraphs.
   */
  override _reconstructActiveFormattingElements(): void {
    if (this.reopeningsLeft < 0) this.activeFormattingElements.clearToLastMarker();
    const depth = this.openElements.depth;
    super._reconstructActiveFormattingElements();
    this.reopeningsLeft -= this.openElements.depth - depth;
  }
}

/** Whether an element can contain only text: an HTML title or textarea. (An SVG title may contain markup.) */
function isVerbatim(element: DefaultTreeAdapterTypes.ParentNode): boolean {
  return (
    'namespaceURI' in element &&
    element.namespaceURI === html.NS.HTML &&
    (element.tagName === 'title' || element.tagName === 'textarea')
  );
}
