import type { QueryKey } from '@tanstack/react-query';
import type { DocumentOutline, QualityIssue } from '#sdk/types.ts';
import type { FindingActions } from './finding-actions.ts';
import type { Languages } from './marks.ts';
import type { EditedSegment, SegmentRange } from './segment.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { OpenState } from './segment-opener.ts';
import type { SegmentSaves } from './segment-saves.ts';

/** The number of rows of each status. */
export type Counts = Pick<DocumentOutline, 'segments' | 'statuses'>;

/** The filters that all sources have. Further ones of a source stay in the object. */
export type RowFilter = Pick<SegmentFilter, 'status' | 'text' | 'pattern'>;

/** How the service checks a reviewer's text for a segment, without a model. */
export interface SegmentCheck<Row extends EditedSegment = EditedSegment> {
  queryKey(row: Row, text: string | undefined): QueryKey;
  run(row: Row, text: string, signal: AbortSignal): Promise<{ issues: QualityIssue[] }>;
  /** Whether the stored findings are those of the stored translation; otherwise it is checked, too. Default: always. */
  isChecked?(row: Row): boolean;
}

/**
 * The rows of the editor, and what a reviewer does with them. The segments of a document and the texts that await review
 * implement it, as documents and texts implement the reviews of the service.
 */
export interface RowSource<Row extends EditedSegment = EditedSegment> {
  /** The rows that match the filter, as a result for `Read`. */
  rows: { data: SegmentRange<Row> | undefined; error: unknown; refetch(): unknown };
  /** The counts of all rows, whatever their status; undefined while they are loading. */
  outline: Counts | undefined;
  /** Whether rows follow that are not loaded. */
  hasMore?: boolean;
  filter: RowFilter;
  onFilter(filter: RowFilter): void;
  /** Called with the first and last visible index. The same function at each render. */
  onVisible(visible: readonly [first: number, last: number]): void;
  /** The languages of all rows; undefined if they differ. */
  languages: Languages | undefined;
  languagesOf(row: Row): Languages;
  /** Colleagues by the position of the row that each has open. */
  holders: ReadonlyMap<number, readonly string[]>;

  /** The position and index of the open row, and whether its field gets the focus; null if none is open. */
  open: OpenState['open'];
  /** The open row; undefined while it is loading. */
  row: Row | undefined;
  next: OpenState['next'];
  late: OpenState['late'];
  /** Opens a row. The same function at each render, so that only the rows that changed are drawn again. */
  openAt(position: number): void;
  /** Moves by a number of rows; an infinite number means the first or last row. */
  move(step: number, takesFocus?: boolean): void;
  /** Opens the next row that no one has decided about. */
  moveToNextOpen(): unknown;
  /** Opens the next or previous row with an open finding, in the order of the list of issues: critical ones first. */
  moveToFinding(step: 1 | -1): void;
  /** Opens the next row after a decision. @param said the announcement of the decision */
  goOn(said: string): void;

  saves: SegmentSaves;
  /** Whether a reviewer cannot change the row now. */
  isReadOnly(row: Row): boolean;
  check: SegmentCheck<Row>;
  findingsOf(row: Row): FindingActions;
  canUndo: boolean;
  /** Reverts the latest decision of this visit. */
  undo(): void;
  /** Decides again as before the latest `undo`. */
  redo(): void;
}
