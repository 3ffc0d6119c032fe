import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { FailedWrite, SmallWrite } from './small-writes.ts';

/*
 * The thread of `small-writes.ts`. It uses blocking calls, because it has nothing else to do: each asynchronous call
 * would go to a thread of Node's pool and back, which costs more than the write itself.
 */

parentPort?.on('message', (writes: SmallWrite[]) => parentPort?.postMessage(writes.flatMap(putWhole)));

function putWhole({ file, temporary, content }: SmallWrite, index: number): FailedWrite[] {
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, file);
    return [];
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    return [{ index, code, message }];
  }
}
