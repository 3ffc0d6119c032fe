/** Where units lead from nodes: one table with open addressing, for alphabets run from 30 letters to thousands of ideographs. */
export interface TrieEdges {
  parents: Int32Array;
  children: Int32Array;
  /** By node, the unit that leads to it. */
  units: Uint16Array;
  /** Bits of a hash that number no slot. */
  shift: number;
}

/** The units of patterns as paths from a root, which is node 0. */
export class Trie {
  nodes = 1;
  /** By node: its first child and its next sibling, 0 for none. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** By node, 1 and the number of the pattern that ends there; 0 for none. */
  readonly terminal: Int32Array;
  readonly edges: TrieEdges;

  /** @param patterns not empty, each once */
  constructor(patterns: readonly Uint16Array[]) {
    const most = 1 + patterns.reduce((sum, { length }) => sum + length, 0);
    const bits = Math.ceil(Math.log2(2 * most));
    this.edges = {
      parents: new Int32Array(2 ** bits),
      children: new Int32Array(2 ** bits),
      units: new Uint16Array(most),
      shift: 32 - bits,
    };
    this.firstChild = new Int32Array(most);
    this.nextSibling = new Int32Array(most);
    this.terminal = new Int32Array(most);
    for (const [number, pattern] of patterns.entries()) this.terminal[this.#add(pattern)] = number + 1;
  }

  /** Where `unit` leads from a node; 0 where nowhere. */
  child(node: number, unit: number): number {
    return childOf(this.edges, node, unit);
  }

  #add(pattern: Uint16Array): number {
    const { parents, children, units } = this.edges;
    let node = 0;
    for (const unit of pattern) {
      const slot = slotOf(this.edges, node, unit);
      if (children[slot] === 0) {
        const child = this.nodes++;
        parents[slot] = node;
        children[slot] = child;
        units[child] = unit;
        this.nextSibling[child] = this.firstChild[node]!;
        this.firstChild[node] = child;
      }
      node = children[slot]!;
    }
    return node;
  }
}

/** Where `unit` leads from a node; 0 where nowhere. */
export function childOf(edges: TrieEdges, node: number, unit: number): number {
  return edges.children[slotOf(edges, node, unit)]!;
}

/** The slot of an edge, or the free one where it belongs. */
function slotOf({ parents, children, units, shift }: TrieEdges, parent: number, unit: number): number {
  const mask = children.length - 1;
  let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> shift;
  for (let child = children[slot]!; child !== 0; child = children[slot]!) {
    if (parents[slot] === parent && units[child] === unit) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}
