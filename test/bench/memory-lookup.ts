import { sql } from 'drizzle-orm';
import { request } from 'undici';
import { openDatabase } from '#db/client.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { lookUpExact } from '#server/language/translation-memory/lookup/exact-match.ts';
import { type BenchTenant, createBenchTenant } from './bench-service.ts';
import { corpusLanguages, countFound, type FuzzyQuery, fuzzyCorpus } from './fuzzy-corpus.ts';
import { type Latency, latencyOf, measureLatency, requirePremise } from './load.ts';
import { importTmx } from './memory-import.ts';
import { recordStatements } from './recorded-statements.ts';
import { openServerClock } from './server-time.ts';
import { withService } from './with-service.ts';

const lookups = Number(process.env['BENCH_LOOKUPS'] ?? 2000);

/** A tenant, and the sources that its memory holds. */
interface Side {
  tenant: BenchTenant;
  sources: string[];
}

/**
 * The exact tier with 100 and with 50,000 segments, alternately: the look-up in the database by itself, and the request that a
 * stored pair serves.
 */
export async function benchExactLookup(print: (line: string) => void): Promise<void> {
  await withService(async ({ service, url }) => {
    const sizes = [100, 50_000];
    const sides: Side[] = [];
    for (const size of sizes) {
      const tenant = await createBenchTenant(service.address);
      const sources = Array.from(
        { length: size },
        (_, index) => `Stored sentence number ${index} of ${size}.`,
      );
      await importPairs(service.address, tenant, 'en', sources);
      sides.push({ tenant, sources });
    }
    const database = openDatabase(url, { size: 1 });
    const lookUp = ({ tenant, sources }: Side, round: number) =>
      database.inTenant(tenant.tenantId, async (tx) => {
        const sourceText = sources[(round * 7919) % sources.length] as string;
        const { hits } = await lookUpExact(tx, [lookupOf(sourceText)]);
        if (!hits[0]) throw new Error('a stored pair was not found');
      });
    /** The duration of any statement in such a transaction, on this machine, now. */
    const nothing = ({ tenant }: Side) =>
      database.inTenant(tenant.tenantId, (tx) => tx.execute(sql`select 1`));
    const translate = async ({ tenant, sources }: Side, round: number) => {
      const { body, statusCode } = await request(`${service.address}/api/translations`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ source_text: sources[(round * 7919) % sources.length], target_lang: 'fr' }),
      });
      const text = await body.text();
      if (statusCode !== 200 || !text.includes('tm_exact')) throw new Error(`the request answered ${text}`);
    };
    const report = (name: string, small: Latency, large: Latency, more = '') =>
      print(
        `${name.padEnd(28)} 100: ${show(small)}   50,000: ${show(large)}   medians ${(large.p50 / small.p50).toFixed(2)} (target 1.20)   p99 / median ${(large.p99 / large.p50).toFixed(1)} (target 3)${more}`,
      );
    try {
      const [small, large] = await timeByServer(url, sides);
      report('look-up, in the server', small!, large!);
      for (const [name, call] of [
        ['(select 1, as a transaction)', nothing],
        ['look-up, as a transaction', lookUp],
        ['request, served from memory', translate],
      ] as const) {
        const firsts = [];
        for (const side of sides) firsts.push(await timed(() => call(side, 1)));
        const [small, large] = await measureLatency(sides, lookups, call);
        report(name, small!, large!, `   first ${firsts.map((ms) => ms.toFixed(1)).join(', ')} ms`);
      }
    } finally {
      await database.close();
    }
  });
}

const lookupOf = (sourceText: string) => ({ sourceText, sourceLang: 'en', targetLang: 'fr' });

/** What the look-up's statement takes by the server's own clock, the sides alternately. */
async function timeByServer(url: string, sides: readonly Side[]): Promise<Latency[]> {
  const statementFor = async (sourceText: string) =>
    (await recordStatements((tx) => lookUpExact(tx, [lookupOf(sourceText)])))[0]!;
  const { text } = await statementFor('');
  const clocks = await Promise.all(sides.map(({ tenant }) => openServerClock(url, text, tenant.tenantId)));
  const took = sides.map((): number[] => []);
  const rounds = 20;
  const each = Math.ceil(lookups / rounds);
  try {
    for (let round = 0; round < rounds; round++)
      for (const [index, { sources }] of sides.entries()) {
        const keys: string[] = [];
        for (let at = round * each; at < (round + 1) * each; at++) {
          const { parameters } = await statementFor(sources[(at * 7919) % sources.length]!);
          requirePremise(new Set(parameters).size === 1, 'all parameters of the statement are the same');
          keys.push(String(parameters[0]));
        }
        took[index]?.push(...(await clocks[index]!.time(keys)));
      }
  } finally {
    await Promise.all(clocks.map((clock) => clock.close()));
  }
  return took.map(latencyOf);
}

/**
 * The fuzzy tier over 50,000 sentences of each of five languages: recall of the true top 5, and what a look-up takes from the
 * text to its ten pairs.
 */
export async function benchFuzzyLookup(print: (line: string) => void): Promise<void> {
  await withService(async ({ service, url }) => {
    const database = openDatabase(url, { size: 4 });
    try {
      for (const language of corpusLanguages) {
        const { origin, segments, queries } = fuzzyCorpus(language);
        requirePremise(queries.length >= 300, `enough queries of ${language}, not ${queries.length}`);
        const tenant = await createBenchTenant(service.address);
        await importPairs(service.address, tenant, language, segments);
        const pair = { pairSource: language, pairTarget: 'fr' };
        const first = await timed(() => findClose(database, tenant.tenantId, pair, queries[0]!.text));
        const latencies: number[] = [];
        const found = new Map<string, { hits: number; of: number }>();
        for (const query of queries) {
          const start = performance.now();
          const { close } = await findClose(database, tenant.tenantId, pair, query.text);
          latencies.push(performance.now() - start);
          count(
            found,
            query,
            close.map(({ similarity }) => similarity),
          );
        }
        latencies.sort((a, b) => a - b);
        const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
        const recalls = [...found].map(([kind, { hits, of }]) => `${kind} ${((100 * hits) / of).toFixed(1)}`);
        print(
          `${language.padEnd(8)} recall ${recalls.join(', ')} % (target 95)   median ${at(0.5)} ms (25), p95 ${at(0.95)} ms (60), first ${first.toFixed(1)} ms   ${origin}`,
        );
      }
    } finally {
      await database.close();
    }
  });
}

function count(
  found: Map<string, { hits: number; of: number }>,
  query: FuzzyQuery,
  similarities: number[],
): void {
  for (const kind of query.kind === 'short' ? ['short'] : [query.kind, 'all']) {
    const sum = found.get(kind) ?? { hits: 0, of: 0 };
    sum.hits += countFound(query, similarities);
    sum.of += query.closest.length;
    found.set(kind, sum);
  }
}

function importPairs(
  address: string,
  { apiKey }: BenchTenant,
  sourceLang: string,
  sources: readonly string[],
): Promise<void> {
  const units = sources.map((source, index) =>
    tmxUnit({
      sourceLang,
      targetLang: 'fr',
      source,
      target: `Phrase traduite numéro ${index}.`,
      tuid: String(index),
      changedate: null,
    }),
  );
  const file = `${tmxHead({ sourceLang, targetLang: 'fr', creationDate: new Date() })}${units.join('')}${tmxTail}`;
  return importTmx(address, apiKey, Buffer.from(file), sourceLang);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function show({ p50, p99 }: { p50: number; p99: number }): string {
  return `${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)}`;
}
