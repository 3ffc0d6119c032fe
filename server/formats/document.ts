import type { InlineContent } from './inline-content.ts';

/**
 * The interface of the formats that are translated in place. A format has two pure functions, `extract` and `rebuild`: the
 * first lists the translatable texts of a file, the second writes their translations into a copy of it.
 */

/** What a segment is, to a reviewer (C 5). */
export type SegmentKind =
  | 'paragraph'
  | 'heading'
  | 'table_cell'
  | 'header'
  | 'footer'
  | 'cell'
  | 'text_block';

/** Addresses a segment within its file. The same file always gives the same keys, so corrections can name them. */
export interface SegmentKey {
  /** A paragraph, a table, or a sheet. */
  regionId: string;
  /** The cell within a table or a sheet; null elsewhere. */
  cellId: string | null;
}

/**
 * A part of a page, in the units of the page's user space, before it is rotated (PDF 32000-1, 7.9.5): what an annotation there has
 * as its /Rect. A unit is a point, 1/72 inch, unless the page has a /UserUnit.
 */
export type PageRectangle = [left: number, bottom: number, right: number, top: number];

/** The smallest unit that is translated by itself: a paragraph, or a cell. */
export interface Segment extends SegmentKey {
  kind: SegmentKind;
  /** From 1: the page, or the sheet in the order of the workbook. Null if the file does not tell. */
  page: number | null;
  /** Where a person finds it: `Sheet1!B7`, `word/header1.xml, paragraph 3`. */
  place: string;
  /** Where its page shows it. Formats whose pages are made by the reading program have none. */
  rectangles?: PageRectangle[];
  source: InlineContent;
}

/** A translation of one segment. */
export interface SegmentTranslation extends SegmentKey {
  /** Has the tags of the source, each once and well nested. */
  target: InlineContent;
}

/** C 5 "Finding codes", of those that a format reports itself. */
export type FindingCode =
  | 'text_truncated'
  | 'text_shrunk'
  | 'font_substituted'
  | 'low_segment_quality'
  | 'table_header_kept'
  | 'unsupported_content_kept'
  | 'no_translatable_text';

/** Something that a reader of the translated file should know. */
export interface Finding {
  severity: 'info' | 'warning' | 'error';
  code: FindingCode;
  /** In plain words, with the count where several things are reported together. */
  message: string;
  /** A region id, a cell id or a table id; null if the finding is about the file. */
  unitId: string | null;
}

export interface ExtractedDocument {
  /** In reading order. */
  segments: Segment[];
  /** Pages of a PDF or DOCX, sheets of a workbook; null if the file does not tell. */
  pageCount: number | null;
  /** What stays untranslated, one finding for each kind of content with its count. */
  findings: Finding[];
}

export interface RebuiltDocument {
  bytes: Uint8Array;
  /** What happened while the translations were set. Those of `extract` are not repeated. */
  findings: Finding[];
  /** Where the pages show the translations; empty for formats whose pages are made by the reading program. */
  rectangles?: (SegmentKey & { rectangles: PageRectangle[] })[];
}

export interface RebuildOptions {
  /** Codes of B 2.4. A right-to-left target turns the paragraphs. */
  sourceLanguage: string;
  targetLanguage: string;
}

/** Takes a text of a file. Returns whether it wants more. */
export type TakeText = (text: string) => boolean;
