import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { request } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { sourceHash } from '#server/matching/normal-form.ts';
import { startService } from '#test/setup/service.ts';
import { createBenchTenant } from './bench-service.ts';
import { median, requirePremise } from './load.ts';
import { watchMemory } from './process-figures.ts';
import { seededRandom } from './seeded-random.ts';

const units = Number(process.env['BENCH_UNITS'] ?? 50_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);

/**
 * Imports a TMX file of 50,000 units. Measures the time from the start of the upload until its segments are found as
 * exact and as fuzzy matches. Compares this with parsing the same file in translate-toolkit, and with a bare COPY,
 * alternating in one run. The COPY covers only the rows of the segments and their indexes: the file is already parsed,
 * normalized and hashed, and no fuzzy index is built. During the import, GET /healthz is sent repeatedly.
 */
export async function benchMemoryImport(print: (line: string) => void): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const file = join(dataDir, 'memory.tmx');
  const pairs = inventPairs();
  await writeFile(file, writeTmx(pairs));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    ...{ DATA_DIR: dataDir, AUTH_RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'silent' },
    MAX_TM_SEGMENTS: String(2 * units),
    MAX_UPLOAD_BYTES: String(Math.max(30_000_000, 500 * units)),
  };
  const service = await startService(env);
  const sql = postgres(server.ownerUrl, { max: 1, onnotice: () => {} });
  try {
    const { tenantId, apiKey } = await createBenchTenant(service.address);
    await sql`select set_config('lingualoop.tenant_id', ${tenantId}, false)`;
    const bytes = await readFile(file);
    print(`${units} units, ${(bytes.length / 1e6).toFixed(1)} MB`);
    const hasToolkit = await parseWithToolkit(file).catch(() => null);
    if (hasToolkit === null) print('(translate-toolkit is not installed: without the other side)');

    const [imports, others, copies, health, growths]: number[][] = [[], [], [], [], []] as never;
    for (let round = 0; round < rounds; round++) {
      const memory = await watchMemory(service.pid);
      const pinging = ping(service.address);
      const start = performance.now();
      await importTmx(service.address, apiKey, bytes, 'en');
      imports!.push(performance.now() - start);
      health!.push((await pinging.stop()).p99);
      growths!.push((await memory.stop()) - memory.first);
      // The contents that this import replaced may still be there.
      const [held] =
        await sql`select count(*)::int as segments, count(shard_no)::int as indexed from memory_segments
        where content_id in (select content_id from memory_sets)`;
      requirePremise(
        held?.['segments'] === units && held['indexed'] === units,
        `${units} segments are stored and indexed, not ${held?.['segments']} and ${held?.['indexed']}`,
      );
      copies!.push(await copyRows(sql, tenantId, pairs));
      if (hasToolkit !== null) others!.push((await parseWithToolkit(file)) + copies!.at(-1)!);
    }
    print(`import, file in hand to searchable   ${show(imports!)} s`);
    if (others!.length > 0) {
      print(`translate-toolkit's parse and COPY    ${show(others!)} s`);
      print(
        `import / theirs                      ${(median(imports!) / median(others!)).toFixed(2)}   (target 2.00 or less)`,
      );
    }
    print(`a bare COPY of the segments          ${show(copies!)} s`);
    print(
      `import / a bare COPY                 ${(median(imports!) / median(copies!)).toFixed(2)}   (target of 500,000 units: 2.00 or less)`,
    );
    print(
      `memory of all its processes grew by  ${growths!.map(Math.round).join(', ')} MB   (target below 200)`,
    );
    print(
      `GET /healthz meanwhile, p99          ${health!.map((ms) => ms.toFixed(1)).join(', ')} ms   (target below 50)`,
    );
  } finally {
    await sql.end();
    await service.stop();
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Pair {
  source: string;
  target: string;
}

/** Sentences whose words have a natural distribution: a few words are frequent, and most are rare. */
function inventPairs(): Pair[] {
  const random = seededRandom(units);
  const words = Array.from({ length: 20_000 }, () => {
    const length = 2 + Math.floor(random() * 9);
    return Array.from({ length }, () => 'etaoinshrdlucmfgypwbvkxjqz'[Math.floor(26 * random() ** 1.7)]).join(
      '',
    );
  });
  const sentence = () => {
    const length = 5 + Math.floor(random() * 20);
    const text = Array.from({ length }, () => words[Math.floor(words.length * random() ** 4)]).join(' ');
    return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
  };
  return Array.from({ length: units }, (_, index) => ({
    source: `${sentence()} ${index}`,
    target: `${sentence()} ${index}`,
  }));
}

function writeTmx(pairs: readonly Pair[]): string {
  const body = pairs.map(
    ({ source, target }, index) =>
      `<tu tuid="${index}" creationdate="20240101T000000Z" changedate="20250101T000000Z">\n<tuv xml:lang="en"><seg>${source}</seg></tuv>\n<tuv xml:lang="fr"><seg>${target}</seg></tuv>\n</tu>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header creationtool="bench" creationtoolversion="1" segtype="sentence" o-tmf="none" adminlang="en" srclang="en" datatype="plaintext"/><body>\n${body.join('')}</body></tmx>\n`;
}

/** Imports a file into the TM `bench`, and waits until all of it can be searched. */
export async function importTmx(
  address: string,
  apiKey: string,
  bytes: Buffer,
  sourceLang: string,
  fields: Record<string, string> = {},
): Promise<void> {
  const form = new FormData();
  form.set('tmx_file', new File([new Uint8Array(bytes)], 'memory.tmx', { type: 'application/xml' }));
  const all = { name: 'bench', target_lang: 'fr', ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  form.set('source_lang', sourceLang);
  const headers = { 'x-api-key': apiKey };
  const answer = await fetch(`${address}/api/tm`, { method: 'POST', headers, body: form });
  if (answer.status === 200) return;
  if (answer.status !== 202) throw new Error(`the import answered ${answer.status} ${await answer.text()}`);
  const { poll_url } = (await answer.json()) as { poll_url: string };
  for (;;) {
    const polled = (await (await fetch(`${address}${poll_url}`, { headers })).json()) as {
      job: { status: string; error: string | null };
    };
    if (polled.job.status === 'completed') return;
    if (polled.job.status === 'failed') throw new Error(`the import failed: ${polled.job.error}`);
    await delay(10);
  }
}

/** Sends GET /healthz repeatedly, one request after the other, until it is stopped. */
function ping(address: string) {
  let running = true;
  const latencies: number[] = [];
  const ended = (async () => {
    while (running) {
      const start = performance.now();
      const { body } = await request(`${address}/healthz`);
      await body.dump();
      latencies.push(performance.now() - start);
      await delay(2);
    }
  })();
  return {
    async stop() {
      running = false;
      await ended;
      latencies.sort((a, b) => a - b);
      return { p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0 };
    },
  };
}

/** Milliseconds that translate-toolkit takes to parse the file. The start of its process is not included. */
async function parseWithToolkit(file: string): Promise<number> {
  const program = `
import sys, time
from translate.storage import tmx
start = time.perf_counter()
with open(sys.argv[1], 'rb') as f: store = tmx.tmxfile.parsestring(f.read())
assert len(store.units) == ${units}
print((time.perf_counter() - start) * 1000)`;
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', program, file]);
  return Number(stdout);
}

/** Milliseconds of a COPY of all rows of the segments into a table with the same columns, indexes and foreign key. */
async function copyRows(sql: postgres.Sql, tenantId: string, pairs: readonly Pair[]): Promise<number> {
  await sql`create table bench_segments (like memory_segments including all,
    foreign key (tenant_id, content_id) references memory_contents (tenant_id, content_id))`;
  const [content] = await sql`select content_id from memory_contents limit 1`;
  const rows = pairs.map(({ source, target }, index) => {
    const hash = `\\\\x${sourceHash(source).toString('hex')}`;
    return `${tenantId}\t${content?.['content_id']}\t${index + 1}\t${hash}\t${source}\t${target}\t${index}\t2025-01-01T00:00:00Z\t0\n`;
  });
  const bytes = Buffer.from(rows.join(''));
  const start = performance.now();
  const copy =
    await sql`copy bench_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, tuid,
    changed_at, shard_no) from stdin`.writable();
  await new Promise<void>((resolve, reject) => {
    copy.on('error', reject).on('finish', resolve);
    for (let from = 0; from < bytes.length; from += 65_536) copy.write(bytes.subarray(from, from + 65_536));
    copy.end();
  });
  const taken = performance.now() - start;
  const [copied] = await sql`select count(*)::int as rows from bench_segments`;
  requirePremise(copied?.['rows'] === pairs.length, 'COPY writes each pair');
  // These rows refer to rows that the next import deletes.
  await sql`drop table bench_segments`;
  return taken;
}

function show(milliseconds: number[]): string {
  return milliseconds.map((value) => (value / 1000).toFixed(2)).join(', ');
}
