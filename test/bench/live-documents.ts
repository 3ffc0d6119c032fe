import { setTimeout as delay } from 'node:timers/promises';
import { type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { type BenchTenant, createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { wordSentences } from './documents/word-file.ts';
import { median, requirePremise } from './load.ts';
import { seededRandom } from './seeded-random.ts';
import { withService } from './with-service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** The mean. Responses take 1 to 2 s: with equal times, all requests would end at the same moment. */
const latencyMs = 1500;
/** Model requests that a document may have open at the same time. */
const slots = 96;

const sentence = (n: number) => `The quick brown fox ${n} jumps over the lazy dog, and no one minds.`;
/** The translation keeps the number: the checks of the quality gate pass. */
const translated = (text: string) =>
  `Le vif renard brun ${/\d+/.exec(text)?.[0]} saute par-dessus le chien paresseux, et personne ne s’en soucie.`;

/**
 * Translates Word files of 300, 3,000 and 12,000 paragraphs with a model whose responses take 1.5 s on average, and measures text jobs of
 * another workspace at the same time. With up to 3,000 paragraphs, all groups fit into the slots, and each needs two requests one
 * after the other: so a document takes at least as long as these.
 */
export async function benchLiveDocuments(print: (line: string) => void): Promise<void> {
  await using fake = await startFakeOpenAi();
  const random = seededRandom(1);
  const reply = translatingReply({ translate: translated });
  fake.otherwise(async (response, request) => {
    await delay(latencyMs * (2 / 3 + (2 / 3) * random()));
    return reply(response, request);
  });
  const env = { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: fake.baseUrl, OPENAI_TIMEOUT_SECONDS: '300' };
  await withService(async ({ service: { address } }) => {
    const calm = await createBenchTenant(address);
    await textJob(address, calm);
    for (const [paragraphs, target] of [
      [300, 'target of the last figure at most 1.50'],
      [3000, 'target at most 15 s, and of the last figure 1.50'],
      [12_000, 'target of the last figure at most 1.50'],
    ] as const) {
      const measured: Measured[] = [];
      for (let round = 0; round < rounds; round++)
        measured.push(await measure(address, fake, calm, paragraphs));
      const of = (pick: (one: Measured) => number) => median(measured.map(pick));
      const elapsed = of((one) => one.elapsed);
      const requests = of((one) => one.requests);
      const atOnce = (requests * latencyMs) / elapsed;
      const least = latencyMs * Math.max(2, requests / slots);
      print(
        `a DOCX of ${paragraphs} paragraphs: ${(elapsed / 1000).toFixed(1)} s, ${requests} requests, ${atOnce.toFixed(1)} at a time; elapsed / ${latencyMs} ms of at least two requests, or requests / ${slots} slots: ${(elapsed / least).toFixed(2)}   (${target})`,
      );
      const beside = of((one) => one.beside).toFixed(2);
      print(`    a text job of another workspace: ${beside} times its time alone   (target at most 1.30)`);
    }
  }, env);
}

interface Measured {
  /** Milliseconds from the upload to the response. */
  elapsed: number;
  /** Model requests for the document. */
  requests: number;
  /** The time of a text job during the translation, divided by its time alone. */
  beside: number;
}

async function measure(
  address: string,
  fake: FakeOpenAi,
  calm: BenchTenant,
  paragraphs: number,
): Promise<Measured> {
  const alone = median([
    await textJob(address, calm),
    await textJob(address, calm),
    await textJob(address, calm),
  ]);
  const tenant = await createBenchTenant(address);
  const file = wordSentences(Array.from({ length: paragraphs }, (_, n) => sentence(n)));
  const before = fake.requests.length;
  const begun = performance.now();
  let isOver = false;
  const job = translate(address, tenant, 'Report.docx', file).finally(() => {
    isOver = true;
  });
  const beside: number[] = [];
  let elapsed = 0;
  const ended = job.then(() => {
    elapsed = performance.now() - begun;
  });
  while (!isOver) beside.push(await textJob(address, calm));
  await ended;
  const requests = fake.requests.length - before - 3 * beside.length;
  requirePremise(requests > 0 && beside.length > 0, 'text jobs run while the document is translated');
  return { elapsed, requests, beside: median(beside) / alone };
}

let texts = 0;

/** Translates a text. @returns milliseconds */
async function textJob(address: string, { apiKey }: BenchTenant): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ source_text: sentence(1_000_000 + texts++), target_lang: 'fr' }),
  });
  const { status } = (await response.json()) as { status: string };
  if (status !== 'published') throw new Error(`answered ${response.status} ${status}`);
  return performance.now() - begun;
}
