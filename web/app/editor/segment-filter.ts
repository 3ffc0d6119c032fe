import type { DocumentOutline, SegmentBoxPage, SegmentSearchPage } from '#sdk/types.ts';
import { searchedText } from '../parts/searched-text.ts';

/** The kinds of segments that formats have. */
export const segmentKinds = [
  'paragraph',
  'heading',
  'table_cell',
  'header',
  'footer',
  'cell',
  'text_block',
] as const;

type SegmentKind = (typeof segmentKinds)[number];

/** The statuses by which segments can be filtered, in the order of the filters. */
export const segmentStatuses = ['todo', 'draft', 'critical', 'warning', 'confirmed'] as const;

/** The categories of findings. */
export const findingCategories = ['accuracy', 'fluency', 'terminology', 'style', 'locale'] as const;

/** How much of a translation came from the TM; `from_95` and the like: the best fuzzy match of the source. */
export const segmentMatches = ['exact', 'sentences', 'from_95', 'from_85', 'from_75', 'none'] as const;

export type SegmentStatus = (typeof segmentStatuses)[number];

/** The filters of a document's segments, as in the URL. */
export interface SegmentFilter {
  status?: SegmentStatus;
  flagged?: true;
  corrected?: true;
  /** If set, confirmed segments are excluded. */
  confirmed?: false;
  kind?: SegmentKind;
  /** The number of the page or sheet, from 1. */
  page?: number;
  category?: (typeof findingCategories)[number];
  match?: (typeof segmentMatches)[number];
  /** The reviewer who changed or confirmed the segments. */
  author?: string;
  /** A regular expression. */
  pattern?: string;
  text?: string;
}

/** Reads the URL of a document; invalid parameters are ignored. */
export function readSegmentFilter(search: Record<string, unknown>): SegmentFilter {
  const { flagged, corrected, confirmed, page, text } = search;
  const status = segmentStatuses.find((one) => one === search['status']);
  const kind = segmentKinds.find((one) => one === search['kind']);
  const category = findingCategories.find((one) => one === search['category']);
  const match = segmentMatches.find((one) => one === search['match']);
  const author = searchedText(search['author']);
  const pattern = searchedText(search['pattern']);
  const sought = searchedText(text);
  return {
    ...(status && { status }),
    ...(flagged === true && { flagged }),
    ...(corrected === true && { corrected }),
    ...(confirmed === false && { confirmed }),
    ...(kind && { kind }),
    ...(typeof page === 'number' && Number.isInteger(page) && page >= 1 && page < 2 ** 31 && { page }),
    ...(category && { category }),
    ...(match && { match }),
    ...(author !== '' && { author }),
    ...(pattern !== '' && { pattern }),
    ...(sought !== '' && { text: sought }),
  };
}

/** A page of a search in a document's segments. */
export type SegmentPage = SegmentSearchPage;
/** A segment with its position in the document, from 0. */
export type Segment = SegmentPage['segments'][number];
/** The number of a document's segments of each kind, and on each page. */
export type Outline = DocumentOutline;
/** The places of segments on a page of the document's file. */
export type SegmentBox = SegmentBoxPage['boxes'][number];
