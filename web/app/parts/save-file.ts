/**
 * Saves a file whose content is complete or a stream. The browser collects the received data outside of the page's
 * memory (large data on disk), and starts the download when all data has arrived: an incomplete file is never saved.
 * @throws the error of the stream
 */
export async function saveFile({ fileName, body }: { fileName: string; body: BodyInit }): Promise<void> {
  const address = URL.createObjectURL(await new Response(body).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Most browsers start the download before the next task, but some start it later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

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
