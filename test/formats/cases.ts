import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Reads the tables of a file in cases/, which shows documents as they are. */
const read = (file: string) =>
  parse(readFileSync(join(import.meta.dirname, 'cases', file), 'utf8')) as Record<
    string,
    (object | string)[]
  >;

function rowsOf(file: string, table: string): (object | string)[] {
  const rows = read(file)[table];
  if (!rows) throw new Error(`cases/${file} has no table “${table}”`);
  return rows;
}

/** A table for `it.each`. A row is a list of values, or a map whose values are in the order of the test's parameters. */
export function casesOf<Row extends unknown[]>(file: string, table: string): Row[] {
  return rowsOf(file, table).map((row) => Object.values(row) as Row);
}

/** A list of texts. */
export function listOf(file: string, list: string): string[] {
  return rowsOf(file, list) as string[];
}
