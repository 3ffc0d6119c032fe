/** The output for the progress: standard error, or a replacement in tests. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Shows the progress: on a terminal as a bar that is redrawn, otherwise as a line for each completed task. */
export class Progress {
  readonly #screen: Screen;
  readonly #total: number;
  #done = 0;

  constructor(screen: Screen, total: number) {
    this.#screen = screen;
    this.#total = total;
    this.#draw('');
  }

  /** Call it when a task has ended. `line` has the name and the result of the task. */
  step(line: string): void {
    this.#done += 1;
    if (this.#screen.isTTY) this.#draw(line);
    else this.#screen.write(`${this.#done}/${this.#total} ${printable(line)}\n`);
  }

  /** Removes the bar, so that other output can follow. */
  end(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\x1b[K');
  }

  #draw(line: string): void {
    const { isTTY, columns } = this.#screen;
    if (!isTTY) return;
    const width = 24;
    const filled = this.#total === 0 ? width : Math.floor((this.#done / this.#total) * width);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${this.#done}/${this.#total} `;
    // Limit the length, because a line that is longer than the terminal could not be overwritten.
    const room = Math.max(0, (columns || 80) - bar.length - 1);
    this.#screen.write(`\r\x1b[K${bar}${[...printable(line)].slice(0, room).join('')}`);
  }
}

/** Removes control characters, so that the name of a file cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}
