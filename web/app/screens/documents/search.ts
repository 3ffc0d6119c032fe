import type { DocumentOutline, DocumentProgressList, SegmentBoxPage, SegmentSearchPage } from '#sdk/types.ts';

/** The statuses of a document that are stored (B 2.7). */
export const documentStatuses = ['queued', 'extracted', 'translated', 'failed'] as const;

export type KnownDocumentStatus = (typeof documentStatuses)[number];

/** What stands in the address of the list. */
export interface DocumentFilter {
  status?: KnownDocumentStatus;
}

/** Reads the address of the list; what it has no meaning for is left out. */
export function readDocumentFilter(search: Record<string, unknown>): DocumentFilter {
  const status = documentStatuses.find((one) => one === search['status']);
  return status ? { status } : {};
}

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

export type SegmentKind = (typeof segmentKinds)[number];

/** The filters of a document's segments, as they stand in the address. */
export interface SegmentFilter {
  flagged?: true;
  corrected?: true;
  /** Leaves out what a person has confirmed. */
  confirmed?: false;
  kind?: SegmentKind;
  /** Or the sheet, from 1. */
  page?: number;
  text?: string;
}

/** The longest text that can be searched. */
export const longestText = 200;

/** Reads the address of a document; what it has no meaning for is left out. */
export function readSegmentFilter(search: Record<string, unknown>): SegmentFilter {
  const { flagged, corrected, confirmed, page, text } = search;
  const kind = segmentKinds.find((one) => one === search['kind']);
  // The router reads 123 as a number.
  const sought = (typeof text === 'string' || typeof text === 'number' ? String(text) : '')
    .trim()
    .slice(0, longestText);
  return {
    ...(flagged === true && { flagged }),
    ...(corrected === true && { corrected }),
    ...(confirmed === false && { confirmed }),
    ...(kind && { kind }),
    ...(typeof page === 'number' && Number.isInteger(page) && page >= 1 && page < 2 ** 31 && { page }),
    ...(sought !== '' && { text: sought }),
  };
}

/** A page of a document's segments. */
export type SegmentPage = SegmentSearchPage;
/** A segment with its place among all of its document, from 0. */
export type Segment = SegmentPage['segments'][number];
/** How many segments a document has of each kind, and on each page. */
export type Outline = DocumentOutline;
/** Where a document's file shows segments. */
export type SegmentBox = SegmentBoxPage['boxes'][number];
/** How far a document is. */
export type Progress = DocumentProgressList['documents'][number];
