import { Pool } from 'undici';
import { type FakeOpenAi, failure, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import type { BareTenant } from './bare-job.ts';
import { startBenchService } from './bench-service.ts';
import { median, requirePremise } from './load.ts';

const latencyMs = 500;
/** Model calls of one job, one after the other: translation, assessment, verification. */
const callsPerJob = 3;
/** The translation keeps the number: the checks of the quality gate pass. */
const translated = (text: string) =>
  `Le vif renard brun ${/\d+/.exec(text)?.[0]} saute par-dessus le chien paresseux, et personne ne s’en soucie.`;
const others = 1000;

/**
 * Measures the live engine with a local endpoint that takes 500 ms for each call. Compares 64 concurrent jobs with a
 * single job, and measures the jobs of one tenant while a thousand jobs of another tenant wait. The API has 10 database
 * connections.
 */
export async function benchLiveEngine(print: (line: string) => void): Promise<void> {
  await using fake = await startFakeOpenAi();
  fake.otherwise(translatingReply({ latencyMs, translate: translated }));
  const service = await startBenchService({
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_TIMEOUT_SECONDS: '300',
  });
  const pool = new Pool(service.address, { connections: others + 100, headersTimeout: 0, bodyTimeout: 0 });
  let jobs = 0;
  /** Each job has its own text: the TM would serve a text that was published before. */
  const translate = async ({ apiKey }: BareTenant) => {
    const sourceText = `The quick brown fox ${jobs++} jumps over the lazy dog, and no one minds.`;
    const start = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/translations',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ source_text: sourceText, target_lang: 'fr' }),
    });
    const job = (await body.json()) as { status: string };
    if (statusCode !== 200 || job.status !== 'published')
      throw new Error(`answered ${statusCode} ${job.status}`);
    return performance.now() - start;
  };

  try {
    const [busy, calm] = [await service.foundTenant(), await service.foundTenant()];
    await translate(busy);
    fake.requests.length = 0;
    jobs = 0;
    const alone = median(await inTurn(5, () => translate(calm)));
    print(
      `one job alone         ${Math.round(alone)} ms (its critical path: ${callsPerJob} calls of ${latencyMs} ms)`,
    );

    const ratios: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      await Promise.all(Array.from({ length: 64 }, () => translate(busy)));
      ratios.push((performance.now() - start) / alone);
    }
    requirePremise(
      fake.requests.length === jobs * callsPerJob,
      `${jobs} jobs make ${callsPerJob} model calls each, not ${fake.requests.length} in all`,
    );
    print(`64 jobs at once       ${median(ratios).toFixed(2)} times one job   (target at most 1.30)`);

    const failing = await failingBatch(pool, fake, calm);
    print(
      `a batch of 50 whose 10th item fails: ${failing.jobs} jobs, ${failing.later} engine calls for later items   (target: 10 jobs)`,
    );

    const flood = Promise.all(Array.from({ length: others }, () => translate(busy)));
    const beside = await inTurn(5, () => translate(calm));
    const left = await Promise.race([flood.then(() => 'ended'), Promise.resolve('running')]);
    requirePremise(left === 'running', 'the other tenant has queued jobs during the whole measurement');
    print(
      `while another tenant has ${others} queued jobs: ${(median(beside) / alone).toFixed(2)} times   (target at most 1.50)`,
    );
    await flood;
  } finally {
    await pool.close();
    await service.stop();
  }
}

/**
 * Sends a batch with a failing text. Returns the jobs that the batch leaves, and the number of model calls for texts
 * after the failing one.
 */
async function failingBatch(pool: Pool, fake: FakeOpenAi, { apiKey }: BareTenant) {
  const before = fake.requests.length;
  fake.otherwise((response, request) =>
    JSON.stringify(request.body.messages).includes('number 9,')
      ? failure(400, { code: 'content_filter' })(response, request)
      : translatingReply({ translate: translated })(response, request),
  );
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const inputs = Array.from({ length: 50 }, (_, i) => ({
    Text: `The quick brown fox number ${i}, jumps over the lazy dog, and nobody minds.`,
    Targets: [{ Language: 'fr' }],
  }));
  const answer = await pool.request({
    method: 'POST',
    path: '/api/translations',
    headers,
    body: JSON.stringify({ inputs }),
  });
  await answer.body.dump();
  if (answer.statusCode !== 422) throw new Error(`the batch answered ${answer.statusCode}`);
  const asked = fake.requests.slice(before).map(({ body }) => JSON.stringify(body.messages));
  const later = asked.filter((messages) => Number(/fox number (\d+)/.exec(messages)?.[1]) > 9).length;
  const list = await pool.request({ method: 'GET', path: '/api/translations?limit=200', headers });
  const jobs = (await list.body.json()) as { request: { source_text: string } }[];
  fake.otherwise(translatingReply({ latencyMs, translate: translated }));
  return { jobs: jobs.filter(({ request }) => request.source_text.includes('number')).length, later };
}

async function inTurn<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}
