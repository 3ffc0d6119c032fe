import { setTimeout as delay } from 'node:timers/promises';
import { type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import type { Bench, Run } from './bench.ts';
import { wordSentences } from './documents/word-file.ts';
import { median, requirePremise, rounds, timed } from './load.ts';
import { seededRandom } from './seeded-random.ts';
import { type BenchTenant, createBenchTenant, submitFile, submitText, withService } from './service.ts';

/** The mean. Responses take 1 to 2 s: with equal times, all requests would end at the same moment. */
const latencyMs = 1500;
/** Model requests that a document may have open at the same time. */
const slots = 96;
/** The paragraphs of the documents. */
const lengths = (process.env['BENCH_PARAGRAPHS'] ?? '300,3000,12000').split(',').map(Number);

const sentence = (n: number) => `The quick brown fox ${n} jumps over the lazy dog, and no one minds.`;
/** The translation keeps the number: the checks of the quality gate pass. */
const translated = (text: string) =>
  `Le vif renard brun ${/\d+/.exec(text)?.[0]} saute par-dessus le chien paresseux, et personne ne s’en soucie.`;

export const model: Bench = {
  title: 'Documents with a model of 1.5 s a call, and a text of another workspace',
  parts: { documents },
};

/**
 * Translates Word files of 300, 3,000 and 12,000 paragraphs with a model whose responses take 1.5 s on average, and
 * measures text jobs of another workspace at the same time. With up to 3,000 paragraphs, all groups fit into the slots,
 * and each needs two requests one after the other: so a document takes at least as long as these.
 */
async function documents(run: Run): Promise<void> {
  await using fake = await startFakeOpenAi();
  const random = seededRandom(1);
  const reply = translatingReply({ translate: translated });
  fake.otherwise(async (response, request) => {
    await delay(latencyMs * (2 / 3 + (2 / 3) * random()));
    return reply(response, request);
  });
  const env = { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: fake.baseUrl, OPENAI_TIMEOUT_SECONDS: '300' };
  await withService(async ({ tenant }) => {
    const calm = await tenant();
    await textJob(calm);
    for (const paragraphs of lengths) {
      const measured: Measured[] = [];
      for (let round = 0; round < rounds; round++) measured.push(await measure(fake, calm, paragraphs));
      const file = `DOCX of ${paragraphs} paragraphs`;
      const of = (pick: (one: Measured) => number) => measured.map(pick);
      const elapsed = of((one) => one.elapsed / 1000);
      run.figure(file, elapsed, 's', paragraphs === 3000 ? { most: 15 } : undefined);
      run.note(`  ${median(of((one) => one.requests))} requests to the model`);
      const least = of((one) => (latencyMs / 1000) * Math.max(2, one.requests / slots));
      run.ratio(`${file} / least time of its requests`, elapsed, least, { most: 1.5 });
      run.figure(
        `${file}: a text of another workspace / alone`,
        of((one) => one.beside),
        '',
        { most: 1.3 },
      );
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

async function measure(fake: FakeOpenAi, calm: BenchTenant, paragraphs: number): Promise<Measured> {
  const alone = median([await textJob(calm), await textJob(calm), await textJob(calm)]);
  const tenant = await createBenchTenant(calm.address);
  const file = wordSentences(Array.from({ length: paragraphs }, (_, n) => sentence(n)));
  const before = fake.requests.length;
  let elapsed = 0;
  const ended = timed(() => submitFile(tenant, 'Report.docx', file)).then((took) => {
    elapsed = took;
  });
  const beside: number[] = [];
  while (elapsed === 0) beside.push(await textJob(calm));
  await ended;
  const requests = fake.requests.length - before - 3 * beside.length;
  requirePremise(requests > 0 && beside.length > 0, 'text jobs run while the document is translated');
  return { elapsed, requests, beside: median(beside) / alone };
}

let texts = 0;

/** Translates a text. @returns milliseconds */
const textJob = (tenant: BenchTenant): Promise<number> =>
  timed(async () => {
    const { status } = await submitText(tenant, { source_text: sentence(1_000_000 + texts++) });
    if (status !== 'published') throw new Error(`the text is ${status}`);
  });
