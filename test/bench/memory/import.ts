import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { request } from 'undici';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { sourceHash } from '#server/matching/normal-form.ts';
import type { Run } from '../bench.ts';
import { latencyOf, requirePremise, rounds, timed } from '../load.ts';
import { watchMemory } from '../process-figures.ts';
import { seededRandom } from '../seeded-random.ts';
import { type BenchTenant, withService } from '../service.ts';

const units = Number(process.env['BENCH_UNITS'] ?? 50_000);

/**
 * Imports a TMX file of 50,000 units. Measures the time from the start of the upload until its segments are found as
 * exact and as fuzzy matches. Compares this with parsing the same file in translate-toolkit, and with a bare COPY,
 * alternating in one run. The COPY covers only the rows of the segments and their indexes: the file is already parsed,
 * normalized and hashed, and no fuzzy index is built. During the import, GET /healthz is sent repeatedly.
 */
export async function importMemory(run: Run): Promise<void> {
  const settings = {
    MAX_TM_SEGMENTS: String(2 * units),
    MAX_UPLOAD_BYTES: String(Math.max(30_000_000, 500 * units)),
  };
  await withService(async ({ service, address, dataDir, url, tenant }) => {
    const pairs = inventPairs();
    const bytes = Buffer.from(writeTmx(pairs, 'en', 'fr'));
    const file = join(dataDir, 'memory.tmx');
    await writeFile(file, bytes);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      const member = await tenant();
      await sql`select set_config('lingualoop.tenant_id', ${member.tenantId}, false)`;
      run.note(`${units} units, ${(bytes.length / 1e6).toFixed(1)} MB`);
      const hasToolkit = (await parseWithToolkit(file).catch(() => null)) !== null;
      if (!hasToolkit) run.note('translate-toolkit is not installed: without the other side');
      const [imports, others, copies, health, growths]: number[][] = [[], [], [], [], []];
      for (let round = 0; round < rounds; round++) {
        const memory = await watchMemory(service.pid);
        const pinging = ping(address);
        imports!.push((await timed(() => importTmx(member, bytes))) / 1000);
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
        copies!.push((await copyRows(sql, member.tenantId, pairs)) / 1000);
        if (hasToolkit) others!.push((await parseWithToolkit(file)) / 1000 + copies!.at(-1)!);
      }
      const title = `import of ${units} units`;
      run.figure(`${title} until searchable`, imports!, 's');
      if (hasToolkit)
        run.ratio(`${title} / translate-toolkit's parse and COPY`, imports!, others!, { most: 2 });
      run.ratio(`${title} / bare COPY`, imports!, copies!, units >= 500_000 ? { most: 2 } : undefined);
      run.figure(`${title}: memory growth`, growths!, 'MB', { most: 200 });
      run.figure(`${title}: /healthz, p99`, health!, 'ms', { most: 50 });
    } finally {
      await sql.end();
      await rm(file);
    }
  }, settings);
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

/** A TMX file of segments with their translations. */
export function writeTmx(pairs: readonly Pair[], sourceLang: string, targetLang: string): string {
  const languages = { sourceLang, targetLang };
  const body = pairs.map((pair, at) =>
    tmxUnit({ ...pair, ...languages, tuid: String(at), changedate: null }),
  );
  return `${tmxHead({ ...languages, creationDate: new Date() })}${body.join('')}${tmxTail}`;
}

/** Imports a file into the TM `bench`, and waits until all of it can be searched. */
export async function importTmx(
  { address, apiKey }: BenchTenant,
  bytes: Buffer,
  fields: Record<string, string> = {},
): Promise<void> {
  const form = new FormData();
  form.set('tmx_file', new File([new Uint8Array(bytes)], 'memory.tmx', { type: 'application/xml' }));
  const all = { name: 'bench', source_lang: 'en', target_lang: 'fr', ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
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
      latencies.push(await timed(async () => (await request(`${address}/healthz`)).body.dump()));
      await delay(2);
    }
  })();
  return {
    async stop() {
      running = false;
      await ended;
      return latencyOf(latencies);
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
