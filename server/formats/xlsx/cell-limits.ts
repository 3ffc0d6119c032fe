import type { XmlStartTag } from '../office/xml-reader.ts';
import { type CellPosition, type CellRange, readRange } from './cell-reference.ts';

/** The maximum number of ranges with a limit that are known of a sheet. */
const maxRanges = 1_000;

/** The longest texts that the data validations of a sheet accept in its cells. */
export class CellLimits {
  readonly #ranges: (CellRange & { most: number })[] = [];
  #rule: { type: string; operator: string; ranges: string; values: string[] } | undefined;
  #value = 0;

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  open({ local, attributes }: XmlStartTag): void {
    if (local === 'dataValidation') {
      const { type = '', operator = 'between', sqref: ranges = '' } = attributes;
      this.#rule = { type, operator, ranges, values: [] };
    } else if (local === 'formula1' || local === 'formula2') this.#value = local === 'formula1' ? 0 : 1;
  }

  /** @param text the text of the element. Newer files have formulas and ranges in child elements */
  close(local: string, text: string): void {
    const rule = this.#rule;
    if (!rule) return;
    if (local === 'f' || /^formula[12]$/.test(local)) rule.values[this.#value] = text;
    else if (local === 'sqref') rule.ranges = text;
    else if (local === 'dataValidation') {
      this.#rule = undefined;
      const most = mostOf(rule);
      if (most === undefined) return;
      for (const range of rule.ranges.trim().split(/\s+/))
        if (range !== '' && this.#ranges.length < maxRanges) this.#ranges.push({ ...readRange(range), most });
    }
  }

  /** Returns the largest number of characters that a cell accepts; undefined if it has no limit. */
  of({ row, column }: CellPosition): number | undefined {
    const own = this.#ranges.filter(
      ({ top, bottom, left, right }) => top <= row && row <= bottom && left <= column && column <= right,
    );
    return own.length === 0 ? undefined : Math.min(...own.map(({ most }) => most));
  }
}

/** Returns the limit of a rule about the length of a text; undefined if it has none, or if it is in a cell. */
function mostOf({
  type,
  operator,
  values,
}: {
  type: string;
  operator: string;
  values: string[];
}): number | undefined {
  const [first = '', second = ''] = values.map((value) => value.trim());
  if (type === 'custom') {
    const [, sign, most] = /^=?LEN\(\$?[A-Z]{1,3}\$?\d+\)\s*(<=?)\s*(\d+)$/i.exec(first) ?? [];
    return limitOf(most ?? '', sign === '<');
  }
  if (type !== 'textLength') return undefined;
  if (operator === 'between') return limitOf(second, false);
  if (operator === 'lessThan') return limitOf(first, true);
  return operator === 'lessThanOrEqual' || operator === 'equal' ? limitOf(first, false) : undefined;
}

function limitOf(value: string, isBelow: boolean): number | undefined {
  const most = /^\d+(?:\.0*)?$/.test(value) ? Number(value) - (isBelow ? 1 : 0) : 0;
  return most > 0 ? most : undefined;
}
