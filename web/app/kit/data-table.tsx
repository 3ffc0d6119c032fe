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
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  actions?: { title: string; cell: (row: Row) => ReactNode } | undefined;
  /** The name of the table, for screen readers. */
  caption?: string;
}) {
  return (
    <div className="table-scroll">
      <table className={`stacked ${styles['table']}`} aria-label={caption}>
        <thead>
          <tr>
            {columns.map(({ title, least }) => (
              <th key={title} scope="col" style={{ minInlineSize: least && `${least}rem` }}>
                {title}
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
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isName, wraps }) =>
                isName ? (
                  <th key={title} scope="row" className="plain-cell">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} data-label={title} className={wraps ? undefined : styles['whole']}>
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
