import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The completed tasks of earlier runs. The journal is a file next to the translations, with one line per task. */
export interface Journal {
  /**
   * Returns the files that a completed task has written, relative to the out directory. Undefined if the task is not
   * completed.
   */
  outputsOf(key: string, format: string): string[] | undefined;
  /**
   * Call it after the files have been written. If the program crashes before, the next run sends the text again,
   * which is not billed again.
   */
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
      // Begin each entry with a line break, so that an incomplete entry after a crash does not affect the others.
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
