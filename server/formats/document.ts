import type { InlineContent } from './inline-content.ts';

/**
 * The interface of the formats that are translated with their layout. A format has two pure functions, `extract` and `rebuild`:
 * the first lists the translatable texts of a file, the second writes their translations into a copy of it.
 */

/** The role of a segment, for reviewers. */
export type SegmentKind =
  | 'paragraph'
  | 'heading'
  | 'table_cell'
  | 'header'
  | 'footer'
  | 'cell'
  | 'text_block';

/** Identifies a segment within its file. The same file always gives the same keys, so corrections can refer to them. */
export interface SegmentKey {
  /** A paragraph, a table, or a sheet. */
  regionId: string;
  /** The cell within a table or a sheet; null elsewhere. */
  cellId: string | null;
}

/**
 * A part of a page, in units of the page's user space before rotation (PDF 32000-1, 7.9.5), like the /Rect of an annotation. A
 * unit is a point, 1/72 inch, unless the page has a /UserUnit.
 */
export type PageRectangle = [left: number, bottom: number, right: number, top: number];

/** The smallest unit of translation: a paragraph, or a cell. */
export interface Segment extends SegmentKey {
  kind: SegmentKind;
  /** From 1: the page, or the sheet in the order of the workbook. Null if unknown. */
  page: number | null;
  /** The location of the segment in a readable form: `Sheet1!B7`, `word/header1.xml, paragraph 3`. */
  place: string;
  /** The location on its page. Missing for formats whose pages depend on the program that opens them. */
  rectangles?: PageRectangle[];
  source: InlineContent;
}

/** A translation of one segment. */
export interface SegmentTranslation extends SegmentKey {
  /** Has the tags of the source, each once and well nested. */
  target: InlineContent;
}

/** The finding codes that a format reports. */
export type FindingCode =
  | 'text_truncated'
  | 'text_shrunk'
  | 'font_substituted'
  | 'low_segment_quality'
  | 'table_header_kept'
  | 'unsupported_content_kept'
  | 'active_content_removed'
  | 'no_translatable_text';

/** Information for a reader of the translated file. */
export interface Finding {
  severity: 'info' | 'warning' | 'error';
  code: FindingCode;
  /** In plain words, with the count if it covers several objects. */
  message: string;
  /** A region id, a cell id or a table id; null if the finding is about the file. */
  unitId: string | null;
}

export interface ExtractedDocument {
  /** In reading order. */
  segments: Segment[];
  /** Pages of a PDF or DOCX, sheets of a workbook; null if unknown. */
  pageCount: number | null;
  /** Content that stays untranslated: one finding for each kind of content, with its count. */
  findings: Finding[];
}

export interface RebuiltDocument {
  bytes: Uint8Array;
  /** Findings about the translations. Does not repeat those of `extract`. */
  findings: Finding[];
  /** The locations of the translations on the pages; empty for formats whose pages depend on the program that opens them. */
  rectangles?: (SegmentKey & { rectangles: PageRectangle[] })[];
}

export interface RebuildOptions {
  /** Supported language codes. For a right-to-left target, paragraphs change their direction. */
  sourceLanguage: string;
  targetLanguage: string;
}

/** Receives a text of a file. Returns whether it needs more text. */
export type TakeText = (text: string) => boolean;
