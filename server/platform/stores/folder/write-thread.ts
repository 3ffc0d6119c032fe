import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { AppendedLine, FailedWrite, SmallWrite } from './small-writes.ts';

/*
 * The thread of `small-writes.ts`. It uses blocking calls, because it has nothing else to do: each asynchronous call
 * would go to a thread of Node's pool and back, which costs more than the write itself.
 */

parentPort?.on('message', (writes: SmallWrite[]) => parentPort?.postMessage(runAll(writes)));

/**
 * Executes the writes.
 * @returns the writes that failed
 */
function runAll(writes: readonly SmallWrite[]): FailedWrite[] {
  const failed = new Map<number, FailedWrite>();
  const attempt = (indexes: number[], write: () => void) => {
    try {
      write();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      for (const index of indexes) failed.set(index, { index, code, message });
    }
  };

  const appended = new Map<string, { lines: string; indexes: number[] }>();
  const append = (index: number, { file, line }: AppendedLine) => {
    const object = appended.get(file) ?? { lines: '', indexes: [] };
    appended.set(file, object);
    object.lines += `${line}\n`;
    object.indexes.push(index);
  };
  for (const [index, write] of writes.entries()) {
    const line = write.kind === 'put' ? write.announced : write;
    if (line) append(index, line);
  }
  // Open the file each time, because another process may have removed it.
  for (const [file, { lines, indexes }] of appended)
    attempt(indexes, () => appendFileSync(file, lines, { mode: 0o600 }));
  for (const [index, write] of writes.entries())
    if (write.kind === 'put' && !failed.has(index)) attempt([index], () => putWhole(write));
  return [...failed.values()];
}

function putWhole({ file, temporary, content }: SmallWrite & { kind: 'put' }): void {
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
