import type { StructureElement } from '../page-content.ts';
import { isCentredAt } from './centred-lines.ts';
import { type Elements, isOneText } from './elements.ts';
import { roomInChain } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { continues, jointAtEnd } from './sentences.ts';
import { runsOf } from './statistics.ts';
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
/** Signs of code, formulas, addresses and lists. */
const notInLabel = /[=:;{}<>@"“”]|www\./;
/** The maximum distance of the lines of a label, in em. */
const maxLeadingOfStack = 1.6;

/**
 * Compares the declared elements of lines. Some programs declare each line as a separate element. Such elements do
 * not separate texts.
 */
export class LineElements {
  readonly #elements: Elements;
  readonly #areLines: boolean;
  /** The lines of labels that are declared as a paragraph for each line. */
  readonly #torn = new Set<TextLine>();
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
    for (const chain of chains)
      for (const run of runsOf(chain, (own, line) => this.#isNextOfLines(own.at(-1)!, line)))
        if (isTorn(run, chain)) for (const line of run) this.#torn.add(line);
  }

  /** Whether a line is the next one in a stack of lines of one style that are declared as a paragraph each. */
  #isNextOfLines(above: TextLine, line: TextLine): boolean {
    return (
      this.areParagraphs(above, line) &&
      Math.abs(above.size - line.size) < 0.01 * line.size &&
      leadingOf(above, line) < maxLeadingOfStack
    );
  }

  /** Whether two lines belong to one text (`same`) or to different ones (`other`); undefined if it is not declared. */
  relation(above: TextLine, line: TextLine): 'same' | 'other' | undefined {
    const relation = this.#compare(above, line);
    if (relation === 'other')
      return this.#areLines || (this.#torn.has(above) && this.#torn.has(line)) ? undefined : 'other';
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

/**
 * Whether the lines of a stack are one text, in more places than not: it continues in the next line with a small letter, or
 * after an article or a conjunction, where the line has no room for the next word.
 */
function isTorn(run: readonly TextLine[], chain: Chain): boolean {
  if (run.some(({ text }) => notInLabel.test(text))) return false;
  let [torn, loose] = [0, 0];
  for (const [at, line] of run.slice(1).entries()) {
    const above = run[at]!;
    if (!continues(above.text, line.text) && !jointAtEnd.test(above.text)) continue;
    const index = chain.indexOf(line);
    if (roomInChain(chain, index, isCentredAt(chain, index)) < line.firstWordWidth) torn++;
    else loose++;
  }
  return torn > loose;
}

function leadingOf(above: TextLine, line: TextLine): number {
  return (above.baseline - line.baseline) / line.size;
}
