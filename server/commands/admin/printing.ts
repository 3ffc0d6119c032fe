import type { TenantAccount } from '#server/identity/tenants/schema.ts';

/** Characters that control a terminal, break a line or change the reading direction, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Escapes text from callers, such as names and email addresses, so that it cannot imitate another line or control the
 * terminal. The escapes are those of JSON, so escaped JSON keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns one line with columns that are separated by tabs. */
export function columns(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => printable(String(value))).join('\t');
}

export function jsonLine(value: object): string {
  return printable(JSON.stringify(value));
}

export const named = ({ id, name }: TenantAccount) => `${printable(JSON.stringify(name))} (${id})`;

/** Returns a warning line if the tenant is deactivated. */
export function inactiveNote(account: TenantAccount): string[] {
  if (account.active) return [];
  return [
    `${named(account)} is deactivated: its members cannot sign in until you run reactivate-tenant ${account.id}.`,
  ];
}

/** The number of columns of a terminal that a text fills: East Asian wide characters fill two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1;
  return width;
}

/**
 * Returns the lines of a table for a terminal: a line of titles, then the rows. Columns are aligned; those with only
 * numbers and their units, at the right.
 */
export function table(titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const cells = [titles, ...rows].map((row) => row.map((cell) => printable(String(cell))));
  const isNumeric = titles.map((_, column) =>
    rows.every(
      (row) =>
        typeof row[column] === 'number' ||
        /^([\d.,]+( ?[kMGT]?B| ?[a-z]{1,3})?|-)$/.test(String(row[column])),
    ),
  );
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => {
        const pad = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
        return isNumeric[column] ? pad + cell : cell + pad;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Returns lines with a name and a value each, with the values aligned. */
export function facts(values: readonly (readonly [name: string, value: string | number])[]): string[] {
  const width = Math.max(...values.map(([name]) => name.length));
  return values.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Returns a size in powers of 1000, such as `1.5 MB`. */
export function byteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Math.round((bytes / 1000 ** power) * 10) / 10} ${units[power]}`;
}

/** Returns a duration in its largest fitting unit, such as `90 s`, `5 min` or `3 days`. */
export function timeSpan(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
