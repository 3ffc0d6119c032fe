import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { abandonPack, addRecords, type PlacedRecord, placeRecord } from './pack-writer.ts';
import type { AppendedLine, SmallWrite, WriteOutcome } from './small-writes.ts';

/*
 * The thread of `small-writes.ts`. It uses blocking calls, because it has nothing else to do: each asynchronous call
 * would go to a thread of Node's pool and back, which costs more than the write itself.
 */

parentPort?.on('message', (writes: SmallWrite[]) => parentPort?.postMessage(runAll(writes)));

function runAll(writes: readonly SmallWrite[]): WriteOutcome {
  const failed = new Map<number, WriteOutcome['failed'][number]>();
  const attempt = (indexes: readonly number[], write: () => void) => {
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
  // Records get their places first, because their announcements name them.
  const records: (PlacedRecord & { index: number })[] = [];
  for (const [index, write] of writes.entries())
    if (write.kind === 'append') append(index, write);
    else if (write.kind === 'record')
      attempt([index], () => {
        const placed = placeRecord(write);
        records.push({ ...placed, index });
        const { file, line } = write.announced;
        append(index, { file, line: line.replace('{record}', placed.path) });
      });
  // Open the file each time, because another process may have removed it.
  for (const [file, { lines, indexes }] of appended)
    attempt(indexes, () => appendFileSync(file, lines, { mode: 0o600 }));
  for (const [pack, placed] of Map.groupBy(records, (one) => one.pack)) {
    const indexes = placed.map(({ index }) => index);
    const unannounced = indexes.map((index) => failed.get(index)).find(Boolean);
    attempt(indexes, () => {
      if (!unannounced) return addRecords(pack, placed);
      abandonPack(pack);
      throw Object.assign(new Error(unannounced.message), { code: unannounced.code });
    });
  }
  for (const [index, write] of writes.entries())
    if (write.kind === 'put') attempt([index], () => putWhole(write));
  return {
    failed: [...failed.values()],
    records: records.map(({ index, path }) => ({ index, path })),
  };
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
