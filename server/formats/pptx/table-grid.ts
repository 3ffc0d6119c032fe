import type { XmlStartTag } from '../office/xml-reader.ts';
import type { Frame } from './shapes.ts';

/** Finds the places of a table's cells on the slide. Rows may be higher than the file states. */
export class TableGrid {
  readonly #table: Frame;
  readonly #columns: number[] = [];
  #column = 0;
  #top = 0;
  #height = 0;
  #cell: Frame | undefined;

  constructor(table: Frame) {
    this.#table = table;
  }

  /** The open cell, in the units of the table. */
  get cell(): Frame | undefined {
    return this.#cell;
  }

  open({ local, attributes }: XmlStartTag): void {
    const sizeOf = (name: string): number => Number(attributes[name]) || 0;
    if (local === 'gridCol') this.#columns.push(sizeOf('w'));
    else if (local === 'tr') {
      this.#top += this.#height;
      this.#height = sizeOf('h');
      this.#column = 0;
    } else if (local === 'tc') {
      const end = this.#column + Math.max(1, Math.min(sizeOf('gridSpan'), this.#columns.length));
      const width = (columns: number[]): number => columns.reduce((sum, one) => sum + one, 0);
      this.#cell = {
        x: this.#table.x + width(this.#columns.slice(0, this.#column)),
        y: this.#table.y + this.#top,
        width: width(this.#columns.slice(this.#column, end)),
        height: this.#height,
      };
      // The cells that a wider one covers follow it as empty cells.
      this.#column++;
    }
  }
}
