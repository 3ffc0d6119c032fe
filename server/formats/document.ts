import type { FileTexts, KeptTexts } from './existing-target.ts';
import type { InlineContent } from './inline-content.ts';
import type { LengthUnit } from './length-limit.ts';
import type { RecognizedPage } from './ocr/tesseract.ts';
import type { Includable, Selection } from './selection.ts';
import type { TextOutcome } from './text-tally.ts';

/**
 * The interface of the formats that are translated with their layout. A format has two pure functions, `extract` and
 * `rebuild`: `extract` lists the translatable texts of a file, and `rebuild` writes their translations into a copy of
 * the file.
 */

/** The role of a segment in its document, which is shown to reviewers. */
export type SegmentKind =
  | 'paragraph'
  | 'heading'
  | 'table_cell'
  | 'header'
  | 'footer'
  | 'cell'
  | 'text_block';

/**
 * Identifies a segment within its file. Every reading of the same file gives the same keys, so corrections can refer to
 * them.
 */
export interface SegmentKey {
  /** The paragraph, the table or the sheet that contains the segment. */
  regionId: string;
  /** The cell of the table or sheet; null for a segment outside of cells. */
  cellId: string | null;
}

/**
 * A rectangle on a page, in units of the page's user space before rotation (PDF 32000-1, 7.9.5), as in the /Rect of an
 * annotation. A unit is a point, 1/72 inch, unless the page has a /UserUnit.
 */
export type PageRectangle = [left: number, bottom: number, right: number, top: number];

/** The smallest unit of translation: a paragraph or a cell. */
export interface Segment extends SegmentKey {
  kind: SegmentKind;
  /** The number of the page, or of the sheet in the order of the workbook, from 1. Null if unknown. */
  page: number | null;
  /** The location of the segment in the file, in a readable form: `Sheet1!B7`, `word/header1.xml, paragraph 3`. */
  place: string;
  /**
   * The rectangles of the segment on its page. Absent for formats whose pages depend on the program that opens the
   * file.
   */
  rectangles?: PageRectangle[];
  /**
   * What the file states about the segment, for the model and the reviewer, such as its key and the comment of a
   * developer. Absent if the file states nothing.
   */
  context?: string;
  /**
   * Distinguishes the segment from others with the same text that need another translation, such as `few` for a plural
   * form. Such a segment is neither served from the translation memory nor added to it, because the memory
   * compares only texts. Absent for most segments.
   */
  variant?: string;
  /** The maximum length of the translation. Absent without a limit. */
  maxLength?: number;
  /** The unit of a limit that translations must keep. Absent for one in characters that is only advice, as in subtitles. */
  lengthUnit?: LengthUnit;
  source: InlineContent;
  /** The words of a text that was recognized in an image, in reading order. Absent for other texts. */
  words?: SegmentWord[];
}

/** A recognized word, and how sure the recognition is: from 0 to 100. */
export interface SegmentWord {
  text: string;
  confidence: number;
}

export interface SegmentTranslation extends SegmentKey {
  /**
   * The translated text. It has each tag of the source once, and the tags are well nested. Tags of formatting may be
   * missing.
   */
  target: InlineContent;
  /** Whether no reviewer has settled the issues of the translation. Formats that can mark such a text do so. */
  needsReview?: boolean;
}

/** The codes of the findings that a format can report. */
type FindingCode =
  | 'text_too_long'
  | 'text_truncated'
  | 'text_shrunk'
  | 'font_substituted'
  | 'formatting_lost'
  | 'added_code_not_written'
  | 'link_broken'
  | 'low_segment_quality'
  | 'table_header_kept'
  | 'unsupported_content_kept'
  | 'active_content_removed'
  | 'no_translatable_text'
  | 'content_left_out'
  | 'text_recognized'
  | 'not_selected'
  | 'columns_of_keys';

