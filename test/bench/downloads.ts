import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import postgres from 'postgres';
import { request } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { newId } from '#server/platform/ids.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { median } from './load.ts';

const fileBytes = 30_000_000;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** Number of downloads in one measurement. */
const repeats = 10;
/** Number of concurrent downloads when memory is measured. */
const atOnce = 8;

/**
 * A web server that serves one file from disk, without credentials or a checksum. It runs on a thread, because the
 * service has its own process, too.
 */
const staticServer = `
  const { createReadStream, statSync } = require('node:fs');
  const { workerData, parentPort } = require('node:worker_threads');
  const { size } = statSync(workerData);
  const server = require('node:http').createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
    createReadStream(workerData, { highWaterMark: 262144 }).pipe(response);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/**
 * Compares the download of a translated document of 30 MB through the service with a bare HTTP server of the same file,
 * alternating in one run. Also measures the memory that slow readers need.
 */
export async function benchDownloads(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const service = await startService(
    { DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false' },
    'server/main.ts',
    ['--api-only'],
  );
  const sql = postgres(server.ownerUrl, { max: 1, onnotice: () => {} });
  let bare: Worker | undefined;
  try {
    const { tenantId, apiKey } = await createBenchTenant(service.address);
    const { documentId, file } = await addDocument(sql, dataDir, tenantId);
    bare = new Worker(staticServer, { eval: true, workerData: file });
    const port = await new Promise<number>((resolve) => bare?.once('message', resolve));
    const ours = {
      url: `${service.address}/api/documents/${documentId}/download`,
      headers: { 'x-api-key': apiKey },
    };
    const theirs = { url: `http://127.0.0.1:${port}/`, headers: {} };
    await rateOf(ours);
    await rateOf(theirs);
    const [rates, bareRates, ratios]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      rates.push(await rateOf(ours));
      bareRates.push(await rateOf(theirs));
      ratios.push((rates.at(-1) as number) / (bareRates.at(-1) as number));
    }
    print(`GET …/download      ${median(rates).toFixed(0)} MB/s   (rounds ${show(rates)})`);
    print(`bare HTTP server    ${median(bareRates).toFixed(0)} MB/s   (rounds ${show(bareRates)})`);
    print(`download / bare     ${median(ratios).toFixed(2)}   (target 0.60 or better)`);
    const growth = await memoryOf(service, ours);
    print(
      `peak memory of the API grew by ${growth === null ? '?' : (growth / atOnce).toFixed(1)} MB for each of ${atOnce} slow readers at a time   (target below 20)`,
    );
  } finally {
    await bare?.terminate();
    await sql.end();
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Inserts a translated document whose file is in the platform storage's directory. */
async function addDocument(sql: postgres.Sql, dataDir: string, tenantId: string) {
  const [documentId, artifactId] = [newId(), newId()];
  const content = randomBytes(fileBytes);
  const file = join(dataDir, 'storage', tenantId, 'documents', `${documentId}.${artifactId}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await sql`select set_config('lingualoop.tenant_id', ${tenantId}, false)`;
  await sql`insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format)
    values (${tenantId}, ${documentId}, 'translated', '{}', 'Report.pdf', 'pdf')`;
  await sql`insert into document_artifacts (tenant_id, artifact_id, document_id, kind, revision, content_type, size_bytes, sha256)
    values (${tenantId}, ${artifactId}, ${documentId}, 'translated', 1, 'application/pdf', ${fileBytes},
      ${createHash('sha256').update(content).digest('hex')})`;
  return { documentId, file };
}

interface Download {
  url: string;
  headers: Record<string, string>;
}

/** Downloads repeatedly, one download after the other. Returns megabytes per second. */
async function rateOf({ url, headers }: Download): Promise<number> {
  const start = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++) {
    const { statusCode, body } = await request(url, { headers });
    let bytes = 0;
    for await (const piece of body) bytes += piece.length;
    if (statusCode !== 200 || bytes !== fileBytes) throw new Error(`${statusCode} with ${bytes} bytes`);
  }
  return (repeats * fileBytes) / 1000 / (performance.now() - start);
}

/**
 * Starts concurrent downloads whose readers each take two seconds. Returns how much the peak of the API's memory grows,
 * in megabytes.
 */
async function memoryOf(service: RunningService, { url, headers }: Download): Promise<number | null> {
  try {
    await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  } catch {
    return null;
  }
  const before = await service.peakMemory();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const { body } = await request(url, { headers });
      let bytes = 0;
      let paused = 0;
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes - paused < fileBytes / 20) continue;
        paused = bytes;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      if (bytes !== fileBytes) throw new Error(`a slow reader received ${bytes} bytes`);
    }),
  );
  const after = await service.peakMemory();
  return before === null || after === null ? null : after - before;
}

function show(values: number[]): string {
  return values.map((value) => value.toFixed(0)).join(', ');
}
