import type { FormatKind } from '../../inline-content.ts';
import type { Node, Pair } from './nodes.ts';
import { differences, type TextFormat } from './text-format.ts';

/** The maximum number of formatted spans in a paragraph. With more tags, models make mistakes. */
const maxSpans = 20;
/** The maximum number of formatted spans in a short text. A longer text may have one for every three words. */
const minSpans = 6;

/**
 * The differences that are kept, from all to none. If a paragraph has too many spans, it is read with the next step:
 * first without fonts and sizes, then with those that change the meaning.
 */
const steps: readonly ReadonlySet<string>[] = [
  new Set('b i u strike dstrike vertAlign position highlight shd bdr color em caps smallCaps'.split(' ')),
  new Set('b strike dstrike vertAlign'.split(' ')),
  new Set(['vertAlign']),
  new Set(),
];

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const otherLetter = /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])\p{L}/u;
const letterOrNumber = /[\p{L}\p{N}]/u;

type Differences = ReadonlySet<keyof TextFormat>;

/** A text with the visible differences of its format from the usual format around it. */
interface Piece {
  node: Node;
  format: TextFormat;
  differences: Differences;
  /** The differences as text, equal for equal formatting; '' without differences. */
  key: string;
}

/** The nodes of a paragraph with pairs around formatted texts. */
interface FormattedNodes {
  nodes: Node[];
  /** Whether the formatting changes so often that some of it has no pair. */
  isSimplified: boolean;
}

/**
 * Puts a pair around each text whose visible format differs from the usual format around it. A pair of formatting never
 * splits another pair. Spaces at its edges stay outside.
 *
 * @param usualOf returns the usual format of the text directly in a pair; undefined stands for the paragraph
 */
export function withFormats(
  nodes: readonly Node[],
  usualOf: (around: Pair | undefined) => TextFormat,
): FormattedNodes {
  const pieces = withoutNoise(nodes, piecesOf(nodes, usualOf));
  const count = countSpans(nodes, pieces);
  if (count === 0) return { nodes: [...nodes], isSimplified: false };
  const words = nodes.reduce(
    (sum, { text }) => sum + (text.match(/\s+|\p{Script=Han}{2}/gu)?.length ?? 0),
    1,
  );
  const most = Math.min(maxSpans, Math.max(minSpans, words / 3));
  if (count <= most) return { nodes: insertPairs(nodes, pieces), isSimplified: false };
  for (const kept of steps) {
    const simplified = new Map([...pieces].map(([node, piece]) => [node, simplify(piece, kept)]));
    if (countSpans(nodes, simplified) <= most)
      return { nodes: insertPairs(nodes, simplified), isSimplified: true };
  }
  throw new Error('the last step keeps no difference');
}

function simplify({ node, format, differences: all }: Piece, kept: ReadonlySet<string>): Piece {
  return pieceOf(node, format, new Set([...all].filter((name) => kept.has(name))));
}

function pieceOf(node: Node, format: TextFormat, different: Differences): Piece {
  const key = [...different].map((name) => `${name}=${format[name] ?? ''}`).sort();
  return { node, format, differences: different, key: key.join(' ') };
}

function piecesOf(
  nodes: readonly Node[],
  usualOf: (around: Pair | undefined) => TextFormat,
): Map<Node, Piece> {
  const hasIdeographs = nodes.some(({ text }) => ideograph.test(text));
  const pieces = new Map<Node, Piece>();
  const open: Pair[] = [];
  for (const node of nodes) {
    if (node.type === 'open') open.push(node.pair!);
    else if (node.type === 'close') open.pop();
    else if (node.type === 'text' && node.text !== '') {
      const { format = {} } = node.tokens[0]!.run ?? {};
      const different = differences(format, usualOf(open.at(-1)));
      removeUnusedFonts(different, node.text, hasIdeographs);
      pieces.set(node, pieceOf(node, format, different));
    }
  }
  return pieces;
}

/**
 * Removes differences of fonts that the text does not use. Among ideographs, words of other scripts usually have
 * another font, which has no meaning.
 */
function removeUnusedFonts(different: Set<keyof TextFormat>, text: string, hasIdeographs: boolean): void {
  if (!ideograph.test(text)) different.delete('eastAsiaFont');
  if (!otherLetter.test(text)) different.delete('font');
  if (hasIdeographs && different.size === 1) different.delete('font');
}

/** The differences without meaning for text that has neither letters nor digits. */
const faces: Differences = new Set(['b', 'i', 'sz', 'font', 'eastAsiaFont'] as const);

