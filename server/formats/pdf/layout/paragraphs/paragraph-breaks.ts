import { runsOf } from '../../statistics.ts';
import { isAddress, jointAtEnd, labelStart, withoutCase } from '../sentences.ts';
import { continuesAddress } from './addresses.ts';
import { startsEntry } from './entries.ts';
import { changesIndent, startsItem, startsLabel } from './indents.ts';
import { Leadings } from './leadings.ts';
import { LineEnds } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { LinePair, type PageParts } from './line-pair.ts';
import { changesScript, changesStyle, isAmongShort, isDisplayed, isOtherSize } from './line-pairs.ts';
import { isNumberOfItem } from './list-labels.ts';
import type { TextLine } from './text-lines.ts';

/** The length of a line, as a share of the longest possible line, above which it may continue in the next one. */
const maxOfLine = 0.6;

/**
 * A text in a script that has no capital letters at the start of a sentence, but has words that may be too long for the
 * end of a line.
 */
const spacedWithoutCase = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;

/** A rule that decides whether a text ends between two lines. */
export interface BreakRule {
  name: string;
  breaks: boolean;
  applies(pair: LinePair): boolean;
}

const breaks = (name: string, applies: BreakRule['applies']): BreakRule => ({ name, breaks: true, applies });
const joins = (name: string, applies: BreakRule['applies']): BreakRule => ({ name, breaks: false, applies });

/** A rule for lines that are not one text by their elements and their words. */
const looksApart = (name: string, applies: BreakRule['applies']): BreakRule =>
  breaks(name, (pair) => !pair.isOneText && applies(pair));

/** The rules in the order in which they win: the first rule that applies decides. The last one always applies. */
export const breakRules: readonly BreakRule[] = [
  breaks('formula', ({ above, line }) => isDisplayed(above, line)),
  breaks('bullet', ({ line, parts }) => parts.bullets.has(line)),
  breaks('numbers of items', ({ above, line }) => isNumberOfItem(above.text) && isNumberOfItem(line.text)),
  // In a declared paragraph, rules and boxes are underlines, shading or a watermark.
  breaks('rule or box', (pair) => !pair.isDeclaredOne && pair.areSeparated),
  breaks('drawn bullet', ({ isDeclaredOne, line, parts }) => !isDeclaredOne && parts.bulleted.has(line)),
  breaks('size', ({ above, line, mayGoOn, endsEarly }) => isOtherSize(above, line, mayGoOn, endsEarly)),
  // An author may end a line within a declared text, but a full line is no sign of that.
  joins(
    'element',
    ({ isDeclaredOne, endsEarly, endsSentence, isSpread }) =>
      isDeclaredOne && !endsEarly && !(endsSentence && isSpread),
  ),
  joins('centred sentence', (pair) => pair.areDeclaredApart && pair.isCentredSentence),
  breaks(
    'short and far',
    (pair) => pair.endsEarly && !pair.isNear && !pair.isCentred && pair.room > pair.width,
  ),
  breaks('elements', (pair) => pair.areDeclaredApart && !pair.isDeclaredWrongly),
  breaks(
    'distance',
    ({ maySpread, parts, chain, index }) => !maySpread && parts.leadings.separate(chain, index),
  ),
  joins('web address', ({ chain, index }) => continuesAddress(chain, index)),
  breaks('field', (pair) => pair.startsField),
  breaks(
    'address',
    ({ above, line }) => isAddress(line.text) && (/[.!?:]$/u.test(above.text) || isAddress(above.text)),
  ),
  breaks(
    'label',
    ({ isFullTitle, first, above, line, length }) => !isFullTitle && startsLabel(first, above, line, length),
  ),
  breaks('row', (pair) => pair.row === 'certain'),
  breaks(
    'item',
    ({ isOneText, endsEarly, chain, index, length }) =>
      !(isOneText && !endsEarly) && startsItem(chain, index, length, endsEarly),
  ),
  looksApart(
    'entry',
    ({ mayGoOn, isRunning, chain, index, parts, line }) =>
      !mayGoOn && !isRunning && startsEntry(chain, index, parts.ends.isTitle(line)),
  ),
  looksApart('script', ({ above, line }) => changesScript(above, line)),
  looksApart('style', ({ above, line, length, mayGoOn, goesOn, endsEarly, endsEarlyHere }) =>
    changesStyle(above, line, length, mayGoOn ? endsEarlyHere : endsEarly, mayGoOn, goesOn),
  ),
  looksApart(
    'after rows',
    (pair) =>
      pair.row === 'none' &&
      !pair.mayGoOn &&
      !pair.wraps &&
      !pair.isFullText &&
      !withoutCase.test(pair.line.text) &&
      pair.followsRows,
  ),
  looksApart('likely row', (pair) => pair.isRow),
  looksApart(
    'indent',
    ({ isCentred, above, chain, index, length, endsEarly, mayGoOn }) =>
      !isCentred &&
      !jointAtEnd.test(above.text) &&
      changesIndent(chain, index, length, endsEarly && !mayGoOn, mayGoOn),
  ),
  joins('full line', ({ endsEarly }) => !endsEarly),
  joins('continues', ({ mayGoOn }) => mayGoOn),
  joins('headings', (pair) => pair.isDeclaredOne && pair.areHeadings && !pair.endsSentence),
  joins(
    'words of an element',
    (pair) =>
      pair.isDeclaredOne && !pair.endsSentence && !labelStart.test(pair.line.text) && pair.isFullOfWords,
  ),
  breaks('short lines', ({ chain, index, isCentred }) => isAmongShort(chain, index, isCentred)),
  joins(
    'long words',
    ({ line, endsSentence, share }) =>
      spacedWithoutCase.test(line.text) && !endsSentence && share > maxOfLine,
  ),
  breaks('short line', () => true),
];

/** Splits chains of lines into paragraphs. */
export class ParagraphBreaks {
  readonly #parts: PageParts;

  /** @param chains all chains of the page */
  constructor(chains: readonly Chain[], parts: Omit<PageParts, 'ends' | 'leadings'>) {
    this.#parts = { ...parts, ends: new LineEnds(chains, parts.columns), leadings: new Leadings(chains) };
  }

  /** Splits a chain into paragraphs, headings and cells. */
  split(chain: Chain): TextLine[][] {
    return runsOf(chain, ({ length }, line, index) => {
      const pair = new LinePair(chain, index, length, this.#parts);
      pairs.set(line, pair);
      return !ruleOf(pair).breaks;
    });
  }
}

const pairs = new WeakMap<TextLine, LinePair>();

/** Returns a line of a chain with the line above it, after the chain was split; undefined for the first line. */
export function pairAbove(line: TextLine): LinePair | undefined {
  return pairs.get(line);
}

/** Returns the rule that decides about two lines. */
export function ruleOf(pair: LinePair): BreakRule {
  return breakRules.find((rule) => rule.applies(pair))!;
}

/** Returns all rules that apply to two lines, in the order in which they win. */
export function readingsOf(pair: LinePair): BreakRule[] {
  return breakRules.filter((rule) => rule.applies(pair));
}
