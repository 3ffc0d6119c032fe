import { Trie } from './trie.ts';

/**
 * All patterns at once (Aho and Corasick, 1975): a trie of their units, and for each node where the longest proper
 * suffix of its path stands that the trie holds as well. Reading a text takes time linear in the text.
 */
export class Automaton {
  readonly #trie: Trie;
  /** The children of the root by unit: most of a text is read from there. */
  readonly #first = new Int32Array(0x10000);
  readonly #fail: Int32Array;
  /** The nearest node on the way of `fail` where a pattern ends. */
  readonly #suffix: Int32Array;

  /** @param patterns not empty, each once */
  constructor(patterns: readonly Uint16Array[]) {
    const trie = new Trie(patterns);
    this.#trie = trie;
    this.#fail = new Int32Array(trie.nodes);
    this.#suffix = new Int32Array(trie.nodes);
    for (let child = trie.firstChild[0]!; child !== 0; child = trie.nextSibling[child]!)
      this.#first[trie.unit[child]!] = child;
    this.#linkSuffixes();
  }

  /** The node that `unit` leads to from `node`; 0 is the root. */
  next(node: number, unit: number): number {
    for (let from = node; from !== 0; from = this.#fail[from]!) {
      const to = this.#trie.child(from, unit);
      if (to !== 0) return to;
    }
    return this.#first[unit]!;
  }

  /**
   * The node of the longest pattern that ends where the text is at `node`, and from there of the next shorter one; 0
   * where there is none.
   */
  longest(node: number): number {
    return this.#trie.terminal[node] === 0 ? this.#suffix[node]! : node;
  }

  shorter(node: number): number {
    return this.#suffix[node]!;
  }

  /** Which pattern ends at a node that `longest` or `shorter` answered. */
  pattern(node: number): number {
    return this.#trie.terminal[node]! - 1;
  }

  /** Breadth first, for a suffix is shorter than what it ends. */
  #linkSuffixes(): void {
    const { nodes, unit, firstChild, nextSibling, terminal } = this.#trie;
    const queue = new Int32Array(nodes);
    let queued = 1;
    for (let head = 0; head < queued; head++) {
      const node = queue[head]!;
      for (let child = firstChild[node]!; child !== 0; child = nextSibling[child]!) {
        const fail = node === 0 ? 0 : this.next(this.#fail[node]!, unit[child]!);
        this.#fail[child] = fail;
        this.#suffix[child] = terminal[fail] === 0 ? this.#suffix[fail]! : fail;
        queue[queued++] = child;
      }
    }
  }
}
