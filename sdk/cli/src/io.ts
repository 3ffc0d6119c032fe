import { styleText } from 'node:util';

/** Input and output of a command. Tests replace them. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(on: boolean): unknown };
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  cwd: string;
  /** Aborts when the user interrupts the program. */
  signal: AbortSignal;
}

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export function processIo(signal: AbortSignal): Io {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: process.cwd(), signal };
}

/** Writes a line of data to standard output. */
export function say({ stdout }: Pick<Io, 'stdout'>, text: string): void {
  stdout.write(`${withoutControls(text)}\n`);
}

/** Writes a line for the reader to standard error, so that it does not mix with data. */
export function tell({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${withoutControls(text)}\n`);
}

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Returns a function that styles text for an output: plain text if it is not a terminal, or with NO_COLOR. */
export function stylesOf({ env }: Pick<Io, 'env'>, output: Output): (style: Style, text: string) => string {
  const isPlain = !output.isTTY || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return (style, text) => (isPlain ? text : styleText(style, text, { validateStream: false }));
}

/** Replaces control characters except line ends, tabs and the colors of `stylesOf`. */
function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape character begins a color
  return text.replaceAll(/\x1b(?!\[\d{1,2}m)|[^\P{Cc}\n\t\x1b]/gu, ' ');
}

/** Replaces control characters, so that a file name or a text of the service cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** Returns the beginning of a text, on one line. */
export function excerpt(text: string, length: number): string {
  const line = printable(text).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** Prints a table with aligned columns. The last column is not padded; numbers are aligned right. */
export function sayTable(
  io: Pick<Io, 'stdout'>,
  titles: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [
    titles,
    ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? grouped(cell) : printable(cell)))),
  ];
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const isNumber = titles.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  for (const row of cells) {
    const padded = row.map((cell, column) => {
      const gap = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
      if (isNumber[column]) return gap + cell;
      return column === row.length - 1 ? cell : cell + gap;
    });
    say(io, padded.join('  '));
  }
}

/** The number of columns of a text in a terminal: characters of East Asian scripts and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width += /\p{M}/u.test(character)
      ? 0
      : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
            character,
          )
        ? 2
        : 1;
  return width;
}

/** Returns a number with separators, such as 12,345. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** Returns a number with its noun: `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Reads all of standard input as text. */
export async function readAll({ stdin }: Pick<Io, 'stdin'>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Shows which files are being translated: on a terminal in one line that is redrawn, otherwise a line for each result.
 * It writes to standard error.
 */
export interface Progress {
  /** Prints a line above the bar. */
  line(text: string): void;
  /** Sets the share of a running file, 0 to 1; 1 removes it. */
  set(name: string, share: number): void;
  end(): void;
}

export function openProgress({ env, stderr }: Pick<Io, 'env' | 'stderr'>, total: number): Progress {
  const running = new Map<string, number>();
  let done = 0;
  const style = stylesOf({ env }, stderr);
  const isLive = stderr.isTTY === true && env['TERM'] !== 'dumb' && !env['CI'];
  const clear = () => isLive && stderr.write('\r\x1b[K');
  const draw = () => {
    if (!isLive) return;
    const sum = done + [...running.values()].reduce((all, share) => all + share, 0);
    const width = 20;
    const filled = total === 0 ? width : Math.min(width, Math.floor((sum / total) * width));
    const head = ` ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} `;
    // A longer line would wrap, and could not be cleared.
    const room = Math.max(0, (stderr.columns ?? 80) - head.length - 1);
    const names = [...printable([...running.keys()].join(', '))].slice(0, room).join('');
    stderr.write(`\r\x1b[K${head}${style('dim', names)}`);
  };
  return {
    line(text) {
      clear();
      stderr.write(`${withoutControls(text)}\n`);
      draw();
    },
    set(name, share) {
      if (share >= 1) {
        running.delete(name);
        done++;
      } else running.set(name, share);
      draw();
    },
    end: () => void clear(),
  };
}
