import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The finished tasks of earlier runs: one line per task, next to the translations. */
export interface Journal {
  /** The files that a finished task wrote, relative to the out directory; undefined if it is not finished. */
  outputsOf(key: string, format: string): string[] | undefined;
  /** Call it when the files exist: after a crash before it, the text is sent again, which costs nothing. */
  finished(key: string, format: string, outputs: string[]): Promise<void>;
}

export async function openJournal(out: string): Promise<Journal> {
  const path = join(out, '.batch-translate.jsonl');
  const known = new Map<string, string[]>();
  for (const line of (await readIfThere(path)).split('\n')) {
    const entry = parse(line);
    if (entry) known.set(`${entry.key}.${entry.format}`, entry.outputs);
  }
  return {
    outputsOf: (key, format) => known.get(`${key}.${format}`),
    async finished(key, format, outputs) {
      // Each entry begins a line: an incomplete one after a crash does not affect the others.
      await appendFile(path, `\n${JSON.stringify({ key, format, outputs })}`);
    },
  };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

interface Entry {
  key: string;
  format: string;
  outputs: string[];
}

function parse(line: string): Entry | undefined {
  try {
    const { key, format, outputs } = JSON.parse(line);
    if (typeof key === 'string' && typeof format === 'string' && Array.isArray(outputs))
      return { key, format, outputs };
  } catch {}
  return undefined;
}
