import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  html,
  Token,
  TokenizerMode,
  type TreeAdapter,
} from 'parse5';
import type { SegmentKind } from '../document.ts';
import { FileError, overLimit } from '../file-error.ts';
import type { Item } from '../markup/inline-runs.ts';
import { isOtherLanguage, isOwnName, otherLanguage } from '../markup/other-language.ts';
import { noNames, type OwnNames } from '../markup/visible-names.ts';
import { countCharacters } from '../text-tally.ts';
import { decodeText } from './character-references.ts';
import { inlineFormats, inlineVoids, opaqueElements } from './inline-formats.ts';
import { isVerbatim, readerFor, SourceReader } from './source-reader.ts';
import { findTemplateCode, type TemplateCode, withoutTemplateCode } from './template-code.ts';
import {
  itemsOfText,
  languageModes,
  modeOf,
  modeOfAttributes,
  modeOfTag,
  parentTree,
  setMode,
  type TranslateMode,
} from './text-items.ts';
import { isVisibleAttribute } from './visible-attributes.ts';

/** The texts and inline tags between two tags of blocks. */
export interface Block {
  kind: SegmentKind;
  /** The element around the text, if other markup is allowed in it than in a page: `title`, `textarea`, or `svg`. */
  syntax: string;
  items: Item[];
}

/** The range of an attribute: its name, equals sign, quotes and value. */
export interface AttributeText {
  start: number;
  end: number;
  /** The element and the attribute, such as `img alt`. */
  name: string;
  /** The value, as decoded by the parser. */
  value: string;
}

export interface MarkupTexts {
  blocks: readonly Block[];
  attributes: readonly AttributeText[];
  /** The values of attributes that readers see, and that stay. */
  kept: readonly { reason: string; text: string }[];
  templateCode: readonly TemplateCode[];
  /**
   * The tags that declare the language or the direction: the first one of the element `html`, those of `meta` and `body`,
   * and those with `lang` whose texts are translated.
   */
  declarations: readonly Token.TagToken[];
  /** The comments that are conditions, where texts are translated. */
  comments: readonly { start: number; end: number }[];
  /** Visible characters of texts and attributes. */
  characters: number;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements that occur inside a sentence. A tag of another element ends a text. */
const inline = names(
  'a abbr acronym area b bdi bdo big br cite code data del dfn em font i iframe img input ins kbd map mark math meta link nobr picture q rb rp rt rtc ruby s samp script small source span strike strong style sub sup svg time tt u var wbr',
);
/** Elements of SVG and MathML that contain separate texts. */
const foreignBlocks = names('text title desc foreignobject');

/** The maximum depth of nested elements. Browsers accept 512. */
const maxDepth = 2_000;
/** The maximum number of texts, inline tags and template codes. They are in memory at the same time. */
const maxItems = 400_000;

/**
 * Reads the texts of a page or fragment, in the order of the source.
 *
 * @param language that of the texts to translate. By default, declared languages have no effect
 * @param isPart whether the source is a part of a file. Then all of its texts may be in another language
 * @throws {FileError} `unreadable` if elements are nested too deeply
 */
export function readBlocks(
  source: string,
  language: string | undefined,
  names: OwnNames,
  isPart = false,
): MarkupTexts {
  const templateCode = findTemplateCode(source);
  const masked = withoutTemplateCode(source, templateCode);
  const read = (own: string | undefined) => {
    const page = { language: own, names };
    return readerFor(masked, BlockReader, treeOf(page))
      .start(source, templateCode, page)
      .read(masked)
      .finish();
  };
  const found = read(language);
  // Then the declarations are those of the file as a whole.
  const isOther =
    !isPart && found.blocks.length > 0 && found.blocks.every(({ items }) => items.every(isInOtherLanguage));
  return isOther && found.attributes.length === 0 ? read(undefined) : found;
}

const isInOtherLanguage = ({ type, kept }: Item): boolean => type !== 'text' || kept === otherLanguage;

/** The languages of a page: that of the request, and that of the page. */
interface Page {
  language: string | undefined;
  declared?: string | undefined;
  names: OwnNames;
}

/** A class, an element or a declared language can mean `translate`, too. */
function withTranslateMode(
  name: string,
  attributes: Token.Attribute[],
  { language, declared }: Page,
): Token.Attribute[] {
  if (attributes.some((one) => one.name === 'translate')) return attributes;
  const lang = languageOf(attributes);
  const isOther =
    name === 'html' || name === 'body' ? undefined : isOtherLanguage(lang, [language, declared]);
  const classes = attributes.find((one) => one.name === 'class')?.value.split(/\s+/) ?? [];
  const isKept = name === 'pre' || classes.includes('notranslate');
  if (!isKept && isOther === undefined) return attributes;
  const value = isKept ? 'no' : isOther ? languageModes.other : languageModes.own;
  return [...attributes, { name: 'translate', value }];
}

const languageOf = (attributes: readonly Token.Attribute[]): string | undefined =>
  (attributes.find(({ name }) => name === 'lang') ?? attributes.find(({ name }) => name === 'xml:lang'))
    ?.value;

function treeOf(page: Page): TreeAdapter<DefaultTreeAdapterMap> {
  return {
    ...parentTree,
    createElement: (name, namespace, attributes) => {
      if (name === 'html') page.declared = languageOf(attributes);
      return parentTree.createElement(name, namespace, withTranslateMode(name, attributes, page));
    },
  };
}

class BlockReader extends SourceReader {
  readonly #blocks: Block[] = [];
  readonly #attributes: AttributeText[] = [];
  readonly #kept: { reason: string; text: string }[] = [];
  #source = '';
  #page: Page = { language: undefined, names: noNames };
  #templateCode: readonly TemplateCode[] = [];
  #isXml = false;
  readonly #declarations: Token.TagToken[] = [];
  readonly #comments: { start: number; end: number }[] = [];
  #characters = 0;
  #items: Item[] = [];
  #count = 0;
  #kind: SegmentKind | undefined;
  #syntax = '';
  /** The offset after the last item or tag. */
  #end = 0;
  /** The text that the next token may continue. */
  #text: { start: number; end: number; mode: TranslateMode; isVerbatim: boolean } | undefined;

