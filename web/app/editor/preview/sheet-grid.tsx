import { useQueryClient } from '@tanstack/react-query';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { languageOf } from '../../parts/language-text.tsx';
import type { Segment } from '../segment-filter.ts';
import { PagedSegments } from './paged-segments.tsx';
import styles from './preview.module.css';
import type { PreviewProps } from './preview-props.ts';
import type { SheetValue } from './sheet-values.ts';

/**
 * Shows a workbook as a grid of its text cells, and of the numbers, dates and results of formulas between them. The
 * segments have the name of their sheet and cell.
 */
export default function SheetGrid(props: PreviewProps) {
  return (
    <PagedSegments {...props} label="documents.sheet">
      {(segments, language) => <Sheet {...props} cells={segments} language={language} />}
    </PagedSegments>
  );
}

/** Milliseconds after which the values of a sheet are read, so that they do not delay the editor. */
const valuesAfter = 1000;

/** A sheet with the values of its file, which follow the texts. */
function Sheet({ document, ...props }: PreviewProps & { cells: readonly Segment[]; language: string }) {
  const { cells, side, language } = props;
  const queries = useQueryClient();
  const [values, setValues] = useState(none);
  const place = cells.find(({ kind }) => kind === 'cell')?.place ?? '';
  const sheet = place.slice(0, place.lastIndexOf('!'));
  useEffect(() => {
    if (document.source_format !== 'xlsx' || sheet === '') return;
    let isLate = false;
    const read = async () => {
      const [{ readValues }, { fileQuery }] = await Promise.all([
        import('./sheet-values.ts'),
        import('./use-file.ts'),
      ]);
      const { bytes } = await queries.fetchQuery(fileQuery(document, side));
      return readValues(bytes, sheet, language);
    };
    const timer = setTimeout(() => {
      // The texts are complete without values, such as of a file that cannot be read here.
      void read().then(
        (found) => isLate || setValues(found),
        () => isLate || setValues(none),
      );
    }, valuesAfter);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [queries, document, side, sheet, language]);
  return <Grid {...props} values={values} />;
}

const none: readonly SheetValue[] = [];

interface GridProps {
  cells: readonly Segment[];
  values: readonly SheetValue[];
  language: string;
  side: PreviewProps['side'];
  current: number | null;
  onOpen: (position: number) => void;
}

/** Shows cells at their places in the sheet, without the rows and columns that contain no text. */
function Grid({ cells, values, language, side, current, onOpen }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked cell is another one when these change
  useEffect(() => {
    grid.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, cells]);
  const { columns, rows, placed, others } = useMemo(() => layOut(cells, values), [cells, values]);
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
      {others.map(({ value, gridRow, gridColumn }) => (
        <span key={value.cell} className={styles.value} style={{ gridRow, gridColumn }} translate="no">
          {value.text}
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
 * The columns and rows of the sheet that contain text or a value, and the places of the cells. The second paragraph of a cell is in a
 * row below, whose number is not a whole one. Texts of comments, shapes and charts follow below the cells.
 */
function layOut(
  segments: readonly Segment[],
  values: readonly SheetValue[],
): {
  columns: string[];
  rows: number[];
  placed: PlacedCell[];
  others: { value: SheetValue; gridRow: number; gridColumn: number }[];
} {
  const cells = segments.filter(({ kind }) => kind === 'cell');
  const others = segments.filter(({ kind }) => kind !== 'cell');
  const paragraphs = new Map<string | null, number>();
  const places = cells.map(({ cell_id }) => {
    const { column, row } = placeOf(cell_id ?? '');
    const paragraph = paragraphs.get(cell_id) ?? 0;
    paragraphs.set(cell_id, paragraph + 1);
    return { column, row: row + paragraph / 1_000 };
  });
  // A page of a long sheet has the values of its rows.
  const [first, last] = [
    Math.min(...places.map(({ row }) => row)),
    Math.max(...places.map(({ row }) => row)),
  ];
  const texts = new Set(cells.map(({ cell_id }) => cell_id));
  const numbers = values
    .map((value) => ({ value, ...placeOf(value.cell) }))
    .filter(({ value, row }) => row >= first - 1 && row <= last + 1 && !texts.has(value.cell));
  const all = [...places, ...numbers];
  const rows = [...new Set(all.map(({ row }) => row))].toSorted((a, b) => a - b);
  const columns = [...new Set(all.map(({ column }) => column))].toSorted(
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
  return {
    columns,
    rows,
    placed: [...placed, ...below],
    others: numbers.map(({ value, row, column }) => ({
      value,
      gridRow: rowOf.get(row) as number,
      gridColumn: columnOf.get(column) as number,
    })),
  };
}

/** Splits a cell reference such as B7 into column and row. */
function placeOf(reference: string): { column: string; row: number } {
  const [, column = 'A', row = '1'] = /^([A-Z]+)(\d+)$/.exec(reference) ?? [];
  return { column, row: Number(row) };
}
