import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  type Token,
  type TreeAdapter,
} from 'parse5';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element & { translateMode?: TranslateMode | undefined };

/** Whether an element's content is translated. `code` is not text for a reader; nothing inside it can change that. */
export type TranslateMode = 'yes' | 'no' | 'code';

/**
 * Elements whose content is code or cannot be rewritten. Their content has no character references, so a translation that
 * contains `<` could not be written there.
 */
const codeElements = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** Returns the mode of an element with this name and these attributes in a parent with mode `inherited`. */
export function modeOfTag(
  name: string,
  attributes: Token.Attribute[],
  inherited: TranslateMode,
): TranslateMode {
  if (inherited === 'code' || codeElements.has(name)) return 'code';
  const own = translateAttribute(attributes)?.value.toLowerCase();
  if (own === 'no') return 'no';
  return own === 'yes' || own === '' ? 'yes' : inherited;
}

/** Returns the mode of `node` at its current position in the tree. Each element's mode is cached until the element moves. */
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

/**
 * A tree that stores only parents. Modes are read while elements are open, so children are never needed. Without children, the
 * cost of a move does not depend on the number of children.
 */
export const parentTree: TreeAdapter<DefaultTreeAdapterMap> = {
  ...defaultTreeAdapter,
  appendChild: attach,
  insertBefore: attach,
  detachNode(node) {
    node.parentNode = null;
  },
  // A second `<html>` or `<body>` adds only the attributes that the first one lacks.
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
