import type { FormatKind } from '../../inline-content.ts';
import { type FieldStack, isSilentField, type OpenField } from './fields.ts';
import type { Token } from './tokens.ts';

/**
 * A piece of a paragraph whose fields have been resolved: text, raw content that stays in one piece, a marker, or one
 * of the two ends of a pair around text.
 */
export interface Node {
  type: 'text' | 'void' | 'marker' | 'open' | 'close';
  /**
   * The tokens of the node, which are written unchanged unless the node is text. A node may have many tokens, such as
   * all tokens of a page number's field.
   */
  tokens: Token[];
  /** The plain text of the node. */
  text: string;
  /** For a void: whether the node is read as a part of the sentence. */
  isPartOfSentence?: boolean | undefined;
  /** Whether text directly after the node would be in the code or the live result of a field. */
  isInertAfter: boolean;
  /** For `open` and `close`: the pair that the node opens or closes. */
  pair?: Pair;
  /** For a pair that only formats its text, and therefore has no tokens: the kind of formatting. */
  format?: FormatKind;
}

/** The two ends of an element or a field around text, such as a hyperlink. */
export interface Pair {
  /** Whether the pair contains text other than spaces. */
  hasText: boolean;
}

interface OpenPair {
  pair: Pair;
  /** The index of the pair's `open` node. */
  index: number;
}

/** A field that starts in the current paragraph. */
interface LocalField {
  /** The index of the field's first node. */
  index: number;
  /** The innermost pair around the start of the field. */
  around: Pair | undefined;
  /** The node that contains the field's code. Set if the result of the field is text. */
  codeNode: Node | undefined;
  /** Whether the field starts inside an element and continues after the element's end. */
  isCrossing: boolean;
}

/**
 * Reads the tokens of a paragraph as nodes: turns fields into voids or pairs, and joins voids that have no text between
 * them.
 *
 * @param fields the fields that are open before the paragraph; this function updates them to those that are open after
 *   it
 * @returns `isOrdered`: whether the tags must keep their order, because a field starts or ends outside the paragraph
 */
export function readNodes(
  tokens: readonly Token[],
  fields: FieldStack,
): { nodes: Node[]; isOrdered: boolean } {
  const resolver = new FieldResolver(fields);
  for (const token of tokens) resolver.add(token);
  return { nodes: joinVoids(dissolveEmptyPairs(resolver.nodes)), isOrdered: resolver.finish() };
}

/** Appends the next node to a node. */
function extend(node: Node, next: Node): void {
  for (const token of next.tokens) node.tokens.push(token);
  node.text += next.text;
  node.isPartOfSentence ||= next.isPartOfSentence;
  node.isInertAfter = next.isInertAfter;
}

class FieldResolver {
  readonly nodes: Node[] = [];
  readonly #fields: FieldStack;
  readonly #local = new Map<OpenField, LocalField>();
  readonly #pairs: Pair[] = [];
  #isOrdered = false;

  constructor(fields: FieldStack) {
    this.#fields = fields;
  }

  add(token: Token): void {
    const { type, isPartOfSentence } = token;
    const isInert = this.#fields.isInert;
    if (isInert && type === 'text') this.#fields.addKeptText(token.text);
    const node: Node = {
      type: type === 'field' || type === 'code' || (type === 'text' && isInert) ? 'void' : type,
      tokens: [token],
      text: (type === 'text' || type === 'void') && !isInert ? token.text : '',
      isPartOfSentence: isPartOfSentence,
      isInertAfter: isInert,
    };
    this.nodes.push(node);
    if (type === 'open') {
      node.pair = { hasText: false };
      this.#pairs.push(node.pair);
    } else if (type === 'close') node.pair = this.#pairs.pop()!;
    else if (type === 'code') this.#fields.addCode(token.text);
    if (token.mark) this.#mark(token.mark, token.start);
    for (const { mark, start } of token.innerMarks ?? []) this.#innerMark(mark, start);
    this.nodes.at(-1)!.isInertAfter = this.#fields.isInert;
  }

  /** Whether a field starts in the paragraph and ends after it, or starts before it and ends in it. */
  finish(): boolean {
    return this.#isOrdered || this.#local.size > 0;
  }

