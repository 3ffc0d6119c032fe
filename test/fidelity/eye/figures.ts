import { type FaultKind, faultKinds, type PageFigures } from './judge-page.ts';

/** The figures of several pages together. */
export interface Figures {
  pages: number;
  words: number;
  /** Averages of the pages that have one. */
  iou: number | null;
  tau: number | null;
  /** The number of words with each fault. */
  faults: Record<FaultKind, number>;
  /** The share of words that are on top of others, and of letters that are unchanged; 1 is all. */
  wordsOnWords: number;
  untranslated: number;
  /** The share of borders between texts that ran together. */
  runTogether: number;
  /** The share of translated words that are small. */
  small: number;
}

export function figuresOf(pages: readonly PageFigures[]): Figures {
  const sum = (value: (page: PageFigures) => number) => pages.reduce((total, page) => total + value(page), 0);
  const faults = Object.fromEntries(
    faultKinds.map((kind) => [kind, sum((page) => countOf(page, kind))]),
  ) as Record<FaultKind, number>;
  const words = sum((page) => page.words);
  return {
    pages: pages.length,
    words,
    iou: average(pages.map(({ iou }) => iou)),
    tau: average(pages.map(({ tau }) => tau)),
    faults,
    wordsOnWords: share(
      faults['words on words'],
      sum((page) => page.resultWords),
    ),
    untranslated: share(
      sum((page) => page.untranslatedLetters),
      sum((page) => page.letters),
    ),
    runTogether: share(
      faults['run together'],
      sum((page) => page.borders),
    ),
    small: share(faults.small, words),
  };
}

export function countOf({ faults }: PageFigures, kind: FaultKind): number {
  return faults.filter((fault) => fault.kind === kind).length;
}

function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function share(part: number, all: number): number {
  return all === 0 ? 0 : part / all;
}

export const percent = (value: number): string => `${(100 * value).toFixed(2)}%`;
const decimals = (value: number | null): string => (value === null ? '' : value.toFixed(3));

export const columns: readonly [name: string, value: (figures: Figures) => string][] = [
  ['pages', ({ pages }) => `${pages}`],
  ['words', ({ words }) => `${words}`],
  ['IoU', ({ iou }) => decimals(iou)],
  ['tau', ({ tau }) => decimals(tau)],
  ['untranslated', ({ untranslated }) => percent(untranslated)],
  ['words on words', ({ wordsOnWords }) => percent(wordsOnWords)],
  ['run together', ({ runTogether }) => percent(runTogether)],
  ['small', ({ small }) => percent(small)],
  ...faultKinds
    .filter((kind) => !['untranslated', 'words on words', 'run together', 'small'].includes(kind))
    .map((kind): [string, (figures: Figures) => string] => [kind, ({ faults }) => `${faults[kind]}`]),
];

/** A row of the table: the values of all columns. */
export function rowOf(pages: readonly PageFigures[]): string[] {
  const figures = figuresOf(pages);
  return columns.map(([, value]) => value(figures));
}
