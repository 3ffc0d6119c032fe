import type { InlineContent } from '#server/formats/inline-content.ts';
import type { SegmentStatus } from './segment-filter.ts';

/** A segment of the grid: a part of a document, or a whole text. */
export interface EditedSegment {
  /** The number of the segment among all segments of the editor, from 0. */
  position: number;
  source_text: string;
  /** The stored translation; null without one. */
  target_text: string | null;
  /** The machine translation, if a reviewer has changed it; otherwise null. */
  pipeline_text: string | null;
  status: SegmentStatus | 'rejected';
  /** The findings that the service stored. */
  quality: { issues: unknown; score?: number | null };
  /** Null if no reviewer has decided about the segment. */
  confirmed_at: string | null;
  /** A short line below the source, such as the page of a document. */
  place: string;
  /** Notes of the file about the segment, such as the comment of a developer. */
  context?: string | null;
  /** The maximum length of the translation, and its unit; missing or null without a limit. */
  max_length?: number | null;
  length_unit?: string | null;
  /** The texts with their tags; missing or null if the segment has none. */
  source_content?: InlineContent | null;
  target_content?: InlineContent | null;
  /** The words of a source that was recognized in a picture; missing or null for other texts. */
  words?: { text: string; confidence: number; uncertain: boolean }[] | null;
  /** The number of other segments of the document with the same source; missing for whole texts. */
  repetitions?: number;
  kind?: string;
  is_html?: boolean;
  /** The ID of the job, for a text. */
  id?: string;
  /** The document to which the segment belongs; missing for a text. */
  document_id?: string;
}

/** The segments that match the filter, as far as they are loaded. */
export interface SegmentRange<Segment extends EditedSegment = EditedSegment> {
  total: number;
  /** @returns undefined while the segment is loading */
  at(index: number): Segment | undefined;
  /** @returns undefined if the segment is not loaded or does not match the filter */
  indexOf(position: number): number | undefined;
}
