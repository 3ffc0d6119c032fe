import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, html, Parser, type Token } from 'parse5';
import { modeOf, modeOfTag, parentTree } from './translate-attribute.ts';

/** The attributes whose values are translated, on every element that has them. */
export const translatableAttributes = ['title', 'alt', 'placeholder', 'aria-label'] as const;

export type TranslatableAttribute = (typeof translatableAttributes)[number];

/** The source between two tags or comments: text of one element. */
export interface TextRange {
  kind: 'text';
  start: number;
  end: number;
  element: string;
  /** Whether `<` is an ordinary character in the range, as in a textarea. */
  verbatim: boolean;
}

/** A translatable attribute: name, equals sign, quotes and value. */
export interface AttributeRange {
  kind: 'attribute';
  start: number;
  end: number;
  element: string;
  attribute: TranslatableAttribute;
  /** The value as decoded by the parser. */
  value: string;
}

export type TranslatableRange = TextRange | AttributeRange;

const parserOptions = {
  treeAdapter: parentTree,
  sourceCodeLocationInfo: true,
  // With scripting, the parser would return the markup inside a noscript as text.
  scriptingEnabled: false,
};

/** Returns the ranges of `source` to translate, in source order and without overlap. */
export function findTranslatableRanges(source: string): TranslatableRange[] {
  const reader = startsInsideTable(source)
    ? (RangeReader.getFragmentParser(null, parserOptions) as RangeReader)
    : new RangeReader(parserOptions);
  // Far above the needs of a real page, but in proportion to its length.
  reader.reopeningsLeft = source.length / 4;
  reader.tokenizer.write(source, true);
  return reader.places;
}

/**
 * Whether the first tag is allowed only inside a table. Such a fragment is parsed as the content of a template, where these
 * tags are kept. Every other source, page or fragment, is parsed as a page.
 */
function startsInsideTable(source: string): boolean {
  const skipped = /\s+|<!--[\s\S]*?-->/y;
  let start = 0;
  while (skipped.test(source)) start = skipped.lastIndex;
  return /^<(?:caption|col|colgroup|tbody|td|tfoot|th|thead|tr)[\s/>]/i.test(source.slice(start, start + 12));
}

/**
 * Collects ranges from the tokens, because a token has its position in the source. The tree under construction only provides
 * the element that a token belongs to. The text nodes of a finished tree are not a substitute: they merge text from separate
 * ranges (around a stray end tag) and move it (text inside a table moves before the table).
 *
 * The overridden methods are internals of the parser, so its version is pinned.
 */
class RangeReader extends Parser<DefaultTreeAdapterMap> {
  readonly places: TranslatableRange[] = [];
  /** The offset after the last tag, comment or doctype. */
  #textStart = 0;
  /** The number of formatting elements that may still be reopened. */
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

  /** Call this after the token is processed, because text that the parser has delayed (in tables) precedes the token. */
  #endMarkup(token: Token.Token): void {
    this.#textStart = token.location!.endOffset;
  }

  /**
   * The parser calls this once for each character token that becomes text. Between two tags there may be several tokens, split
   * where whitespace begins or ends. Their boundaries are inexact around references, so a range covers all of them, from the
   * end of the last tag.
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
      // The root is the current element only for a fragment, where it represents the page around it.
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
   * HTML reopens every unclosed `<b>`, `<i>`, … in each new paragraph, so a short source can produce a tree of quadratic size.
   * At the limit they stay closed. The only effect is that the `translate` attribute of such an element may be ignored in later
   * paragraphs.
   */
  override _reconstructActiveFormattingElements(): void {
    if (this.reopeningsLeft < 0) this.activeFormattingElements.clearToLastMarker();
    const depth = this.openElements.depth;
    super._reconstructActiveFormattingElements();
    this.reopeningsLeft -= this.openElements.depth - depth;
  }
}

/** Whether an element contains only text: an HTML title or textarea. (An SVG title may contain markup.) */
function isVerbatim(element: DefaultTreeAdapterTypes.ParentNode): boolean {
  return (
    'namespaceURI' in element &&
    element.namespaceURI === html.NS.HTML &&
    (element.tagName === 'title' || element.tagName === 'textarea')
  );
}
