import type { InlineContent } from '../../inline-content.ts';
import { letter } from '../../text.ts';
import type { Node } from './nodes.ts';
import type { Token } from './tokens.ts';

/** A blank in a form: characters that draw a line, or spaces that form columns. */
export const blank = /(_{3,}|\.{5,}|…{2,}|[ \u00a0]{4,})/;
const onlyBlank = /^(?:_{3,}|\.{5,}|…{2,}|[ \u00a0]{4,})$/;

/** The maximum number of words of a label. */
const maxWords = 8;

/** Whether a node is a blank that separates texts. */
export function isBlank({ type, text }: Node): boolean {
  return type === 'text' && onlyBlank.test(text);
}

/**
 * Cuts texts at the blanks of a form, such as `Name ____ Date ____`, so that each label is a text and no translation
 * moves a blank. The nodes stay if a text is not a label, because a blank in a sentence is part of the sentence.
 */
export function cutAtBlanks(nodes: readonly Node[]): readonly Node[] {
  if (!nodes.some(({ type, text }) => type === 'text' && blank.test(text))) return nodes;
  const texts = nodes.map(({ type, text }) => (type === 'text' || text.includes('\t') ? text : '0')).join('');
  const labels = texts
    .split('\t')
    .flatMap((text) => text.split(blank))
    .filter((text) => letter.test(text));
  return labels.every(isLabel) ? nodes.flatMap(cut) : nodes;
}

/** Whether a text next to a blank is a label, and not the beginning or the rest of a sentence. */
function isLabel(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.split(/\s+/).length > maxWords) return false;
  return /^\([^()]*\)[:*]?$/.test(trimmed) || /^[^\p{L}(,.;:!?]*[\p{Lu}\p{Lt}\p{Lo}]/u.test(trimmed);
}

function cut(node: Node): Node[] {
  const token = node.tokens[0]!;
  const prefix = /^<((?:[^\s:/>]+:)?)t[\s>]/.exec(token.raw)?.[1];
  const markup = token.run?.markup;
  if (node.type !== 'text' || node.tokens.length > 1 || prefix === undefined || !markup) return [node];
  const pieces = node.text.split(blank).filter((piece) => piece !== '');
  if (pieces.length === 1) return [node];
  return pieces.map((text) => {
    const raw = markup.textElement(text, prefix);
    return { ...node, text, tokens: [{ ...token, text, raw }] };
  });
}

/**
 * Returns how much longer a translation is than its source, in characters of a blank. Capitals are a third wider at most,
 * and in some fonts hardly wider, so the larger result counts.
 */
export function growthOf(source: InlineContent, target: InlineContent): number {
  const grown = (weight: number): number => widthOf(target, weight) - widthOf(source, weight);
  return Math.max(grown(0), grown(1 / 3));
}

function widthOf(items: InlineContent, weightOfCapitals: number): number {
  let width = 0;
  for (const item of items)
    if (typeof item === 'string')
      width += item.length + (item.match(/\p{Lu}/gu)?.length ?? 0) * weightOfCapitals;
  return width;
}

/**
 * Makes the blank at the start of these tokens shorter by the width by which the text before it has grown, so that the
 * line ends where it ended. At least half of the blank stays.
 */
export function shortenBlank(tokens: readonly Token[], growth: number): readonly Token[] {
  const [first, ...rest] = tokens;
  if (growth <= 0 || first?.type !== 'text' || !onlyBlank.test(first.text)) return tokens;
  // Two dots or spaces are about as wide as a letter.
  const removed = Math.round(/^[. \u00a0]/.test(first.text) ? 2 * growth : growth);
  const text = first.text.slice(0, Math.max(Math.ceil(first.text.length / 2), first.text.length - removed));
  return [{ ...first, text, raw: first.raw.replace(first.text, text) }, ...rest];
}

/** The index of the first node, and the index after the last one. */
export type NodeRange = [start: number, end: number];

/**
 * Labels of list items: `(a)`, `B.`, `iv)`. Labels without a letter, such as `1.`, are not translated. Without them, the
 * entries of a table of contents are the same texts as the headings.
 */
const label = /^[^\p{L}]*(?:\p{L}|[ivxlc]{2,7}(?=[).\]]))[^\p{L}]*$/iu;

/** The start of a text that continues a sentence. */
const continuation = /^[\p{Ll}\p{Po}\p{Pe}\p{Pf}]/u;

/** The text on one side of a tab or a blank. */
interface Side {
  range: NodeRange;
  text: string;
}

export function hasLetter({ type, text }: Node): boolean {
  return type === 'text' && letter.test(text);
}

/**
 * Splits the nodes of a paragraph at blanks of a form (see `cutAtBlanks`), and at tabs that separate texts: those of a header with text at the left, in the center
 * and at the right, a term and its definition, or columns. A tab after the label of a list item does not separate
 * texts, and neither does one inside a sentence.
 *
 * @returns the ranges with a letter, in order
 */
export function sidesOfTabs(nodes: readonly Node[], [start, end]: NodeRange): NodeRange[] {
  const sides: Side[] = [];
  let from = start;
  let depth = 0;
  for (let at = start; at <= end; at++) {
    const node = nodes[at];
    if (at < end && node!.type === 'open') depth++;
    else if (at < end && node!.type === 'close') depth--;
    if (at < end && (depth > 0 || !(isTab(node!) || isBlank(node!)))) continue;
    addSide(sides, { range: [from, at], text: textOf(nodes.slice(from, at)) });
    from = at + 1;
  }
  return sides.filter(({ text }) => letter.test(text)).map(({ range }) => range);
}

function isTab({ type, text, isPartOfSentence }: Node): boolean {
  return type === 'void' && text.includes('\t') && !isPartOfSentence;
}

/** Returns the text of nodes, with a digit for each page number and similar content. */
function textOf(nodes: readonly Node[]): string {
  return nodes
    .map(({ type, text, isPartOfSentence }) => (type === 'text' ? text : isPartOfSentence ? '0' : ''))
    .join('')
    .trim();
}

/** Adds a side, or joins it with the sides before it if they are one text. */
function addSide(sides: Side[], side: Side): void {
  if (side.text === '') return;
  let index = sides.length;
  if (continuation.test(side.text)) index = sides.findLastIndex(({ text }) => letter.test(text));
  else if (letter.test(side.text) && sides.length > 0 && label.test(sides.at(-1)!.text))
    index = sides.length - 1;
  const first = index < 0 ? undefined : sides[index];
  if (!first) sides.push(side);
  else
    sides.splice(index, sides.length, {
      range: [first.range[0], side.range[1]],
      text: first.text + side.text,
    });
}