/** A remark for the reader of a translated file, such as a text that was truncated. */
export interface Finding {
  severity: 'info' | 'warning' | 'error';
  code: FindingCode;
  /** The finding in plain words. If the finding covers several objects, the message contains their number. */
  message: string;
  /** The region id, cell id or table id of the affected text; null if the finding is about the whole file. */
  unitId: string | null;
  /** The visible characters of a text whose translation the file does not have. */
  unwritten?: number;
}

/** Returns a finding about the whole file. */
export function fileFinding(severity: Finding['severity'], code: FindingCode, message: string): Finding {
  return { severity, code, message, unitId: null };
}

export interface ExtractedDocument {
  /** The translatable texts, in reading order. */
  segments: Segment[];
  /** The number of pages of a PDF or DOCX, or of sheets of a workbook; null if unknown. */
  pageCount: number | null;
  /** Findings about content that stays untranslated: one for each kind of content, with the number of its objects. */
  findings: Finding[];
  /** The texts that are in no segment. Absent for a format that does not count them. */
  outcome?: TextOutcome;
  /** The texts of the file that a request may include, if any. */
  include?: Includable[];
  /** The columns of sheets that look like keys, which a request may leave out, if any. */
  excludeColumns?: string[];
  /** The numbers of the pages whose text is only in images, and can be recognized. Absent for other files. */
  imagePages?: number[];
}

export type { RecognizedPage };

/** The result of the recognition of a file's pages. */
export interface Recognition {
  pages: RecognizedPage[];
  /** The pages that could not be recognized. */
  failed: { page: number; reason: string }[];
}

export interface RebuiltDocument {
  bytes: Uint8Array;
  /** Findings about the translations. They do not repeat the findings of `extract`. */
  findings: Finding[];
  /**
   * The rectangles of the translations on the pages. Absent for formats whose pages depend on the program that opens
   * the file.
   */
  rectangles?: (SegmentKey & { rectangles: PageRectangle[] })[];
}

/** The languages of the source and of the translation, as supported language codes. */
export interface Languages {
  sourceLanguage: string;
  targetLanguage: string;
}

/** If the writing directions of the languages differ, the paragraphs of a PDF or Word file change their direction. */
export interface RebuildOptions extends Selection, Languages {
  /** The texts of an existing translation that stay. They are in no segment. */
  kept?: KeptTexts | undefined;
  /** The recognized pages. Absent if no page was recognized. */
  recognition?: Recognition | undefined;
}

export type ExtractOptions = Selection & Partial<Languages> & Pick<RebuildOptions, 'kept' | 'recognition'>;

/** Receives one text of a file. Returns whether the reader should pass further texts. */
export type TakeText = (text: string) => boolean;

/**
 * A format that is translated with its layout. Its functions are pure. They throw a FileError if they reject the file.
 */
export interface LayoutFormat {
  /**
   * Checks the limits that apply before a job is created. This is faster than `extract`.
   *
   * @param take receives the selected texts of the file in order, until it returns false
   * @throws {FileError} `selection` if the file lacks a selected page or sheet; so do the other functions
   */
  check(bytes: Uint8Array, take?: TakeText, selection?: Selection): Promise<void>;
  /** @param options the target language determines how many plural forms a text has */
  extract(bytes: Uint8Array, options?: ExtractOptions): Promise<ExtractedDocument>;
  /**
   * Lists the texts of a file, to compare a translation with its source. Absent, or without a result, for formats whose
   * existing translations cannot be kept.
   */
  texts?(bytes: Uint8Array, options: Languages & Selection): Promise<FileTexts | undefined>;
  /**
   * Recognizes the text of a page that consists of images. Absent for a format without such pages.
   *
   * @param page one of `imagePages`
   * @param language the language of the text
   * @throws {FileError} `unreadable` if the images cannot be decoded
   */
  recognize?(bytes: Uint8Array, page: number, language: string): Promise<RecognizedPage>;
  /** @param translations the translations of some or all segments; the other segments keep their text */
  rebuild(
    bytes: Uint8Array,
    translations: readonly SegmentTranslation[],
    options: RebuildOptions,
  ): Promise<RebuiltDocument>;
}
