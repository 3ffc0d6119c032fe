/** A reference to another workbook, or to cells that do not exist. `[0]` is the workbook with the chart. */
const outside = /\[(?!0\])|#REF!/;
const references: ReadonlySet<string> = new Set(['strRef', 'multiLvlStrRef', 'txData']);
const copies: ReadonlySet<string> = new Set(['strCache', 'multiLvlStrCache']);

/**
 * Follows the elements of a chart, and finds its own names of series, categories and trendlines. Excel copies all other
 * names from the cells of the workbook when it opens the file.
 */
export class ChartNames {
  readonly #open: string[] = [];
  /** The formula of the last reference; undefined if it has none. */
  #formula: string | undefined;

  /** Returns whether the opened element contains one of these names. */
  openTag(local: string): boolean {
    const parent = this.#open.at(-1);
    this.#open.push(local);
    if (references.has(local)) this.#formula = undefined;
    else if (local === 'f') this.#formula = '';
    if (local === 'name') return parent === 'trendline';
    if (local !== 'v') return false;
    if (parent === 'tx' || this.#open.includes('strLit')) return true;
    if (parent === 'txData') return this.#formula === undefined;
    return outside.test(this.#formula ?? '') && this.#open.some((one) => copies.has(one));
  }

  text(text: string): void {
    if (this.#open.at(-1) === 'f') this.#formula += text;
  }

  closeTag(): void {
    this.#open.pop();
  }
}
