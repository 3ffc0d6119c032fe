/**
 * A table as CSV (RFC 4180).
 * @param rows the values of each row, in the order of the columns; null for an empty cell
 */
export function csvOf(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const lines = rows.map((row) => row.map(cellOf).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  // A spreadsheet would evaluate a text such as =a@example.org as a formula.
  const text = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
