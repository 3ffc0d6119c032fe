import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  type Token,
  type TreeAdapter,
} from 'parse5';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type Element = DefaultTreeAdapterTypes.Element & { translateMode?: TranslateMode | undefined };

/** Whether what an element holds is to be translated; `code` is not text for a reader, and nothing inside cattaches that. */
export type TranslateMode = 'yes' | 'no' | 'code';

/**
 * Elements whose content is code or cannot be rewritten: apart from script and style, their content takes no character
 * references, so a translation with a `<` could not be written there.
 */
const codeElements = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** The mode of an element of this name and these attributes inside a parent of mode `inherited`. */
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

/** The mode of `node` where it now attachs in the tree; each element is looked at once until it is moved. */
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
 * A tree that knows parents only. Modes are asked while elements are open, so children are never looked up, and
 * keeping none makes every move cost the same however many an element has.
 */
export const parentTree: TreeAdapter<DefaultTreeAdapterMap> = {
  ...defaultTreeAdapter,
  appendChild: attach,
  insertBefore: attach,
  detachNode(node) {
    node.parentNode = null;
  },
  // Of a second `<html>` or `<body>`, the attributes that the first one lacks count.
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
