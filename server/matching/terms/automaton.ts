/**
 * The edges of a trie as one hash table with open addressing. The number of children of a node can vary widely, because
 * alphabets range from 30 letters to thousands of ideographs.
 */
interface TrieEdges {
  parents: Int32Array;
  children: Int32Array;
  /** For each node, the unit on the edge from its parent to the node. */
  units: Uint16Array;
  /** The number of low bits of a hash that are dropped. The remaining bits are the number of a slot. */
  shift: number;
}

/** A trie of patterns. The units of a pattern are a path from the root, which is node 0. */
export class Trie {
  nodes = 1;
  /** For each node, its first child and its next sibling; 0 if missing. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** For each node, 1 plus the number of the pattern that ends at the node; 0 if no pattern ends there. */
  readonly terminal: Int32Array;
  readonly edges: TrieEdges;

  /** @param patterns the patterns; none may be empty, and none may occur twice */
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

  /** Returns the child of a node that is reached by `unit`; 0 if missing. */
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

/** Returns the child of a node that is reached by `unit`; 0 if missing. */
function childOf(edges: TrieEdges, node: number, unit: number): number {
  return edges.children[slotOf(edges, node, unit)]!;
}

/** Returns the slot of an edge. If the edge does not exist, returns the free slot for it. */
function slotOf({ parents, children, units, shift }: TrieEdges, parent: number, unit: number): number {
  const mask = children.length - 1;
  let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ unit, 0x85ebca6b) >>> shift;
  for (let child = children[slot]!; child !== 0; child = children[slot]!) {
    if (parents[slot] === parent && units[child] === unit) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

/**
 * The tables of an automaton as plain data, which can be passed to another thread. All arrays except `first` are
 * indexed by node.
 */
export interface AutomatonTables {
  edges: TrieEdges;
  /**
   * The children of the root, indexed by unit. They are in a separate array, because most units of a text are read at
   * the root.
   */
  first: Int32Array;
  /** The node of the longest proper suffix of the node's path that is also a path in the trie. */
  fail: Int32Array;
  /** The nearest node along the `fail` links at which a pattern ends; 0 if missing. */
  suffix: Int32Array;
  /** 1 plus the number of the pattern that ends at the node; 0 if no pattern ends there. */
  terminal: Int32Array;
}

/** @param patterns the patterns; none may be empty, and none may occur twice */
export function buildAutomaton(patterns: readonly Uint16Array[]): AutomatonTables {
  const trie = new Trie(patterns);
  const { nodes, edges, firstChild, nextSibling } = trie;
  const terminal = trie.terminal.slice(0, nodes);
  const first = new Int32Array(0x10000);
  const fail = new Int32Array(nodes);
  const suffix = new Int32Array(nodes);
  for (let child = firstChild[0]!; child !== 0; child = nextSibling[child]!)
    first[edges.units[child]!] = child;
  const tables = { edges, first, fail, suffix, terminal };
  const automaton = new Automaton(tables);
  // The nodes are visited breadth first, because the suffix of a path is shorter than the path.
  const queue = new Int32Array(nodes);
  let queued = 1;
  for (let head = 0; head < queued; head++) {
    const node = queue[head]!;
    for (let child = firstChild[node]!; child !== 0; child = nextSibling[child]!) {
      const shorter = node === 0 ? 0 : automaton.next(fail[node]!, edges.units[child]!);
      fail[child] = shorter;
      suffix[child] = terminal[shorter] === 0 ? suffix[shorter]! : shorter;
      queue[queued++] = child;
    }
  }
  return tables;
}

/**
 * An automaton that finds all patterns in one pass over a text (Aho and Corasick, 1975). It consists of a trie of the
 * patterns' units. In addition, each node has a link to the node of the longest proper suffix of its path that is also
 * in the trie. Reading a text takes time linear in its length.
 */
export class Automaton {
  readonly #edges: TrieEdges;
  readonly #first: Int32Array;
  readonly #fail: Int32Array;
  readonly #suffix: Int32Array;
  readonly #terminal: Int32Array;

  constructor({ edges, first, fail, suffix, terminal }: AutomatonTables) {
    this.#edges = edges;
    this.#first = first;
    this.#fail = fail;
    this.#suffix = suffix;
    this.#terminal = terminal;
  }

  /** Returns the node that follows `node` when `unit` is read; 0 is the root. */
  next(node: number, unit: number): number {
    for (let from = node; from !== 0; from = this.#fail[from]!) {
      const to = childOf(this.#edges, from, unit);
      if (to !== 0) return to;
    }
    return this.#first[unit]!;
  }

  /**
   * Returns the node of the longest pattern that ends at the current position of the text, or 0. `node` is the
   * automaton's node at this position. `shorter` returns the node of the next shorter pattern.
   */
  longest(node: number): number {
    return this.#terminal[node] === 0 ? this.#suffix[node]! : node;
  }

  shorter(node: number): number {
    return this.#suffix[node]!;
  }

  /** Returns the number of the pattern that ends at a node. The node must come from `longest` or `shorter`. */
  pattern(node: number): number {
    return this.#terminal[node]! - 1;
  }
}
