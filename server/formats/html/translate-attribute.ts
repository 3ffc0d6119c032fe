import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  type Token,
  type TreeAdapter,
} from 'parse5';

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
