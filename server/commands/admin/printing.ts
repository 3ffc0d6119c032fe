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

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the output of a command as JSON: one object, or one in each line. */
export function inJson(output: object): string[] {
  return (Array.isArray(output) ? output : [output]).map((value) => printable(JSON.stringify(value)));
}

/**
 * Returns the output of a command for a terminal: a table of a list; else a line for each value, then a table of each
 * list in it.
 * @param secret the field whose value is the last line
 */
export function inText(output: object, secret?: string): string[] {
  if (Array.isArray(output)) return output.length === 0 ? ['Nothing found.'] : table(output);
  const { facts, lists, last } = partsOf(output as Row, secret);
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  return [
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...lists.flatMap(([name, rows]) => ['', `${name}:`, ...table(rows)]),
    ...last,
  ];
}

/** Divides an object into single values, those of objects in it included, and lists of objects. */
function partsOf(output: Row, secret: string | undefined) {
  const facts: [string, string][] = [];
  const lists: [string, Row[]][] = [];
  const last: string[] = [];
  const add = (row: Row, prefix: string) => {
    for (const [name, value] of Object.entries(row)) {
      if (name === secret && typeof value === 'string') last.push(printable(value));
      else if (isRow(value)) add(value, `${prefix}${name}.`);
      else if (Array.isArray(value) && value.some(isRow)) lists.push([`${prefix}${name}`, value]);
      else if (value !== undefined) facts.push([`${prefix}${name}`, cell(name, value)]);
    }
  };
  add(output, '');
  return { facts, lists, last };
}

/** Returns a value as text. Sizes and durations, which the name of the field shows, have units. */
function cell(name: string, value: unknown): string {
  if (value === null || value === '') return '-';
  if (value === 0 && name === 'cap_bytes') return 'none';
  if (typeof value === 'number' && /(^|_)bytes(_|$)/.test(name)) return byteSize(value);
  if (typeof value === 'number' && name.endsWith('_seconds')) return timeSpan(value);
  if (Array.isArray(value) && value.some(isRow))
    return value
      .map((of: Row) => Object.values(of).map(String).join(' '))
      .map(printable)
      .join(', ');
  if (Array.isArray(value)) return value.length === 0 ? '-' : printable(value.join(', '));
  return printable(isRow(value) ? JSON.stringify(value) : String(value));
}

/** Returns aligned lines: the names of the fields, then the rows. Columns of numbers are aligned at the right. */
function table(rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => cell(name, row[name])))];
  const isNumeric = names.map((name) => rows.every((row) => typeof (row[name] ?? 0) === 'number'));
  const widths = names.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((text, column) => {
        const pad = ' '.repeat((widths[column] ?? 0) - widthOf(text));
        return isNumeric[column] ? pad + text : text + pad;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** The number of columns of a terminal that a text fills: East Asian wide characters fill two. */
function widthOf(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
  return [...text].length + (text.match(wide)?.length ?? 0);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Returns a size in powers of 1000, such as `1.5 MB`. */
function byteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Math.round((bytes / 1000 ** power) * 10) / 10} ${units[power]}`;
}

/** Returns a duration in its largest fitting unit, such as `0.42 s`, `90 s`, `5 min` or `3 days`. */
function timeSpan(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 100) / 100} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
