import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Reads a table of cases for `it.each` from cases/FILE, so that documents are shown as they are. A row is a list of values, or
 * a map whose values are in the order of the test's parameters.
 */
export function casesOf<Row extends unknown[]>(file: string, table: string): Row[] {
  const tables = parse(readFileSync(join(import.meta.dirname, 'cases', file), 'utf8')) as Record<
    string,
    object[]
  >;
  const rows = tables[table];
  if (!rows) throw new Error(`cases/${file} has no table “${table}”`);
  return rows.map((row) => Object.values(row) as Row);
}
