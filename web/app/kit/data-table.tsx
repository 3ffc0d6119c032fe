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
  /** Whether the column is left out in a narrow window. */
  isWideOnly?: boolean;
  /** Shown instead of the title, which then only names the column in the code. */
  head?: ReactNode;
  /** Whether the cells are figures, which end below each other. */
  isNumeric?: boolean;
  /** The least width in a wide window, in rem. */
  least?: number;
}

/** Rows below a heading. */
export interface RowGroup<Row> {
  key: string;
  head: ReactNode;
  rows: readonly Row[];
}

/**
 * A table with a row of headings. On narrow screens, each row becomes a block in which each cell has its heading.
 * @param groups groups of rows, instead of `rows`
 * @param actions the buttons of a row, in a last column whose name only screen readers read
 */
export function DataTable<Row>({
  columns,
  rows = [],
  groups = [{ key: '', head: undefined, rows }],
  keyOf,
  actions,
  caption,
  isDense = false,
  isChosen,
}: {
  columns: readonly Column<Row>[];
  rows?: readonly Row[];
  groups?: readonly RowGroup<Row>[];
  keyOf: (row: Row) => string;
  actions?: { title: string; cell: (row: Row) => ReactNode } | undefined;
  /** The name of the table, for screen readers. */
  caption?: string;
  /** Whether the table has more columns than fit into most windows. */
  isDense?: boolean;
  /** Whether a row is selected. */
  isChosen?: (row: Row) => boolean;
}) {
  const width = columns.length + (actions ? 1 : 0);
  return (
    // A scrolling area must be reachable with the keyboard.
    <div className="table-scroll" {...(isDense && { tabIndex: 0, role: 'region', 'aria-label': caption })}>
      <table className={`stacked ${styles['table']}`} aria-label={caption} data-dense={isDense || undefined}>
        <thead>
          <tr>
            {columns.map(({ title, head, least, isNumeric, isWideOnly }) => (
              <th
                key={title}
                scope="col"
                className={isNumeric ? styles['figure'] : undefined}
                data-wide={isWideOnly}
                style={{ minInlineSize: least && `${least}rem` }}
              >
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
        {groups.map((group) => (
          <tbody key={group.key}>
            {group.head && (
              <tr data-group>
                <th scope="rowgroup" colSpan={width}>
                  {group.head}
                </th>
              </tr>
            )}
            {group.rows.map((row) => (
              <tr key={keyOf(row)} data-chosen={isChosen?.(row) || undefined}>
                {columns.map(({ title, head, cell, isName, isNumeric, isWideOnly, wraps }) =>
                  isName ? (
                    <th key={title} scope="row" className="plain-cell">
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      key={title}
                      data-label={head ? undefined : title}
                      data-wide={isWideOnly}
                      className={isNumeric ? styles['figure'] : wraps ? undefined : styles['whole']}
                    >
                      {cell(row)}
                    </td>
                  ),
                )}
                {actions && <td className={styles['acts']}>{actions.cell(row)}</td>}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** Moves the focus from an element that an action removes to the next control, or else to the one before it. */
export function leaveFocus(removed: Element | null, wanted = 'main :is(a[href], button:enabled)'): void {
  const all = [...document.querySelectorAll<HTMLElement>(wanted)].filter((one) => !removed?.contains(one));
  const isNext = (one: Element) => removed?.compareDocumentPosition(one) === Node.DOCUMENT_POSITION_FOLLOWING;
  (all.find(isNext) ?? all.at(-1) ?? document.querySelector<HTMLElement>('main'))?.focus();
}
