import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  type Token,
  type TreeAdapter,
} from 'parse5';
import type { Item } from '../markup/inline-runs.ts';
import { otherLanguage } from '../markup/other-language.ts';
import { decodeText, visibleRange } from './character-references.ts';
import { type TemplateCode, withoutTemplateCode } from './template-code.ts';

interface TextItemOptions {
  templateCode: readonly TemplateCode[];
  /** Matches what is between two texts without being a tag. By default, this is markup that has no tag. */
  separator?: RegExp;
  /** Whether the text is translated. `code` is invisible. Undefined for source that the parser does not return as text. */
  mode: TranslateMode | undefined;
}

/**
 * Markup for which the parser returns no token: end tags without a name, and CDATA sections. It may be between
 * characters of one text.
 */
const silentMarkup = /<\/>|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g;

/** Returns the items of the source between two tags: texts, white space and template code. */
export function itemsOfText(source: string, start: number, end: number, options: TextItemOptions): Item[] {
  const { separator = silentMarkup, mode } = options;
  const kept = mode === 'no' ? 'identifier' : mode === 'other' ? otherLanguage : undefined;
  const items: Item[] = [];
  const addText = (from: number, to: number): void => {
    const raw = source.slice(from, to);
    const visible = visibleRange(raw);
    const [first, last] = [from + visible.start, from + visible.end];
    if (first > from) items.push(spaceOf(source, from, first));
    if (last === first) return;
    const range = { start: first, end: last };
    const text = decodeText(source.slice(first, last));
    if (mode === 'code') items.push({ ...range, type: 'void' });
    else if (mode === undefined || text.trim() === '') items.push({ ...range, type: 'boundary' });
    else items.push({ ...range, type: 'text', text, ...(kept && { kept }) });
    if (last < to) items.push(spaceOf(source, last, to));
  };
  const addSource = (from: number, to: number): void => {
    let at = from;
    for (const { index, 0: markup, 1: cdata } of source.slice(from, to).matchAll(separator)) {
      addText(at, from + index);
      at = from + index + markup.length;
      items.push({ start: from + index, end: at, type: 'boundary' });
      if (cdata && mode !== undefined && mode !== 'code') {
        const first = from + index + '<![CDATA['.length;
        const codes = codesWithin(options.templateCode, first, at);
        const inside = codes.map((code) => ({ ...code, start: code.start - first, end: code.end - first }));
        const text = withoutTemplateCode(cdata, inside);
        items.push({ start: at, end: at, type: 'text', text, kept: 'code' });
      }
    }
    addText(at, to);
  };
  let at = start;
  let sectionEnd = start;
  for (const code of codesWithin(options.templateCode, start, end)) {
    if (code.start >= sectionEnd && separator === silentMarkup && isInSection(source.slice(at, code.start)))
      sectionEnd = (source.indexOf(']]>', code.start) + 1 || end + 1) - 1;
    if (code.start < sectionEnd) continue;
    addSource(at, code.start);
    at = code.end;
    if (code.isShown) {
      const text = decodeText(source.slice(code.start, at));
      items.push(
        { start: code.start, end: code.start, type: 'open', name: 'shown', opaque: 'code' },
        { start: code.start, end: at, type: 'text', text },
        { start: at, end: at, type: 'close', name: 'shown' },
      );
    } else items.push({ start: code.start, end: at, type: code.isValue ? 'void' : 'boundary', isWord: true });
  }
  addSource(at, end);
  return items;
}

/** Whether a CDATA section is open at the end of a text: template code in it does not divide it. */
function isInSection(text: string): boolean {
  return text.lastIndexOf('<![CDATA[') > text.lastIndexOf(']]>');
}

function spaceOf(source: string, start: number, end: number): Item {
  return { start, end, type: 'text', text: decodeText(source.slice(start, end)) };
}

