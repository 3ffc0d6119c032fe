import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, html, Parser, type Token } from 'parse5';
import { modeOf, modeOfTag, parentTree } from './translate-attribute.ts';

/** The attributes whose values are translated (B 2.1), on every element that carries them. */
export const translatableAttributes = ['title', 'alt', 'placeholder', 'aria-label'] as const;

export type TranslatableAttribute = (typeof translatableAttributes)[number];

/** Source between two tags or comments, as one element's text. */
export interface TextPlace {
  kind: 'text';
  start: number;
  end: number;
  element: string;
  /** Whether `<` is an ordinary character there, as in a textarea. */
  verbatim: boolean;
}

/** A translatable attribute: name, equals sign, quotes and value. */
export interface AttributePlace {
  kind: 'attribute';
  start: number;
  end: number;
  element: string;
  attribute: TranslatableAttribute;
  /** The value as decoded by the parser. */
  value: string;
}

export type Place = TextPlace | AttributePlace;

const parserOptions = {
  treeAdapter: parentTree,
  sourceCodeLocationInfo: true,
  // Otherwise the markup inside a noscript would be one text.
  scriptingEnabled: false,
};

/** The places of `source` whose element is to be translated, in source order, never overlapping. */
export function findPlaces(source: string): Place[] {
  const reader = startsInsideTable(source)
    ? (PlaceReader.getFragmentParser(null, parserOptions) as PlaceReader)
    : new PlaceReader(parserOptions);
  // Far more than a page has need of, yet in proportion to it.
  reader.reopenings = source.length / 4;
  reader.tokenizer.write(source, true);
  return reader.places;
}

/**
 * Whether the first tag is one that only a table can hold. Such a part of a page is read as the content of a template,
 * where these tags are kept; anything else, page or part, reads the same as a page.
 */
function startsInsideTable(source: string): boolean {
  const skipped = /\s+|<!--[\s\S]*?-->/y;
  let start = 0;
  while (skipped.test(source)) start = skipped.lastIndex;
  return /^<(?:caption|col|colgroup|tbody|td|tfoot|th|thead|tr)[\s/>]/i.test(source.slice(start, start + 12));
}

/**
 * Reads places off the tokens as they pass, since a token knows where it stands in the source, and asks the tree under
 * construction only which element each belongs to. The text nodes of a finished tree will not do: they merge source
 * that lies apart (a stray end tag between), and move it (text inside a table ends up before it).
 *
 * What it overrides is the parser's inside, which only its exact version promises.
 */
class PlaceReader extends Parser<DefaultTreeAdapterMap> {
  readonly places: Place[] = [];
  /** Where the last tag, comment or doctype ended. */
  #textStart = 0;
  /** How many formatting elements may still be reopened. */
  reopenings = 0;

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

  /** After the token is processed: text that was held back until then (in tables) still belongs before it. */
  #endMarkup(token: Token.Token): void {
    this.#textStart = token.location!.endOffset;
  }

  /**
   * Every character token that becomes text comes through here once. Between two tags there may be several, split where
   * whitespace begins or ends; their inner boundaries are inexact around references, so the place spans them all,
   * from the end of the last tag.
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
      // The root is the current element only where it stands in for the page around a part of one.
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
   * HTML reopens every unclosed `<b>`, `<i>`, … in each new paragraph, so a short source can ask for a tree of
   * quadratic size. Once the allowance is spent they stay closed; what is lost is at most the `translate` attribute of
   * one that was meant to reach into further paragraphs.
   */
  override _reconstructActiveFormattingElements(): void {
    if (this.reopenings < 0) this.activeFormattingElements.clearToLastMarker();
    const depth = this.openElements.depth;
    super._reconstructActiveFormattingElements();
    this.reopenings -= this.openElements.depth - depth;
  }
}

/** Whether an element holds nothing but text: an HTML title or textarea (an SVG title may hold markup). */
function isVerbatim(element: DefaultTreeAdapterTypes.ParentNode): boolean {
  return (
    'namespaceURI' in element &&
    element.namespaceURI === html.NS.HTML &&
    (element.tagName === 'title' || element.tagName === 'textarea')
  );
}
