import { Pool } from 'undici';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { german, sentences } from '#test/translations/live.ts';
import { startBenchService } from './bench-service.ts';
import { median, requirePremise } from './load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const items = 50;
const repeats = 6;
const texts = Array.from({ length: items }, (_, i) => `Sentence number ${i}, which nobody has read before.`);

/**
 * Compares 50 texts in one batch with 50 single requests. Both use one connection and the stub engine, and alternate in
 * one run, so that the figures include everything except the model. Then makes the same comparison with a model whose
 * responses take 500 ms.
 */
export async function benchBatch(print: (line: string) => void): Promise<void> {
  await benchStub(print);
  await benchModel(print);
}

async function benchStub(print: (line: string) => void): Promise<void> {
  const service = await startBenchService();
  const pool = new Pool(service.address, { connections: 1, pipelining: 1 });
  try {
    const tenant = await service.foundTenant();
    const post = poster(pool, tenant.apiKey);
    const singles = async () => {
      for (const source_text of texts) await post({ source_text, target_lang: 'fr' });
    };
    const batch = async () => {
      const jobs = await post({
        inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })),
      });
      if (!Array.isArray(jobs) || jobs.length !== items) throw new Error('the batch is not whole');
    };
    await repeat(singles);
    await repeat(batch);
    const ratios: number[] = [];
    const rates = { singles: [] as number[], batch: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      rates.singles.push(await repeat(singles));
      rates.batch.push(await repeat(batch));
      ratios.push((rates.batch.at(-1) as number) / (rates.singles.at(-1) as number));
    }
    print(`50 single requests    ${Math.round(median(rates.singles))} jobs/s`);
    print(`one batch of 50       ${Math.round(median(rates.batch))} jobs/s`);
    print(`batch / singles       ${median(ratios).toFixed(2)}   (target 3.00 or better)`);
  } finally {
    await pool.close();
    await service.stop();
  }
}

const latencyMs = 500;
/** Number of single requests: 50 would take more than a minute. */
const singleRequests = 6;

/**
 * Texts that do not resemble each other, with their translations: pairs of sentences. A batch of similar texts would be
 * translated one after the other, because each is the fuzzy match of the next one.
 */
const translations = new Map<string, string>(
  sentences.flatMap((first) =>
    sentences.flatMap((second) =>
      first === second ? [] : [[`${first} ${second}`, `${german[first]} ${german[second]}`] as const],
    ),
  ),
);
const pairsOfSentences = [...translations.keys()];

async function benchModel(print: (line: string) => void): Promise<void> {
  await using fake = await startFakeOpenAi();
  fake.otherwise(
    translatingReply({ latencyMs, translate: (text) => translations.get(text) ?? german[text] ?? text }),
  );
  const service = await startBenchService({ OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: fake.baseUrl });
  const pool = new Pool(service.address, { connections: 1, pipelining: 1 });
  try {
    const ratios: number[] = [];
    const rates = { singles: [] as number[], batch: [] as number[] };
    for (let round = 0; round < Math.min(rounds, 2); round++) {
      // A tenant's TM would serve texts that it has translated before. Its first text creates the TM.
      const tenant = await service.foundTenant();
      const post = poster(pool, tenant.apiKey);
      const first = { source_text: sentences[0], target_lang: 'de' };
      const job = (await post(first)) as { status: string };
      requirePremise(job.status === 'published', 'the tenant has a TM');
      const rate = async (jobs: number, work: () => Promise<unknown>) => {
        const start = performance.now();
        await work();
        return jobs / ((performance.now() - start) / 1000);
      };
      const singles = await rate(singleRequests, async () => {
        for (const source_text of pairsOfSentences.slice(0, singleRequests))
          await post({ source_text, target_lang: 'de' });
      });
      const rest = pairsOfSentences.slice(singleRequests);
      const batch = await rate(rest.length, () =>
        post({ inputs: rest.map((Text) => ({ Text, Targets: [{ Language: 'de' }] })) }),
      );
      rates.singles.push(singles);
      rates.batch.push(batch);
      ratios.push(batch / singles);
    }
    const texts = pairsOfSentences.length - singleRequests;
    print(`single requests, model of ${latencyMs} ms   ${median(rates.singles).toFixed(2)} jobs/s`);
    print(`one batch of ${texts}, model of ${latencyMs} ms   ${median(rates.batch).toFixed(2)} jobs/s`);
    print(`batch / singles       ${median(ratios).toFixed(1)}   (target 10.0 or better)`);
  } finally {
    await pool.close();
    await service.stop();
  }
}

function poster(pool: Pool, apiKey: string) {
  return async (body: unknown): Promise<unknown> => {
    const answer = await pool.request({
      method: 'POST',
      path: '/api/translations',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    requirePremise(!text.includes('tm_exact'), 'no text is served from the TM');
    return JSON.parse(text);
  };
}

/** Repeats the work, which translates 50 texts, and returns the jobs per second. */
async function repeat(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) await work();
  return (repeats * items) / ((performance.now() - start) / 1000);
}
