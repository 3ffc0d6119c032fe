/** The units of patterns as paths from a root, which is node 0. */
export class Trie {
  nodes = 1;
  /** By node: the unit that leads to it, its first child and its next sibling, 0 for none. */
  readonly unit: Uint16Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** By node, 1 and the number of the pattern that ends there; 0 for none. */
  readonly terminal: Int32Array;

  /** Edges are one table with open addressing: alphabets run from 30 letters to thousands of ideographs. */
  readonly #parents: Int32Array;
  readonly #children: Int32Array;
  readonly #shift: number;

  /** @param patterns not empty, each once */
  constructor(patterns: readonly Uint16Array[]) {
    const most = 1 + patterns.reduce((sum, { length }) => sum + length, 0);
    const bits = Math.ceil(Math.log2(2 * most));
    this.#shift = 32 - bits;
    this.#parents = new Int32Array(2 ** bits);
    this.#children = new Int32Array(2 ** bits);
    this.unit = new Uint16Array(most);
    this.firstChild = new Int32Array(most);
    this.nextSibling = new Int32Array(most);
    this.terminal = new Int32Array(most);
    for (const [number, pattern] of patterns.entries()) this.terminal[this.#add(pattern)] = number + 1;
  }

  /** Where `unit` leads from a node; 0 where nowhere. */
  child(node: number, unit: number): number {
    return this.#children[this.#slot(node, unit)]!;
  }

  #add(pattern: Uint16Array): number {
    let node = 0;
    for (const unit of pattern) {
      const slot = this.#slot(node, unit);
      if (this.#children[slot] === 0) {
        const child = this.nodes++;
        this.#parents[slot] = node;
        this.#children[slot] = child;
        this.unit[child] = unit;
        this.nextSibling[child] = this.firstChild[node]!;
        this.firstChild[node] = child;
      }
      node = this.#children[slot]!;
    }
    return node;
  }

  /** The slot of an edge, or the free one where it belongs. */
  #slot(parent: number, unit: number): number {
    const mask = this.#children.length - 1;
    let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> this.#shift;
    for (let child = this.#children[slot]!; child !== 0; child = this.#children[slot]!) {
      if (this.#parents[slot] === parent && this.unit[child] === unit) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
