import type { SharedStrings } from './shared-strings.ts';

/** Cells that refer to the same entry and get the same new text. */
interface Group {
  text: string;
  /** The numbers of the sheets with such cells, without duplicates. */
  sheets: number[];
}

interface Entry {
  /** The group of an entry that has only one. An entry with several groups has a map of them by text instead. */
  only: Group | undefined;
  groups: Map<string, Group> | undefined;
}

/** A new entry at the end of the table: a text, or a copy of an old entry with its formatting. */
type Appended = { text: string } | { copyOf: number };

/**
 * Plans the changes of each entry of the shared strings. If all cells of an entry get the same text, the entry is
 * changed at its index. Otherwise one of the texts gets this index, and the cells with other texts refer to new
 * entries. Call `use` for every cell, in the order of the sheets, then call `decide`.
 */
export class SharedStringPlan {
  /** The new texts of the entries that are changed at their index. */
  readonly changed = new Map<number, string>();
  readonly appended: Appended[] = [];
  /** The numbers of the sheets in which cells must refer to new entries. */
  readonly repointedSheets = new Set<number>();
  readonly #strings: SharedStrings;
  readonly #entries = new Map<number, Entry>();
  /**
   * For each entry, 1 if it must keep its text, because a cell that must not change displays it.
   */
  readonly #pinned: Uint8Array;
  /** For entries with several texts: the indexes of the new entries, by text. */
  readonly #moved = new Map<number, Map<string, number>>();
  readonly #appendedTexts = new Map<string, number>();

  constructor(strings: SharedStrings) {
    this.#strings = strings;
    this.#pinned = new Uint8Array(strings.count);
  }

  /** Records that a cell of the sheet gets this text. For a cell that does not change, pass its current text. */
  use(index: number, text: string, sheet: number): void {
    const entry = this.#entries.get(index);
    if (!entry) {
      this.#entries.set(index, { only: { text, sheets: [sheet] }, groups: undefined });
      return;
    }
    if (entry.only && entry.only.text !== text) {
      entry.groups = new Map([[entry.only.text, entry.only]]);
      entry.only = undefined;
    }
    const group = entry.only ?? entry.groups!.get(text);
    if (!group) entry.groups!.set(text, { text, sheets: [sheet] });
    else if (group.sheets.at(-1) !== sheet) group.sheets.push(sheet);
  }

  /** Records that a cell that must not change displays the entry: one with a formula, or of a sheet that is not selected. */
  pin(index: number): void {
    this.#pinned[index] = 1;
  }

  /**
   * Decides which text gets the index of each entry: the text for which the fewest additional sheets must change.
   *
   * @param changedSheets the numbers of the sheets that change for another reason
   */
  decide(changedSheets: ReadonlySet<number>): void {
    const changed = new Set(changedSheets);
    const open: [index: number, groups: Group[]][] = [];
    for (const [index, { only, groups }] of this.#entries) {
      const isPinned = this.#pinned[index] === 1;
      const all = only ? [only] : [...groups!.values()];
      if (isPinned) this.#resolve(index, this.#strings.textOf(index), all, changed);
      else if (only) this.#resolve(index, only.text, all, changed);
      else open.push([index, all]);
    }
    for (const [index, groups] of open) this.#resolve(index, cheapest(groups, changed), groups, changed);
  }

  #resolve(index: number, staying: string, groups: readonly Group[], changed: Set<number>): void {
    const original = this.#strings.textOf(index);
    if (staying !== original) this.changed.set(index, staying);
    for (const { text, sheets } of groups) {
      if (text === staying) continue;
      const moved = this.#moved.get(index) ?? new Map<string, number>();
      this.#moved.set(index, moved);
      moved.set(text, text === original ? this.#append({ copyOf: index }) : this.#appendText(text));
      for (const sheet of sheets) {
        changed.add(sheet);
        this.repointedSheets.add(sheet);
      }
    }
  }

  #append(appended: Appended): number {
    this.appended.push(appended);
    return this.#strings.count + this.appended.length - 1;
  }

  #appendText(text: string): number {
    const known = this.#appendedTexts.get(text);
    if (known !== undefined) return known;
    const index = this.#append({ text });
    this.#appendedTexts.set(text, index);
    return index;
  }

  /** Returns the new index for a cell with this old index and this new text. Call it after `decide`. */
  indexOf(index: number, text: string): number {
    return this.#moved.get(index)?.get(text) ?? index;
  }
}

/**
 * Returns the text that should get the entry's index, such that the fewest additional sheets must change. If several
 * texts are equally good, returns the first one.
 */
function cheapest(groups: readonly Group[], changed: ReadonlySet<number>): string {
  // For each unchanged sheet, the number of groups with cells in it. If the number is 1 and the text of this group gets
  // the index, the sheet need not change.
  const uses = new Map<number, number>();
  for (const { sheets } of groups)
    for (const sheet of sheets) if (!changed.has(sheet)) uses.set(sheet, (uses.get(sheet) ?? 0) + 1);
  let best = groups[0]!;
  let maxSpared = -1;
  for (const group of groups) {
    let spared = 0;
    for (const sheet of group.sheets) if (uses.get(sheet) === 1) spared++;
    if (spared <= maxSpared) continue;
    best = group;
    maxSpared = spared;
  }
  return best.text;
}
