/** The separator between two pieces of text: a line end or a blank line. */
export type Break = 'line' | 'paragraph';

/**
 * Collects pieces of text, with breaks between them. The result has blank lines only where a paragraph break was added.
 */
export class Paragraphs {
  readonly #written: string[] = [];
  /** The line that is being collected. */
  #line = new Pieces();
  #break: Break | undefined;
  #spaceIsDue = false;

  /** Adds a piece of text unchanged. */
  append(text: string): void {
    this.#line.push(text);
  }

  /**
   * Adds a piece of text in which each run of whitespace becomes one space, also if the run continues in the next
   * piece. No-break spaces stay unchanged.
   */
  appendWords(text: string): void {
    const words = text.replace(/[\t\n\f\r ]+/g, ' ');
    const start = words.startsWith(' ') ? 1 : 0;
    const end = words.length > start && words.endsWith(' ') ? words.length - 1 : words.length;
    if (start === 1) this.#spaceIsDue = true;
    if (start === end) return;
    if (this.#spaceIsDue && !this.#line.isEmpty) this.#line.push(' ');
    this.#line.push(words.slice(start, end));
    this.#spaceIsDue = end < words.length;
  }

  /** Ends the current line or paragraph. Of several consecutive breaks, only the strongest has an effect. */
  break(kind: Break): void {
    const line = this.#line.take().trim();
    this.#spaceIsDue = false;
    if (line !== '') {
      if (this.#written.length > 0) this.#written.push(this.#break === 'paragraph' ? '\n\n' : '\n');
      this.#written.push(line);
      this.#break = undefined;
    }
    if (this.#break !== 'paragraph') this.#break = kind;
  }

  /** Returns the collected text. */
  text(): string {
    this.break('line');
    return this.#written.join('');
  }
}

/**
 * The number of pieces that are joined at a time. Without joining, millions of short pieces would need many times the
 * memory of their text.
 */
const joinSize = 4096;

/** Builds a long text from many pieces. */
class Pieces {
  #joined: string[] = [];
  #loose: string[] = [];

  get isEmpty(): boolean {
    return this.#loose.length === 0 && this.#joined.length === 0;
  }

  push(piece: string): void {
    if (piece === '') return;
    this.#loose.push(piece);
    if (this.#loose.length < joinSize) return;
    this.#joined.push(this.#loose.join(''));
    this.#loose = [];
  }

  /** Returns the collected text, and starts a new text. */
  take(): string {
    if (this.isEmpty) return '';
    const text = this.#joined.join('') + this.#loose.join('');
    this.#joined = [];
    this.#loose = [];
    return text;
  }
}