/** Returns the template code between two offsets. */
export function codesWithin(codes: readonly TemplateCode[], start: number, end: number): TemplateCode[] {
  let [low, high] = [0, codes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codes[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  const found: TemplateCode[] = [];
  for (let at = low; at < codes.length && codes[at]!.end <= end; at++) found.push(codes[at]!);
  return found;
}

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element & { translateMode?: TranslateMode | undefined };

/**
 * Whether the content of an element is translated. `code` means that the content is code; no `translate` attribute
 * inside it can change this. `other` means that it is in another language.
 */
export type TranslateMode = 'yes' | 'no' | 'other' | 'code';

/** The values of `translate` that stand for a declared language. They are in no file. */
export const languageModes = { own: 'language:own', other: 'language:other' } as const;

/**
 * Elements whose content is code or cannot be changed. Character references have no meaning in this content, so a
 * translation that contains `<` could not be written.
 */
const codeElements = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/**
 * Returns the mode of an element with this name and these attributes. `inherited` is the mode of the parent element.
 */
export function modeOfTag(
  name: string,
  attributes: Token.Attribute[],
  inherited: TranslateMode,
): TranslateMode {
  if (inherited === 'code' || codeElements.has(name)) return 'code';
  const own = translateAttribute(attributes)?.value.toLowerCase();
  if (own === 'no') return 'no';
  if (own === languageModes.other) return inherited === 'no' ? 'no' : 'other';
  if (own === languageModes.own) return inherited === 'other' ? 'yes' : inherited;
  return own === 'yes' || own === '' ? 'yes' : inherited;
}

/**
 * Returns the mode of a node at its current position in the tree. The modes of elements are cached; an element's entry
 * is removed when the element moves.
 */
export function modeOf(node: ParentNode): TranslateMode {
  const unasked: Element[] = [];
  let mode: TranslateMode = 'yes';
  let at: ParentNode | null = node;
  while (at !== null && 'tagName' in at) {
    const element: Element = at;
    if (element.translateMode !== undefined) {
      mode = element.translateMode;
      break;
    }
    unasked.push(element);
    at = element.parentNode;
  }
  for (const element of unasked.reverse()) {
    mode = modeOfTag(element.tagName, element.attrs, mode);
    element.translateMode = mode;
  }
  return mode;
}

/** Gives an element a mode that does not follow from its attributes. */
export function setMode(node: ParentNode, mode: TranslateMode): void {
  (node as Element).translateMode = mode;
}

/**
 * Returns the mode of the attributes of an element. The title of an iframe is text, although its content is not.
 * @param current the innermost open element, which may be this one
 */
export function modeOfAttributes(
  name: string,
  attributes: Token.Attribute[],
  current: ParentNode,
): TranslateMode {
  if (name !== 'iframe') return modeOfTag(name, attributes, modeOf(current));
  const isOwn = 'tagName' in current && current.tagName === name;
  return modeOfTag('', attributes, modeOf((isOwn && current.parentNode) || current));
}

/**
 * A tree in which nodes store their parents but not their children. Modes are read while elements are open, so the
 * children are never needed. Without stored children, the cost of moving a node does not depend on the number of its
 * siblings.
 */
export const parentTree: TreeAdapter<DefaultTreeAdapterMap> = {
  ...defaultTreeAdapter,
  appendChild: attach,
  insertBefore: attach,
  detachNode(node) {
    node.parentNode = null;
  },
  // Called for a second `<html>` or `<body>` tag. Its `translate` attribute is added to the first element if that
  // element has none.
  adoptAttributes(recipient: Element, attributes) {
    const own = translateAttribute(attributes);
    if (own === undefined || translateAttribute(recipient.attrs) !== undefined) return;
    recipient.attrs.unshift(own);
    recipient.translateMode = undefined;
  },
  insertText() {},
  insertTextBefore() {},
  setNodeSourceCodeLocation() {},
  updateNodeSourceCodeLocation() {},
};

function attach(parent: ParentNode, node: DefaultTreeAdapterTypes.ChildNode): void {
  node.parentNode = parent;
  if ('tagName' in node) (node as Element).translateMode = undefined;
}

function translateAttribute(attributes: Token.Attribute[]): Token.Attribute | undefined {
  return attributes.find(({ name }) => name === 'translate');
}
