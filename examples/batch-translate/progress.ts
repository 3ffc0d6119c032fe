/** The target of the progress: standard error, or a replacement. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** A bar that is redrawn on a terminal; elsewhere, a line for each finished task. */
export class Progress {
  readonly #screen: Screen;
  readonly #total: number;
  #done = 0;

  constructor(screen: Screen, total: number) {
    this.#screen = screen;
    this.#total = total;
    this.#draw('');
  }

  /** One more task has ended; `line` has its name and result. */
  step(line: string): void {
    this.#done += 1;
    if (this.#screen.isTTY) this.#draw(line);
    else this.#screen.write(`${this.#done}/${this.#total} ${printable(line)}\n`);
  }

  /** Removes the bar, for the next output. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\x1b[K');
  }

  #draw(line: string): void {
    const { isTTY, columns } = this.#screen;
    if (!isTTY) return;
    const width = 24;
    const filled = this.#total === 0 ? width : Math.floor((this.#done / this.#total) * width);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${this.#done}/${this.#total} `;
    // A line that is longer than the terminal could not be overwritten.
    const room = Math.max(0, (columns || 80) - bar.length - 1);
    this.#screen.write(`\r\x1b[K${bar}${[...printable(line)].slice(0, room).join('')}`);
  }
}

/** Without control characters: a file's name must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}