/**
 * Removes differences without meaning. Spaces and signs get the format of the text on both sides. Capitals in another
 * size than the rest of their word are imitated small capitals.
 */
function withoutNoise(nodes: readonly Node[], pieces: Map<Node, Piece>): Map<Node, Piece> {
  const all = [...pieces.values()];
  const inWords = textsInWords(nodes);
  for (const [index, { node, format, differences: different }] of all.entries()) {
    if (letterOrNumber.test(node.text)) {
      if (inWords.has(node) && different.size === 1 && different.has('sz'))
        pieces.set(node, pieceOf(node, format, new Set()));
      continue;
    }
    if (node.text.trim() !== '' && ![...different].every((name) => faces.has(name))) continue;
    // The text before this one already has its final format.
    const before = all[index - 1] && pieces.get(all[index - 1]!.node);
    const after = all.slice(index + 1, index + 4).find(({ node: next }) => letterOrNumber.test(next.text));
    const isBridge = before !== undefined && before.key === after?.key;
    pieces.set(node, isBridge ? { ...before, node } : pieceOf(node, format, new Set()));
  }
  return pieces;
}

/** Returns the texts that are in one word with the text next to them. A break, a tab or another pair is the end of a word. */
function textsInWords(nodes: readonly Node[]): Set<Node> {
  const found = new Set<Node>();
  let before: Node | undefined;
  for (const node of nodes) {
    if (node.type === 'text' && node.text === '') continue;
    if (before && node.type === 'text' && /\p{L}$/u.test(before.text) && /^\p{L}/u.test(node.text))
      for (const one of [before, node]) if (!/\S\s+\S/.test(one.text)) found.add(one);
    before = node.type === 'text' ? node : undefined;
  }
  return found;
}

function countSpans(nodes: readonly Node[], pieces: ReadonlyMap<Node, Piece>): number {
  let spans = 0;
  for (let at = 0; at < nodes.length; at++) {
    const end = spanEnd(nodes, pieces, at);
    if (end === undefined) continue;
    spans++;
    at = end;
  }
  return spans;
}

/** Returns the index of the last node of the span that starts at this index; undefined if no span starts there. */
function spanEnd(
  nodes: readonly Node[],
  pieces: ReadonlyMap<Node, Piece>,
  start: number,
): number | undefined {
  const key = pieces.get(nodes[start]!)?.key ?? '';
  if (key === '' || nodes[start]!.text.trim() === '') return undefined;
  let end = start;
  for (let at = start + 1; at < nodes.length; at++) {
    const { type, text } = nodes[at]!;
    if (type === 'open' || type === 'close') break;
    if (type !== 'text' || text === '') continue;
    if (pieces.get(nodes[at]!)!.key !== key) break;
    if (text.trim() !== '') end = at;
  }
  return end;
}

function insertPairs(nodes: readonly Node[], pieces: ReadonlyMap<Node, Piece>): Node[] {
  const result: Node[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const end = spanEnd(nodes, pieces, at);
    if (end === undefined) {
      result.push(nodes[at]!);
      continue;
    }
    const span = nodes.slice(at, end + 1);
    const before = cutSpace(span, 0, 'trimStart');
    const after = cutSpace(span, span.length - 1, 'trimEnd');
    const format = kindOf(pieces.get(nodes[at]!)!);
    const pair: Pair = { hasText: true };
    const edge = { tokens: [], text: '', pair, format };
    const { isInertAfter } = nodes[at]!;
    result.push(...before, { ...edge, type: 'open', isInertAfter }, ...span);
    result.push({ ...edge, type: 'close', isInertAfter: nodes[end]!.isInertAfter }, ...after);
    at = end;
  }
  return result;
}

/** Removes the spaces at an edge of a span's text, and returns them as a text of their own. */
function cutSpace(span: Node[], index: number, trim: 'trimStart' | 'trimEnd'): Node[] {
  const node = span[index]!;
  const text = node.text[trim]();
  const length = node.text.length - text.length;
  if (length === 0) return [];
  span[index] = { ...node, text };
  return [{ ...node, text: trim === 'trimStart' ? node.text.slice(0, length) : node.text.slice(-length) }];
}

function kindOf({ format, differences: different }: Piece): FormatKind {
  if (different.has('vertAlign') && (format.vertAlign === 'superscript' || format.vertAlign === 'subscript'))
    return format.vertAlign;
  if (different.has('b') && format.b) return 'bold';
  if (different.has('i') && format.i) return 'italic';
  if (different.has('u') && format.u) return 'underline';
  if (different.has('strike') && format.strike) return 'strike';
  return 'other';
}
