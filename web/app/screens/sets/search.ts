import { canonicalLanguage } from '#server/languages.ts';
import { searchedText } from '../../parts/searched-text.ts';

/** The sides of an entry or segment that may be searched separately. */
export const searchedSides = ['source', 'target'] as const;

export type SearchedSide = (typeof searchedSides)[number];

/** The filter of a glossary or TM, as in the URL. */
export interface ContentFilter {
  text?: string;
  /** If omitted, both sides are searched. */
  side?: SearchedSide;
  /** If set, a match must begin with the text; otherwise it must contain the text. */
  starts?: true;
  /** The order of a glossary's terms. If omitted, they are sorted by source. */
  sort?: 'target';
  descending?: true;
  /** Which terms of a glossary are shown. If omitted, all are. */
  only?: TermKind;
}

export const termKinds = ['forbidden', 'not_translated', 'no_definition'] as const;

export type TermKind = (typeof termKinds)[number];

/** Reads the filter from the URL; invalid parameters are ignored. */
export function readContentFilter(search: Record<string, unknown>): ContentFilter {
  const text = searchedText(search['text']);
  const side = searchedSides.find((one) => one === search['side']);
  const only = termKinds.find((one) => one === search['only']);
  return {
    ...(text && { text }),
    ...(side && { side }),
    ...(search['starts'] === true && { starts: true }),
    ...(search['sort'] === 'target' && { sort: 'target' as const }),
    ...(search['descending'] === true && { descending: true }),
    ...(only && { only }),
  };
}

/** The kinds of problems that segments of a TM can have; `any` for all kinds. */
export const problemFilters = [
  'any',
  'numbers',
  'tags',
  'length',
  'language',
  'forbidden_words',
  'other_translation',
  'duplicate',
] as const;

export type ProblemFilter = (typeof problemFilters)[number];

/** The filter of a TM, as in the URL: a search, or the segments with a problem. */
export interface MemoryFilter extends ContentFilter {
  problem?: ProblemFilter;
}

export function readMemoryFilter(search: Record<string, unknown>): MemoryFilter {
  const problem = problemFilters.find((one) => one === search['problem']);
  return { ...readContentFilter(search), ...(problem && { problem }) };
}

/** Builds the request for one page of a set. @param cursor undefined for the first page */
export function contentRequest(
  setId: string,
  { text, side, starts }: ContentFilter,
  cursor: string | undefined,
) {
  return {
    set_id: setId,
    ...(text && { text, match: starts ? ('prefix' as const) : ('contains' as const) }),
    ...(side && { side }),
    ...(cursor && { cursor }),
  };
}

/** The concordance search, as in the URL. */
export interface ConcordanceSearch {
  text?: string;
  from?: string;
  to?: string;
  /** If omitted, the source side is searched. */
  side?: 'target';
  words?: true;
}

/** Reads the concordance search from the URL; invalid parameters are ignored. */
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

function languageOf(value: unknown) {
  return typeof value === 'string' ? canonicalLanguage(value) : undefined;
}
