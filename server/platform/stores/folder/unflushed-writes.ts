import { randomBytes } from 'node:crypto';
import { open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';

/** Facts about the system below the folder. They are stored in the folder. */
interface State {
  /** When the system booted, in milliseconds since the epoch by the system's clock. */
  booted: number;
  /** The result of `PlatformStore.doubtfulSince`, in ISO 8601. */
  doubtfulSince: string | null;
}

/** Maximum milliseconds by which two readings of the same boot time may differ, because clocks are adjusted. */
const sameStart = 120_000;
/**
 * Maximum milliseconds for which the system may keep a written file in memory before it is on the disk. This has a
 * wide margin: Linux flushes after 30 s.
 */
const unwritten = 15 * 60_000;
/** Milliseconds between two records of the fact that the store is in use. */
const noteEvery = 60_000;

/**
 * Detects whether the system below a folder has been rebooted since the last write to the folder. If so, writes that
 * were in the system's memory but not yet on the disk may be lost. If only a process ends, nothing is lost. The
 * modification time of the state file records when the store was last in use.
 */
export function trackUnflushedWrites(folder: string) {
  const file = join(folder, '.state.json');
  const booted = Date.now() - uptime() * 1000;
  let noted = 0;
  let looking: Promise<void> | undefined;

  /**
   * Reads the state, and the modification time of its file. Both are read from one open file, because another process
   * may replace the file at any time.
   */
  const read = async (): Promise<{ state: State; changed: number } | undefined> => {
    try {
      await using opened = await open(file);
      const { mtimeMs } = await opened.stat();
      return { state: JSON.parse(await opened.readFile('utf8')) as State, changed: mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError)
        return undefined;
      throw error;
    }
  };
  const write = async (state: State) => {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  };

  const look = async () => {
    const found = await read();
    if (!found) return write({ booted, doubtfulSince: null });
    const { state, changed } = found;
    if (Math.abs(state.booted - booted) <= sameStart) return;
    const before = state.doubtfulSince ? Date.parse(state.doubtfulSince) : Number.POSITIVE_INFINITY;
    const since = new Date(Math.min(before, changed - unwritten)).toISOString();
    await write({ booted, doubtfulSince: since });
  };
  /** Checks for a reboot once per process, and again if the store was unreachable. */
  const checked = () => {
    looking ??= look().catch((error: unknown) => {
      looking = undefined;
      throw error;
    });
    return looking;
  };

  return {
    /** Call this before each write. */
    async writing(): Promise<void> {
      if (Date.now() - noted < noteEvery) return;
      await checked();
      noted = Date.now();
      await utimes(file, new Date(), new Date()).catch(() => {});
    },
    async doubtfulSince(): Promise<Date | null> {
      const known = await read();
      // There is no state if nothing has been written yet.
      if (!known) return null;
      await checked();
      const since = (await read())?.state.doubtfulSince;
      return since ? new Date(since) : null;
    },
    async settleDoubt(): Promise<void> {
      const found = await read();
      await write({ booted: found?.state.booted ?? booted, doubtfulSince: null });
    },
  };
}
