import type { SegmentTranslation } from '../document.ts';
import { plainText } from '../inline-content.ts';
import { type CellPosition, writeReference } from './cell-reference.ts';
import { cutToLimit, splitText } from './cell-text.ts';
import type { Sheet } from './workbook.ts';

interface Target {
  text: string;
  isUsed: boolean;
}

/** The translations of a workbook, by sheet and cell. */
export class CellTargets {
  readonly #sheets = new Map<string, Map<string, Target>>();

  constructor(translations: readonly SegmentTranslation[]) {
    for (const { regionId, cellId, target } of translations) {
      const cells = this.#sheets.get(regionId) ?? new Map<string, Target>();
      this.#sheets.set(regionId, cells);
      cells.set(cellId ?? '', { text: plainText(target), isUsed: false });
    }
  }

  /**
   * Returns the new text of a cell: the translation, with the white space that was around the old text. Returns the old
   * text if there is no translation, or if the translation equals the old text. `isCut` is true if the text was
   * truncated to Excel's maximum length.
   */
  textOf({ regionId }: Sheet, cell: CellPosition, old: string): { text: string; isCut: boolean } {
    const target = this.#sheets.get(regionId)?.get(writeReference(cell));
    if (!target) return { text: old, isCut: false };
    target.isUsed = true;
    const { before, source, after } = splitText(old);
    // The source has normalized line breaks. A different line break character in the old text is not a reason to change
    // the cell.
    if (target.text === source) return { text: old, isCut: false };
    const text = before + target.text + after;
    const cut = cutToLimit(text);
    return { text: cut, isCut: cut !== text };
  }

  /** Returns the new text of a text that is not in a cell, like `textOf`; undefined if it does not change. */
  partTextOf(regionId: string, key: string, old: string): string | undefined {
    const target = this.#sheets.get(regionId)?.get(key);
    if (!target) return undefined;
    target.isUsed = true;
    const { before, source, after } = splitText(old);
    return target.text === source ? undefined : before + target.text + after;
  }

  /** @throws {RangeError} if a translation belongs to no cell that was read */
  requireAllUsed(): void {
    for (const [regionId, cells] of this.#sheets)
      for (const [cellId, { isUsed }] of cells)
        if (!isUsed) throw new RangeError(`the workbook has no segment ${regionId} ${cellId}`);
  }
}
