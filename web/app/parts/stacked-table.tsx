import type { ReactNode } from 'react';

/**
 * A table with a row of headings. On narrow screens, each row becomes a block; its cells show their `data-label`.
 * @param actions the name of a last column with buttons, for screen readers only; without it, there is no such column
 * @param children the rows
 */
export function StackedTable({
  columns,
  actions,
  className = '',
  children,
}: {
  columns: readonly string[];
  actions?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className="table-scroll">
      <table className={`stacked ${className}`.trim()}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col">
                <span className="visually-hidden">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