  #mark(mark: 'begin' | 'separate' | 'end', start: number): void {
    if (mark === 'begin') {
      const field = this.#fields.begin(start);
      if (!field) this.#isOrdered = true;
      else {
        const index = this.nodes.length - 1;
        this.#local.set(field, { index, around: this.#pairs.at(-1), codeNode: undefined, isCrossing: false });
      }
    } else if (mark === 'separate') this.#separate();
    else this.#end();
  }

  #separate(): void {
    const field = this.#fields.separate();
    const local = field && this.#local.get(field);
    if (!local || local.around !== this.#pairs.at(-1)) {
      if (local) local.isCrossing = true;
      this.#isOrdered = true;
      return;
    }
    // If the field is inside the code or the live result of another field, the other field determines the node.
    if (!field.enclosed) local.codeNode = this.#join(local.index);
  }

  #end(): void {
    const field = this.#fields.end();
    const local = field && this.#local.get(field);
    if (field) this.#local.delete(field);
    if (!local || local.isCrossing || local.around !== this.#pairs.at(-1)) {
      this.#isOrdered = true;
      return;
    }
    if (field.enclosed) return;
    if (field.phase === 'result' && !field.live && local.codeNode) {
      const pair = { hasText: false };
      Object.assign(local.codeNode, { type: 'open', pair });
      Object.assign(this.nodes.at(-1)!, { type: 'close', pair });
      return;
    }
    const node = this.#join(local.index);
    if (field.phase === 'code' && isSilentField(field.code)) node.type = 'marker';
    else node.isPartOfSentence = true;
  }

  /** Handles the start, the separator or the end of a field that is inside unchanged content. */
  #innerMark(mark: 'begin' | 'separate' | 'end', start: number): void {
    this.#isOrdered = true;
    if (mark === 'begin') this.#fields.begin(start);
    else if (mark === 'separate') {
      const field = this.#fields.separate();
      const local = field && this.#local.get(field);
      if (local) local.isCrossing = true;
    } else {
      const field = this.#fields.end();
      if (field) this.#local.delete(field);
    }
  }

  /** Merges all nodes from `index` to the last into one void. */
  #join(index: number): Node {
    const joined: Node = { type: 'void', tokens: [], text: '', isInertAfter: false };
    for (let at = index; at < this.nodes.length; at++) extend(joined, this.nodes[at]!);
    joined.text = '';
    this.nodes.length = index;
    this.nodes.push(joined);
    return joined;
  }
}

/** Turns each pair without text, such as a hyperlink around an image, into one void. */
function dissolveEmptyPairs(nodes: readonly Node[]): Node[] {
  const open: OpenPair[] = [];
  for (const [index, { type, text, pair }] of nodes.entries()) {
    if (type === 'open') open.push({ pair: pair!, index });
    else if (type === 'close') {
      const { pair: inner } = open.pop()!;
      const outer = open.at(-1);
      if (outer && inner.hasText) outer.pair.hasText = true;
    } else if (type === 'text' && text.trim() !== '') {
      const innermost = open.at(-1);
      if (innermost) innermost.pair.hasText = true;
    }
  }
  const result: Node[] = [];
  let empty: { pair: Pair; node: Node } | undefined;
  for (const node of nodes) {
    if (empty) {
      extend(empty.node, node);
      if (node.type === 'close' && node.pair === empty.pair) empty = undefined;
    } else if (node.type === 'open' && !node.pair!.hasText) {
      empty = { pair: node.pair!, node: { ...node, type: 'void', tokens: [...node.tokens] } };
      result.push(empty.node);
    } else result.push(node);
  }
  return result;
}

function isSeparate(one: Node, other: Node): boolean {
  const isTab = ({ text }: Node): boolean => text.includes('\t');
  return (isTab(one) && other.isPartOfSentence === true) || (isTab(other) && one.isPartOfSentence === true);
}

/**
 * Merges voids that have no text between them, and the markers between such voids. A tab and a page number stay
 * separate, because the text on both sides of the tab can become two segments.
 */
function joinVoids(nodes: readonly Node[]): Node[] {
  const result: Node[] = [];
  /** The index, in the result, of the void that following voids are merged into; -1 after text or the end of a pair. */
  let last = -1;
  for (const node of nodes) {
    if (node.type === 'void' && last >= 0 && !isSeparate(result[last]!, node)) {
      for (const next of [...result.splice(last + 1), node]) extend(result[last]!, next);
      continue;
    }
    result.push(node);
    if (node.type === 'void') last = result.length - 1;
    else if (node.type !== 'marker') last = -1;
  }
  return result;
}
