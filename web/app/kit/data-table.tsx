import type { ReactNode } from 'react';
import styles from './data-table.module.css';

/** A column of a table. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Whether the cell names its row, for screen readers. */
  isName?: boolean;
  /** Whether the cell's text may be broken: that of other cells is kept in a line in a wide window. */
  wraps?: boolean;
  /** Shown instead of the title, which then only names the column in the code. */
  head?: ReactNode;
  /** The least width in a wide window, in rem. */
  least?: number;
}

/**
 * A table with a row of headings. On narrow screens, each row becomes a block in which each cell has its heading.
 * @param actions the buttons of a row, in a last column whose name only screen readers read
 */
export function DataTable<Row>({
  columns,
  rows,
  keyOf,
  actions,
  caption,
  isChosen,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  actions?: { title: string; cell: (row: Row) => ReactNode } | undefined;
  /** The name of the table, for screen readers. */
  caption?: string;
  /** Whether a row is selected. */
  isChosen?: (row: Row) => boolean;
}) {
  return (
    <div className="table-scroll">
      <table className={`stacked ${styles['table']}`} aria-label={caption}>
        <thead>
          <tr>
            {columns.map(({ title, head, least }) => (
              <th key={title} scope="col" style={{ minInlineSize: least && `${least}rem` }}>
                {head ?? title}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span className="visually-hidden">{actions.title}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-chosen={isChosen?.(row) || undefined}>
              {columns.map(({ title, head, cell, isName, wraps }) =>
                isName ? (
                  <th key={title} scope="row" className="plain-cell">
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={title}
                    data-label={head ? undefined : title}
                    className={wraps ? undefined : styles['whole']}
                  >
                    {cell(row)}
                  </td>
                ),
              )}
              {actions && <td className={styles['acts']}>{actions.cell(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
