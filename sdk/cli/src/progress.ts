import { type Io, printable, stylesOf, withoutControls } from './io.ts';

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
