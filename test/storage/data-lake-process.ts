import { openDataLake } from '#server/platform/stores/data-lake.ts';

/*
 * A separate process with a store, for tests of memory and of several processes:
 *   node data-lake-process.ts lines <url> <sas> <name> <count>   appends lines to golden/manifest/day.jsonl
 *   node data-lake-process.ts memory <url> <sas>                 writes and streams 30 MB; prints how many bytes its
 *                                                                memory has grown
 */

const [, , command, url = '', token = '', name, count] = process.argv;
const store = openDataLake(
  { accountUrl: 'https://contoso.dfs.core.windows.net', filesystem: 'files' },
  { mode: 'sas', token },
  { endpointOverride: url },
);

if (command === 'lines')
  await Promise.all(
    Array.from({ length: Number(count) }, async (_, i) => {
      await store.appendLine('golden/manifest/day.jsonl', `${name} ${i}`);
    }),
  );
else {
  const path = 'tenant/documents/file.pdf';
  const content = Buffer.alloc(30_000_000, 'abcdefghijk');
  // Loads the packages and opens the connections before the measurement.
  await store.put(path, content);
  for await (const _ of (await store.stream(path))!);
  const put = await growthOf(() => store.put(path, content));
  const streamed = await growthOf(async () => {
    let size = 0;
    for await (const piece of (await store.stream(path))!) {
      size += piece.length;
      // Makes the reader slower than the network.
      if (size % 7 === 0) await new Promise(setImmediate);
    }
    if (size !== content.length) throw new Error(`${size} bytes`);
  });
  console.log(JSON.stringify({ put, streamed }));
}

/** The maximum number of bytes by which resident memory grows during `work`. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage().rss) - before;
}
