import { letter } from '../../text.ts';
import { isBlank } from './blanks.ts';
import type { Node } from './nodes.ts';

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