  start(source: string, templateCode: readonly TemplateCode[], page: Page): this {
    this.#source = source;
    this.#page = page;
    this.#templateCode = templateCode;
    this.#isXml = /^\s*<\?xml|<html[^>]{0,1000}xmlns=/i.test(source.slice(0, 3000));
    return this;
  }

  finish(): MarkupTexts {
    // Browsers drop a tag that the end of the file cuts off, and do not show it.
    const cutTag = this.#text ? /<\/?[a-z]/i.exec(this.#source.slice(this.#text.end)) : null;
    this.#endBlock(cutTag ? this.#text!.end + cutTag.index : this.#source.length);
    return {
      blocks: this.#blocks,
      attributes: this.#attributes,
      kept: this.#kept,
      templateCode: this.#templateCode,
      declarations: this.#declarations,
      comments: this.#comments,
      characters: this.#characters,
    };
  }

  /** In XML, an element can end with its start tag. The HTML parser ignores this except for elements without content. */
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (!this.#isXml || !token.selfClosing || inlineVoids.has(token.tagName) || token.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    super.onEndTag({ ...token, type: Token.TokenType.END_TAG });
  }

  protected override readText(token: Token.CharacterToken, start: number): void {
    const end = token.location!.endOffset;
    if (this.#text?.start === start) this.#text.end = end;
    else {
      const isBlank = token.chars.trim() === '';
      if (isBlank || this.openElements.tmplCount > 0) return;
      const element = this.textParent;
      const mode = modeOf(element);
      if (!this.#kind) this.#syntax = syntaxOf(element);
      this.#kind ??= kindOf(element);
      this.#text = {
        start,
        end,
        mode,
        isVerbatim: isVerbatim(element),
      };
    }
    if (this.#text.mode !== 'code') this.#characters += countCharacters(token.chars);
  }

  protected override readStartTag(token: Token.TagToken): void {
    if (this.openElements.depth > maxDepth)
      throw new FileError(
        'unreadable',
        `the elements are nested more than ${maxDepth.toLocaleString('en-US')} levels deep`,
      );
    const name = token.tagName.toLowerCase();
    const attributes = withTranslateMode(name, token.attrs, this.#page);
    const isName = this.#isLanguageName(token, name);
    if (isName) setMode(this.current, 'other');
    const mode = isName ? 'other' : modeOfTag(name, attributes, modeOf(this.current));
    const declares =
      name === 'html'
        ? !this.#declarations.some((one) => one.tagName === 'html')
        : name === 'meta' ||
          (mode === 'yes' && (name === 'body' || attributes.some((one) => one.name === 'lang')));
    if (declares && (name === 'html' || this.openElements.tmplCount === 0)) this.#declarations.push(token);
    const modeOfOwn = modeOfAttributes(name, attributes, this.current);
    if (modeOfOwn !== 'code' && this.openElements.tmplCount === 0) this.#readAttributes(token, modeOfOwn);
    const isVoid = inlineVoids.has(name) || (token.selfClosing && (this.#isXml || this.#isForeign(token)));
    this.#readTag(token, (range) => {
      if (isVoid) return { ...range, type: 'void', ...(name === 'br' && { text: '\n' }) };
      return {
        ...range,
        type: 'open',
        name,
        format: inlineFormats[name],
        ...((mode !== 'yes' || opaqueElements[name]) && {
          opaque: opaqueElements[name] ?? (mode === 'other' ? otherLanguage : 'identifier'),
        }),
        ...(name.includes('-') && { isInlineIfEmpty: true }),
      };
    });
  }

  protected override readEndTag(token: Token.TagToken): void {
    // This is the end that a start tag of XML contains.
    if (token.selfClosing && this.#isXml) return;
    this.#readTag(token, (range) => ({ ...range, type: 'close', name: token.tagName.toLowerCase() }));
  }

  protected override readComment({ location }: Token.CommentToken | Token.DoctypeToken): void {
    const { startOffset: start, endOffset: end } = location!;
    // Comments that are conditions, such as `<!--[if IE]>` and `<![endif]-->`, keep their positions between texts.
    if (/^<!(?:--)?(?:<!)?\[|^<!doctype|^<\?/i.test(this.#source.slice(start, start + 12))) {
      this.#endBlock(start, end);
      if (modeOf(this.current) === 'yes' && this.openElements.tmplCount === 0)
        this.#comments.push({ start, end });
    } else this.#push({ start, end, type: 'void' });
  }

  /** Whether an element of a choice of languages has the name of its language, such as `<a hreflang="de">Deutsch</a>`. */
  #isLanguageName({ attrs, location }: Token.TagToken, name: string): boolean {
    const code = name === 'a' ? 'hreflang' : name === 'option' ? 'value' : undefined;
    const language = code && attrs.find((one) => one.name === code)?.value;
    if (!language || this.#page.language === undefined) return false;
    const [text = ''] = this.#source.slice(location!.endOffset, location!.endOffset + 100).split('<', 1);
    return text.trim() !== '' && isOwnName(decodeText(text), language);
  }

  #isForeign(token: Token.TagToken): boolean {
    const { current } = this;
    return (
      token.tagName === 'svg' ||
      token.tagName === 'math' ||
      ('namespaceURI' in current && current.namespaceURI !== html.NS.HTML)
    );
  }

  #readTag(token: Token.TagToken, itemOf: (range: { start: number; end: number }) => Item): void {
    const { startOffset: start, endOffset: end } = token.location!;
    const name = token.tagName.toLowerCase();
    const isInline =
      inline.has(name) || name.includes('-') || (this.#isForeign(token) && !foreignBlocks.has(name));
    if (isInline) this.#push(itemOf({ start, end }));
    else this.#endBlock(start, end);
  }

  #readAttributes(token: Token.TagToken, mode: TranslateMode): void {
    const { tagName } = token;
    const attributeOf = (name: string): string => token.attrs.find((one) => one.name === name)?.value ?? '';
    for (const { name, value } of token.attrs) {
      const location = token.location!.attrs?.[name];
      const isText = isVisibleAttribute(tagName, { name, value }, attributeOf, this.#page.names);
      if (!isText || !location || value.trim() === '') continue;
      this.#characters += countCharacters(value);
      if (mode !== 'yes')
        this.#kept.push({ reason: mode === 'other' ? otherLanguage : 'identifier', text: value });
      else
        this.#attributes.push({
          start: location.startOffset,
          end: location.endOffset,
          name: `${tagName} ${name}`,
          value,
        });
    }
  }

  /** Adds an item, and the text before it. */
  #push(item: Item): void {
    this.#readUpTo(item.start);
    this.#items.push(item);
    this.#end = item.end;
  }

  /** Adds the text up to an offset: what the parser has returned as text, and white space. */
  #readUpTo(end: number): void {
    const text = this.#text;
    this.#text = undefined;
    const pieces = itemsOfText(this.#source, this.#end, end, {
      templateCode: this.#templateCode,
      // Each line of a textarea is a separate text, because its line ends are visible.
      ...(text?.isVerbatim && { separator: /[\r\n]+/g }),
      mode: text?.mode,
    });
    this.#count += pieces.length + 1;
    if (this.#count > maxItems) throw overLimit('the number of texts and tags of the file', maxItems);
    for (const piece of pieces) {
      const last = this.#items.at(-1);
      // The white space after a line break belongs to it.
      if (last?.text === '\n' && last.type === 'void' && piece.type === 'text' && piece.text?.trim() === '')
        last.end = piece.end;
      else this.#items.push(piece);
    }
    this.#end = end;
  }

  #endBlock(start: number, end = start): void {
    this.#readUpTo(start);
    if (this.#items.some(({ text = '' }) => text.trim() !== ''))
      this.#blocks.push({
        kind: this.#kind ?? 'paragraph',
        syntax: this.#syntax,
        items: this.#items,
      });
    this.#items = [];
    this.#kind = undefined;
    this.#syntax = '';
    this.#end = end;
  }
}

/** Elements of HTML in which a tag is a text, or has another meaning. */
const ownSyntax = names('title textarea option select noscript');

function syntaxOf(parent: DefaultTreeAdapterTypes.ParentNode): string {
  if (!('tagName' in parent)) return '';
  if (parent.namespaceURI !== html.NS.HTML) return 'svg';
  return ownSyntax.has(parent.tagName) ? parent.tagName : '';
}

/** Returns the kind of a text by the nearest element around it that is a block. */
function kindOf(parent: DefaultTreeAdapterTypes.ParentNode): SegmentKind {
  let at: DefaultTreeAdapterTypes.ParentNode | null = parent;
  for (let steps = 0; at && 'tagName' in at && steps < 50; steps++) {
    if (/^h[1-6]$/.test(at.tagName)) return 'heading';
    if (at.tagName === 'td' || at.tagName === 'th') return 'table_cell';
    if (!inline.has(at.tagName)) return 'paragraph';
    at = at.parentNode;
  }
  return 'paragraph';
}
