import { memo, useEffect, useMemo, useRef } from 'react';
import { languageOf } from '../../parts/language-text.tsx';
import type { Segment } from '../segment-filter.ts';
import { PagedSegments } from './paged-segments.tsx';
import styles from './preview.module.css';
import type { PreviewProps } from './preview-props.ts';

/**
 * Shows a workbook as a grid of its text cells. The segments have the name of their sheet and cell.
 * Numbers and formulas are not shown: they are not translated, and reading them would require another library.
 */
export default function SheetGrid(props: PreviewProps) {
  return (
    <PagedSegments {...props} label="documents.sheet">
      {(segments, language) => (
        <Grid
          cells={segments}
          language={language}
          side={props.side}
          current={props.current}
          onOpen={props.onOpen}
        />
      )}
    </PagedSegments>
  );
}

interface GridProps {
  cells: readonly Segment[];
  language: string;
  side: PreviewProps['side'];
  current: number | null;
  onOpen: (position: number) => void;
}

/** Shows cells at their places in the sheet, without the rows and columns that contain no text. */
function Grid({ cells, language, side, current, onOpen }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked cell is another one when these change
  useEffect(() => {
    grid.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, cells]);
  const { columns, rows, placed } = useMemo(() => layOut(cells), [cells]);
  return (
    <div
      ref={grid}
      className={styles.grid}
      style={{
        gridTemplateColumns: `max-content repeat(${Math.max(1, columns.length)}, minmax(7rem, 20rem))`,
      }}
    >
      {columns.map((column, index) => (
        <span
          key={column}
          className={styles.head}
          translate="no"
          style={{ gridRow: 1, gridColumn: index + 2 }}
        >
          {column}
        </span>
      ))}
      {rows.map((row, index) => (
        <span key={row} className={styles.head} style={{ gridRow: index + 2, gridColumn: 1 }}>
          {Number.isInteger(row) && row}
        </span>
      ))}
      {placed.map(({ segment, gridRow, gridColumn }) => (
        <Cell
          key={segment.position}
          segment={segment}
          gridRow={gridRow}
          gridColumn={gridColumn}
          language={language}
          side={side}
          isCurrent={segment.position === current}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

/** A cell. It is rendered again only if it changes, because a page has hundreds of them. */
const Cell = memo(function Cell({
  segment,
  gridRow,
  gridColumn,
  language,
  side,
  isCurrent,
  onOpen,
}: PlacedCell & Pick<GridProps, 'language' | 'side' | 'onOpen'> & { isCurrent: boolean }) {
  return (
    <button
      type="button"
      className={styles.cell}
      aria-current={isCurrent || undefined}
      aria-description={segment.cell_id ?? undefined}
      data-flagged={segment.quality.needs_review || undefined}
      translate="no"
      {...languageOf(language)}
      style={{ gridRow, gridColumn }}
      onClick={() => onOpen(segment.position)}
    >
      {side === 'source' ? segment.source_text : (segment.target_text ?? segment.source_text)}
    </button>
  );
});

/** A cell, and its place in the grid, whose first row and column have the names of columns and rows. */
interface PlacedCell {
  segment: Segment;
  gridRow: number;
  gridColumn: number;
}

/**
 * The columns and rows of the sheet that contain text, and the places of the cells. The second paragraph of a cell is in a
 * row below, whose number is not a whole one. Texts of comments, shapes and charts follow below the cells.
 */
function layOut(segments: readonly Segment[]): { columns: string[]; rows: number[]; placed: PlacedCell[] } {
  const cells = segments.filter(({ kind }) => kind === 'cell');
  const others = segments.filter(({ kind }) => kind !== 'cell');
  const paragraphs = new Map<string | null, number>();
  const places = cells.map(({ cell_id }) => {
    const { column, row } = placeOf(cell_id ?? '');
    const paragraph = paragraphs.get(cell_id) ?? 0;
    paragraphs.set(cell_id, paragraph + 1);
    return { column, row: row + paragraph / 1_000 };
  });
  const rows = [...new Set(places.map(({ row }) => row))].toSorted((a, b) => a - b);
  const columns = [...new Set(places.map(({ column }) => column))].toSorted(
    (a, b) => a.length - b.length || (a < b ? -1 : 1),
  );
  const rowOf = new Map(rows.map((row, index) => [row, index + 2]));
  const columnOf = new Map(columns.map((column, index) => [column, index + 2]));
  const placed = cells.map((segment, index) => {
    const { row, column } = places[index] as (typeof places)[number];
    return { segment, gridRow: rowOf.get(row) as number, gridColumn: columnOf.get(column) as number };
  });
  const below = others.map((segment, index) => ({
    segment,
    gridRow: rows.length + 2 + index,
    gridColumn: 2,
  }));
  return { columns, rows, placed: [...placed, ...below] };
}

/** Splits a cell reference such as B7 into column and row. */
function placeOf(reference: string): { column: string; row: number } {
  const [, column = 'A', row = '1'] = /^([A-Z]+)(\d+)$/.exec(reference) ?? [];
  return { column, row: Number(row) };
}
