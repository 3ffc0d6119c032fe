/** How strongly two pieces of text are divided: by a line end, or by a blank line. */
export type Break = 'line' | 'paragraph';

/** Collects text that comes piece by piece, with breaks between. Blank lines of its own it has none. */
export class Paragraphs {
  readonly #written: string[] = [];
  /** The line that is being collected. */
  #line = new Pieces();
  #break: Break | undefined;
  #spaceIsDue = false;

  /** Adds text as it stands. */
  append(text: string): void {
    this.#line.push(text);
  }

  /** Adds text whose runs of whitespace, across pieces too, count as one space. No-break spaces are kept. */
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

  /** Divides what comes from what came; of two breaks in a row the stronger counts. */
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

  /** All that was collected. */
  text(): string {
    this.break('line');
    return this.#written.join('');
  }
}

/** Joined so many at a time: a line of millions of pieces takes not many times its size. */
const joinedAtOnce = 4096;

/** A text that is put together from many pieces. */
class Pieces {
  #joined: string[] = [];
  #loose: string[] = [];

  get isEmpty(): boolean {
    return this.#loose.length === 0 && this.#joined.length === 0;
  }

  push(piece: string): void {
    if (piece === '') return;
    this.#loose.push(piece);
    if (this.#loose.length < joinedAtOnce) return;
    this.#joined.push(this.#loose.join(''));
    this.#loose = [];
  }

  /** The text; what comes next starts another. */
  take(): string {
    if (this.isEmpty) return '';
    const text = this.#joined.join('') + this.#loose.join('');
    this.#joined = [];
    this.#loose = [];
    return text;
  }
}
