import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { Pool } from 'undici';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { startService } from '#test/setup/service.ts';
import { s3Credentials, startS3 } from '#test/storage/s3-server.ts';
import type { Bench, Run } from './bench.ts';
import { wordSentences } from './documents/word-file.ts';
import { latencyOf, requirePremise } from './load.ts';
import { cpuTimeWithChildren, watchMemory } from './process-figures.ts';
import { pick, seededRandom } from './seeded-random.ts';
import { type BenchTenant, submitText, withService } from './service.ts';

const seconds = Number(process.env['DAY_SECONDS'] ?? 60);
/** A million jobs a day are 11.6 in a second. */
const rate = 12;
/** One job of 50 is a Word file of 40 paragraphs. */
const documentShare = 50;
const paragraphs = 40;
const tenantCount = 100;

/** The parts of a sentence, in English and French. */
const sentenceParts = [
  [
    'On Monday|Lundi',
    'Last week|La semaine dernière',
    'In spring|Au printemps',
    'Before lunch|Avant le déjeuner',
  ],
  [
    'the manager|le directeur',
    'our neighbor|notre voisin',
    'a young doctor|un jeune médecin',
    'the head teacher|la directrice',
  ],
  [
    'of the school|de l’école',
    'of the museum|du musée',
    'from the north|du nord',
    'with the red car|à la voiture rouge',
  ],
  ['described|a décrit', 'repaired|a réparé', 'painted|a peint', 'sold|a vendu', 'measured|a mesuré'],
  [
    'the old bridge|le vieux pont',
    'three wooden boats|trois bateaux en bois',
    'a garden wall|un mur du jardin',
  ],
  [
    'near the river|près de la rivière',
    'for the visitors|pour les visiteurs',
    'without any help|sans aucune aide',
  ],
].map((list) => list.map((pair) => pair.split('|') as [string, string]));

export const day: Bench = {
  title: 'What jobs cost at 12 in a second: CPU, database, store, connections',
  parts: { jobs: measureJobs },
};

/**
 * Measures what jobs cost, with one API process, one worker process, a store with the S3 API and a model that responds
 * after half a second: an hour without requests, a steady rate for `DAY_SECONDS`, as many texts as possible, and documents.
 * CPU is the time that the processes used, so that other programs on the machine change it little.
 */
