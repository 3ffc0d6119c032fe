import type { TreeAdapter } from 'parse5';
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  type Token,
} from 'parse5';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** Whether what an element holds is to be translated; `code` is not text for a reader, and nothing inside changes that. */
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
  const own = attributes.find((attribute) => attribute.name === 'translate')?.value.toLowerCase();
  if (own === 'no') return 'no';
  return own === 'yes' || own === '' ? 'yes' : inherited;
}

const knownModes = new WeakMap<ParentNode, TranslateMode>();

/** The mode of `node` where it now hangs in the tree; each element is looked at once until it is moved. */
export function modeOf(node: ParentNode): TranslateMode {
  const unknown: DefaultTreeAdapterTypes.Element[] = [];
  let mode: TranslateMode = 'yes';
  for (let at: ParentNode | null = node; at !== null && 'tagName' in at; at = at.parentNode) {
    const known = knownModes.get(at);
    if (known !== undefined) {
      mode = known;
      break;
    }
    unknown.push(at);
  }
  for (const element of unknown.reverse()) {
    mode = modeOfTag(element.tagName, element.attrs, mode);
    knownModes.set(element, mode);
  }
  return mode;
}

/**
 * A tree that knows parents only. Modes are asked while elements are open, so children are never looked up, and
 * keeping none makes every move cost the same however many an element has.
 */
export const parentTree: TreeAdapter<DefaultTreeAdapterMap> = {
  ...defaultTreeAdapter,
  appendChild: hang,
  insertBefore: hang,
  detachNode(node) {
    node.parentNode = null;
  },
  adoptAttributes(recipient, attributes) {
    defaultTreeAdapter.adoptAttributes(recipient, attributes);
    knownModes.delete(recipient);
  },
  insertText() {},
  insertTextBefore() {},
};

function hang(parent: ParentNode, node: DefaultTreeAdapterTypes.ChildNode): void {
  node.parentNode = parent;
  if ('tagName' in node) knownModes.delete(node);
}
