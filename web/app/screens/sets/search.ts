import { canonicalLanguage } from '#server/languages.ts';

/** The longest text that can be searched. */
export const longestText = 200;

/** The sides of an entry or unit that may be searched alone. */
export const searchedSides = ['source', 'target'] as const;

export type SearchedSide = (typeof searchedSides)[number];

/** What to show of a glossary or memory, as it stands in the address. */
export interface ContentFilter {
  text?: string;
  /** Without one, both are searched. */
  side?: SearchedSide;
  /** Only what begins with the text. */
  starts?: true;
}

/** Reads the address of a set; what it has no meaning for is left out. */
export function readContentFilter(search: Record<string, unknown>): ContentFilter {
  const text = searchedText(search['text']);
  const side = searchedSides.find((one) => one === search['side']);
  return { ...(text && { text }), ...(side && { side }), ...(search['starts'] === true && { starts: true }) };
}

/** What to look up in the memories of two languages, as it stands in the address. */
export interface ConcordanceSearch {
  text?: string;
  from?: string;
  to?: string;
  /** Without one, the source is searched. */
  side?: 'target';
  words?: true;
}

/** Reads the address of the concordance; what it has no meaning for is left out. */
export function readConcordanceSearch(search: Record<string, unknown>): ConcordanceSearch {
  const { from: source, to: target } = search;
  const text = searchedText(search['text']);
  const [from, to] = [source, target].map(languageOf);
  return {
    ...(text && { text }),
    ...(from && { from }),
    ...(to && { to }),
    ...(search['side'] === 'target' && { side: 'target' as const }),
    ...(search['words'] === true && { words: true }),
  };
}

function searchedText(value: unknown): string {
  // The router reads 123 as a number.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text.trim().slice(0, longestText);
}

function languageOf(value: unknown) {
  return typeof value === 'string' ? canonicalLanguage(value) : undefined;
}
