import type { Finding } from '../document.ts';
import { FileError } from '../file-error.ts';
import { clip } from '../text.ts';
import { lastColumn, writeReference } from './cell-reference.ts';

/** Columns of sheets that a request leaves out. */
export class LeftOutColumns {
  readonly #columns: readonly { sheet: string | undefined; column: number }[];

  /**
   * @param names columns such as `A`, or `Labels!A` for one sheet
   * @throws {FileError} `selection` if a name is not a column
   */
  constructor(names: readonly string[] = []) {
    this.#columns = names.map((name) => {
      const [, sheet, letters = ''] = /^(?:(.*)!)?\$?([A-Za-z]{1,3})$/s.exec(name.trim()) ?? [];
      if (letters === '') throw new FileError('selection', `exclude_columns: "${name}" is not a column`);
      const column = numberOf(letters);
      if (column > lastColumn) throw new FileError('selection', `exclude_columns: "${name}" is not a column`);
      return { sheet: sheet?.replace(/^'(.*)'$/s, '$1'), column };
    });
  }

  has(sheet: string, column: number): boolean {
    return this.#columns.some(
      (one) => one.column === column && (one.sheet === undefined || one.sheet === sheet),
    );
  }
}

function numberOf(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0);
}

/** Keys and codes of programs: `btn.start`, `MAX_SIZE`, `maxSize`, `AB-1204`, `door_7`. A single word does not count. */
const key = /^(?:[\p{L}\d-]+(?:[._:][\p{L}\d-]+)+|\p{Ll}+(?:\p{Lu}[\p{Ll}\d]+)+|\p{L}{1,6}-?\d[\p{L}\d-]*)$/u;

/** The smallest number of keys in a column that is proposed, and their smallest share of its texts. */
const [leastKeys, leastShare] = [3, 0.8];

/** A column that looks like keys. */
export interface KeyColumn {
  /** The name with its sheet: `Labels!A`. */
  name: string;
  /** Some of its keys. */
  keys: readonly string[];
}

export function keyColumnFinding({ name, keys }: KeyColumn): Finding {
  const named = keys.map((one) => `"${clip(one, 40)}"`).join(', ');
  const message = `the texts of ${name} look like keys (${named}); add the column to \`exclude_columns\` to keep them`;
  return { severity: 'info', code: 'columns_of_keys', message, unitId: null };
}

/** Finds the columns of a sheet that look like keys. */
export class KeyColumns {
  readonly #columns = new Map<number, { texts: number; keys: string[]; count: number }>();

  /** Adds a text of a column, from the top. The first one is a header. */
  add(column: number, text: string): void {
    const known = this.#columns.get(column);
    if (!known) {
      this.#columns.set(column, { texts: 0, keys: [], count: 0 });
      return;
    }
    known.texts++;
    if (text.length > 200 || !key.test(text.trim())) return;
    known.count++;
    if (known.keys.length < 3) known.keys.push(text.trim());
  }

  /** Returns the columns that look like keys, each with some of them. A sheet that has only keys has none. */
  found(sheet: string): KeyColumn[] {
    const all = [...this.#columns].map(([column, { texts, keys, count }]) => ({
      ...{ name: `${sheet}!${writeReference({ row: 1, column }).slice(0, -1)}`, keys },
      isKeys: count >= leastKeys && count >= leastShare * texts,
      hasTexts: texts > 0,
    }));
    return all.some(({ isKeys, hasTexts }) => !isKeys && hasTexts) ? all.filter(({ isKeys }) => isKeys) : [];
  }
}
