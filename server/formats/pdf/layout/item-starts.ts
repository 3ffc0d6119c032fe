import { isSign, startsWithSign } from './item-signs.ts';
import type { Edges } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { capitalStart, labelStart, sentenceEnd } from './sentences.ts';
import type { TextLine } from './text-lines.ts';

const itemNumber =
  /^(?:\[\d{1,3}\]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivxlc]{1,5}[.)]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)\s|^\d{1,2}、/iu;

export function startsLikeItem(text: string): boolean {
  return startsWithSign(text) || itemNumber.test(text);
}

/**
 * Whether a label with a colon starts at a line: after another label, or after a line that is only a label. A label in
 * the middle of a paragraph is a part of it.
 *
 * @param first the first line of the paragraph that ends at the line above
 */
export function startsLabel(first: TextLine, above: TextLine, line: TextLine, length: number): boolean {
  if (length === 1 && /^[^:]{1,40}:$/u.test(above.text) && capitalStart.test(line.text)) return true;
  return labelStart.test(line.text) && (labelStart.test(first.text) || labelStart.test(above.text));
}

export function startsItem(
  chain: Chain,
  edges: readonly Edges[],
  index: number,
  length: number,
  endsEarly: boolean,
): boolean {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  if (startsWithSign(line.text) || isSign(line.text) || startsWithMark(line)) return true;
  if (!itemNumber.test(line.text)) return false;
  const isShifted = Math.abs(edges[index]!.start - edges[index - 1]!.start) > 0.3 * line.size;
  const isNext = shapeOf(line.text) === shapeOf(chain[index - length]!.text);
  // A number in square brackets may also be a citation in a sentence, after a name such as Lee et al.
  const isCitation = line.text.startsWith('[');
  return endsEarly || isShifted || isNext || (!isCitation && sentenceEnd.test(above.text));
}

/** Returns the form of an item number: the same for `1.` and `22.`, another one for `1)` and `a.`. */
function shapeOf(text: string): string | undefined {
  return itemNumber
    .exec(text)?.[0]
    .replaceAll(/\d+/g, '1')
    .replaceAll(/\p{Lu}+/gu, 'A')
    .replaceAll(/\p{Ll}+/gu, 'a');
}

/** Whether a line starts with a superscript: the mark of a note or of an affiliation. */
function startsWithMark({ characters, rises }: TextLine): boolean {
  const first = characters[0]?.glyph;
  return first !== null && first !== undefined && (rises.get(first.piece) ?? 0) > 0;
}
