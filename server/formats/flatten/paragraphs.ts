/** How strongly two pieces of text are divided: by a line end, or by a blank line. */
export type Break = 'line' | 'paragraph';

/** Collects text that comes piece by piece, with breaks between. Blank lines of its own it has none. */
export class Paragraphs {
  readonly #pieces: string[] = [];
  #line = '';
  #break: Break | undefined;
  #spaceIsDue = false;

  /** Adds text as it stands. */
  append(text: string): void {
    this.#line += text;
  }

  /** Adds text whose runs of whitespace, across pieces too, count as one space. No-break spaces are kept. */
  appendWords(text: string): void {
    for (const [index, word] of text.split(/[\t\n\f\r ]+/).entries()) {
      if (index > 0) this.#spaceIsDue = true;
      if (word === '') continue;
      if (this.#spaceIsDue && this.#line !== '') this.#line += ' ';
      this.#line += word;
      this.#spaceIsDue = false;
    }
  }

  /** Divides what comes from what came; of two breaks in a row the stronger counts. */
  break(kind: Break): void {
    const line = this.#line.trim();
    this.#line = '';
    this.#spaceIsDue = false;
    if (line !== '') {
      if (this.#pieces.length > 0) this.#pieces.push(this.#break === 'paragraph' ? '\n\n' : '\n');
      this.#pieces.push(line);
      this.#break = undefined;
    }
    if (this.#break !== 'paragraph') this.#break = kind;
  }

  /** All that was collected. */
  text(): string {
    this.break('line');
    return this.#pieces.join('');
  }
}
