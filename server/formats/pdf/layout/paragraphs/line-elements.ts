import type { StructureElement } from '../../page-content.ts';
import { type Elements, isOneText } from '../elements.ts';
import { continues } from '../sentences.ts';
import { roomInChain } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { isCentredAt } from './line-links.ts';
import { isSameStyle, type TextLine } from './text-lines.ts';

const isHeading = /^(?:H\d?|Title)$/;
/**
 * The number of full lines from which the elements are lines, if sentences continue from these lines in other elements.
 */
const minTorn = 3;
/** The minimum number of words of a line that ends because the next word does not fit. */
const minWords = 6;
/** The maximum difference between equal line distances, and the widest distance of the lines of a text, in em. */
const [sameLeading, maxLeading] = [0.04, 4];

/**
 * Compares the declared elements of lines. Some programs declare each line as a separate element. Such elements do
 * not separate texts.
 */
export class LineElements {
  readonly #elements: Elements;
  readonly #areLines: boolean;
  /** The different distances of the lines of one text, in em. */
  readonly #leadings: number[] = [];
  /** The rows of each element. */
  readonly #rowsOf = new Map<StructureElement, Set<number>>();
  /** The elements with several texts on one baseline. */
  readonly #rows = new Set<StructureElement>();

  /** @param chains all chains of the page */
  constructor(elements: Elements, chains: readonly Chain[]) {
    this.#elements = elements;
    for (const line of chains.flat()) {
      const element = elements.ofLine(line);
      if (!element) continue;
      const own = this.#rowsOf.get(element) ?? new Set();
      if (own.has(line.row)) this.#rows.add(element);
      this.#rowsOf.set(element, own.add(line.row));
    }
    let [whole, torn] = [0, 0];
    for (const chain of chains)
      for (const [index, line] of chain.entries()) {
        const above = chain[index - 1];
        const relation = above && this.#compare(above, line);
        if (relation === 'same') {
          whole++;
          const isKnown = leadingOf(above!, line) > maxLeading || this.haveLeadingOfText(above!, line);
          if (!isKnown && this.relation(above!, line)) this.#leadings.push(leadingOf(above!, line));
        } else if (
          relation === 'other' &&
          continues(above!.text, line.text) &&
          above!.text.split(' ', minWords).length === minWords &&
          roomInChain(chain, index, isCentredAt(chain, index)) < line.firstWordWidth
        )
          torn++;
      }
    this.#areLines = torn >= minTorn && torn > whole;
  }

  /** Whether two lines belong to one text (`same`) or to different ones (`other`); undefined if it is not declared. */
  relation(above: TextLine, line: TextLine): 'same' | 'other' | undefined {
    const relation = this.#compare(above, line);
    if (relation === 'other') return this.#areLines ? undefined : 'other';
    const element = this.#elements.ofLine(line);
    return element && isOneText.test(element.type) && !this.#rows.has(element) ? relation : undefined;
  }

  /** Whether two lines of one style are declared as paragraphs of one line each. */
  areParagraphs(above: TextLine, line: TextLine): boolean {
    const elements = [above, line].map((one) => this.#elements.ofLine(one));
    return (
      elements.every((element) => element?.type === 'P' && this.#rowsOf.get(element)?.size === 1) &&
      isSameStyle(above.edgeStyles.last, line.edgeStyles.first)
    );
  }

  /** Whether two lines are as far from each other as lines of a declared text on the page. */
  haveLeadingOfText(above: TextLine, line: TextLine): boolean {
    const leading = leadingOf(above, line);
    return this.#leadings.some((other) => Math.abs(other - leading) < sameLeading);
  }

  /** Whether two lines of one style are declared as headings, either as one or as adjacent ones of the same level. */
  areHeadings(above: TextLine, line: TextLine): boolean {
    const [upper, lower] = [this.#elements.ofLine(above), this.#elements.ofLine(line)];
    return (
      upper !== undefined &&
      isHeading.test(upper.type) &&
      upper.type === lower?.type &&
      above.size === line.size &&
      isSameStyle(above.style, line.style)
    );
  }

  #compare(above: TextLine, line: TextLine): 'same' | 'other' | undefined {
    const [upper, lower] = [this.#elements.ofLine(above), this.#elements.ofLine(line)];
    if (!upper || !lower) return undefined;
    return upper === lower ? 'same' : 'other';
  }
}

function leadingOf(above: TextLine, line: TextLine): number {
  return (above.baseline - line.baseline) / line.size;
}