async function measureJobs(run: Run): Promise<void> {
  await using fake = await startFakeOpenAi();
  const random = seededRandom(1_000_000);
  let latencyMs = 500;
  const known = new Map<string, string>();
  const sentence = () => {
    const number = Math.floor(90_000 * random()) + 10_000;
    const parts = sentenceParts.map((list) => pick(list, random));
    const [english, french] = [0, 1].map(
      (side) => `${parts.map((pair) => pair[side]).join(' ')} (${number}).`,
    );
    known.set(english!, french!);
    return english!;
  };
  /** New sentences, so that the memory serves none of them. */
  const sentences = (count: number) => Array.from({ length: count }, sentence);
  const french = (text: string) =>
    text
      .split(/(?<=\.) /)
      .map((each) => known.get(each) ?? each)
      .join(' ');
  const reply = translatingReply({ translate: french });
  fake.otherwise(async (response, request) => {
    await delay(latencyMs);
    await reply(response, request);
  });
  const store = await startS3();
  const settings = {
    ...{ PLATFORM_STORAGE_URL: store.url(), ...s3Credentials },
    ...{ OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: fake.baseUrl },
  };
  await withService(
    async ({ service: api, address, env, url, postmaster, tenant }) => {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      await sql`select set_config('lingualoop.tenant_id', '*', false)`;
      const worker = await startService(env, 'workers/main.ts');
      const pids = { API: api.pid, worker: worker.pid, PostgreSQL: postmaster };
      const pool = new Pool(address, { connections: 256, pipelining: 1 });
      const tenants: BenchTenant[] = [];
      for (let i = 0; i < tenantCount; i++) tenants.push(await tenant());
      let turn = 0;
      const next = () => tenants[turn++ % tenantCount] as BenchTenant;

      const translateText = async () => {
        const source_text = sentences(1 + Math.floor(9 * random())).join(' ');
        const { status, text } = await submitText(next(), { source_text }, pool);
        if (status !== 'published') throw new Error(`the text is ${text.slice(0, 2000)}`);
      };
      const translateDocument = async () => {
        const form = new FormData();
        form.set('target_lang', 'fr');
        form.set('source_document', new File([wordSentences(sentences(paragraphs))], 'Report.docx'));
        const response = await fetch(`${address}/api/documents/translate`, {
          method: 'POST',
          headers: { 'x-api-key': next().apiKey },
          body: form,
        });
        const { id } = (await response.json()) as { id: string };
        if (response.status !== 202) throw new Error(`answered ${response.status}`);
        const state = async () => {
          const [row] = await sql<
            { status: string }[]
          >`select status from document_jobs where document_id = ${id}`;
          if (row?.status === 'failed') throw new Error('a document failed');
          return row?.status;
        };
        while ((await state()) !== 'translated') await delay(250);
      };

      const figures = async () => {
        const [row] = await sql<{ wal: string; bytes: string }[]>`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, pg_database_size(current_database()) as bytes`;
        const cpu = Object.values(pids).map(cpuTimeWithChildren);
        return { cpu, wal: Number(row?.wal), bytes: Number(row?.bytes) };
      };
      /** Reports the figures of `work`, which returns the durations of its jobs; of an hour if it has none. */
      const measure = async (name: string, work: () => Promise<(number | null)[]>) => {
        const requests = store.requests.length;
        const before = await figures();
        const memory = await Promise.all(Object.values(pids).map((pid) => watchMemory(pid, 1000)));
        let connections = 0;
        const sampling = new AbortController();
        const sampled = (async () => {
          while (!sampling.signal.aborted) {
            const [row] = await sql<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
            connections = Math.max(connections, row?.count ?? 0);
            fake.requests.length = 0;
            await delay(1000);
          }
        })();
        const begun = performance.now();
        const all = await work().finally(() => sampling.abort());
        await sampled;
        const elapsed = (performance.now() - begun) / 1000;
        const peaks = await Promise.all(memory.map((each) => each.stop()));
        const after = await figures();
        const durations = all.filter((each) => each !== null);
        const units = durations.length || elapsed / 3600;
        const { p50, p99 } = latencyOf(durations);
        const unit = durations.length > 0 ? 'job' : 'hour';
        const per = (what: string, value: number, of: string) =>
          run.figure(`${name}: ${what} per ${unit}`, value / units, of);
        run.note(`${name}: ${durations.length} of ${all.length} jobs in ${elapsed.toFixed(0)} s`);
        if (durations.length > 0) {
          run.figure(`${name}: rate`, durations.length / elapsed, 'jobs/s');
          run.figure(`${name}: p50`, p50, 'ms');
          run.figure(`${name}: p99`, p99, 'ms');
        }
        for (const [at, process] of Object.keys(pids).entries()) {
          per(`CPU of ${process}`, after.cpu[at]! - before.cpu[at]!, 'ms');
          run.figure(`${name}: memory of ${process}`, peaks[at]!, 'MB');
        }
        per('database', after.bytes - before.bytes, 'bytes');
        per('WAL', after.wal - before.wal, 'bytes');
        const sent = Map.groupBy(store.requests.slice(requests), ({ method }) => method);
        for (const [method, list] of sent) per(`${method} requests to the store`, list.length, '');
        run.figure(`${name}: connections`, connections, '');
      };
      let failure: unknown;
      /** Returns the milliseconds that `work` takes, or null if it fails. */
      const timed = async (work: () => Promise<unknown>) => {
        const begun = performance.now();
        try {
          await work();
          return performance.now() - begun;
        } catch (error) {
          failure ??= error;
          return null;
        }
      };
      /** Calls `work` in parallel loops for a time. */
      const loops = async (count: number, length: number, work: () => Promise<unknown>) => {
        const durations: (number | null)[] = [];
        const end = performance.now() + length * 1000;
        await Promise.all(
          Array.from({ length: count }, async () => {
            while (performance.now() < end) durations.push(await timed(work));
          }),
        );
        return durations;
      };
      const stored = () => [...store.objects.values()].reduce((sum, { content }) => sum + content.length, 0);

      try {
        await loops(8, Math.min(seconds, 10), translateText);
        await translateDocument();
        await measure('no requests', async () => {
          await delay(Math.min(seconds, 60) * 1000);
          return [];
        });
        let count = 0;
        const [objects, bytes] = [store.objects.size, stored()];
        await measure(`steady, each ${documentShare}th job a DOCX`, async () => {
          const jobs: Promise<number | null>[] = [];
          let open = 0;
          const begun = performance.now();
          for (let next = begun; next < begun + seconds * 1000; next += 1000 / rate) {
            await delay(Math.max(0, next - performance.now()));
            // A machine that is busy with other work gets fewer jobs.
            while (open >= 100) await delay(50);
            next = Math.max(next, performance.now() - 1000 / rate);
            open++;
            const job = timed(jobs.length % documentShare === 0 ? translateDocument : translateText);
            jobs.push(job.finally(() => open--));
          }
          count = jobs.length;
          return Promise.all(jobs);
        });
        run.figure('store per job', (stored() - bytes) / count, 'bytes');
        run.figure('objects per job', (store.objects.size - objects) / count, '');
        latencyMs = 0;
        await measure('texts, as many as possible', () => loops(64, seconds, translateText));
        await measure('documents, two at a time', () => loops(2, seconds, translateDocument));
        requirePremise(failure === undefined, `no job fails: ${failure}`);
      } finally {
        await pool.close();
        await sql.end();
        await worker.stop();
      }
    },
    settings,
    ['--api-only'],
  ).finally(() => store.close());
}
