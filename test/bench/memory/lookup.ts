import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/client.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { lookUpExact } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { Run } from '../bench.ts';
import { corpusLanguages, countFound, type FuzzyQuery, fuzzyCorpus } from '../fuzzy-corpus.ts';
import { type Latency, latencyOf, measureLatency, requirePremise, timed } from '../load.ts';
import { recordStatements } from '../recorded-statements.ts';
import { type BenchTenant, submitText, withService } from '../service.ts';
import { importTmx, writeTmx } from './import.ts';
import { openServerClock } from './server-time.ts';

const lookups = Number(process.env['BENCH_LOOKUPS'] ?? 2000);
/** The segments of the larger TM, and of each TM of fuzzy matches. */
const segmentCount = Number(process.env['BENCH_UNITS'] ?? 50_000);

/** A tenant, and the source texts in its TM. */
interface Side {
  tenant: BenchTenant;
  sources: string[];
}

/**
 * Measures exact matches in TMs of 100 and of 50,000 segments, which alternate: the lookup in the database, and the
 * complete request that an exact match serves.
 */
export async function exactMatches(run: Run): Promise<void> {
  await withService(async ({ url, tenant }) => {
    const sides: Side[] = [];
    for (const size of [100, segmentCount]) {
      const member = await tenant();
      const sources = Array.from({ length: size }, (_, at) => `Stored sentence number ${at} of ${size}.`);
      await importPairs(member, 'en', sources);
      sides.push({ tenant: member, sources });
    }
    const database = openDatabase(url, { size: 1 });
    const textOf = ({ sources }: Side, round: number) => sources[(round * 7919) % sources.length] as string;
    const lookUp = (side: Side, round: number) =>
      database.inTenant(side.tenant.tenantId, async (tx) => {
        const { hits } = await lookUpExact(tx, [lookupOf(textOf(side, round))]);
        if (!hits[0]) throw new Error('a stored pair was not found');
      });
    /** A transaction without a lookup, as a baseline for the duration of any statement on this machine. */
    const nothing = ({ tenant }: Side) =>
      database.inTenant(tenant.tenantId, (tx) => tx.execute(sql`select 1`));
    const translate = async (side: Side, round: number) => {
      const { text } = await submitText(side.tenant, { source_text: textOf(side, round) });
      if (!text.includes('tm_exact')) throw new Error(`the request answered ${text}`);
    };
    const report = (name: string, [small, large]: readonly Latency[]) => {
      run.figure(`exact match, ${name}`, large!.p50, 'ms');
      run.figure(`exact match, ${name}: ${segmentCount} / 100 segments`, large!.p50 / small!.p50, '', {
        most: 1.2,
      });
      run.figure(`exact match, ${name}: p99 / median`, large!.p99 / large!.p50, '', { most: 3 });
    };
    try {
      report('in the server', await timeByServer(url, sides));
      for (const [name, call] of [
        ['select 1 instead', nothing],
        ['as a transaction', lookUp],
        ['the whole request', translate],
      ] as const) {
        for (const side of sides) await call(side, 1);
        report(name, await measureLatency(sides, lookups, call));
      }
    } finally {
      await database.close();
    }
  });
}

const lookupOf = (sourceText: string) => ({ sourceText, sourceLang: 'en', targetLang: 'fr' });

/** The duration of the lookup's statement, measured by the database server. The sides alternate. */
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
 * Measures fuzzy matches in TMs of 50,000 sentences for each of five languages: how many of the 5 most similar segments
 * are found, and the time from the text to its ten matches.
 */
export async function fuzzyMatches(run: Run): Promise<void> {
  await withService(async ({ url, tenant }) => {
    const database = openDatabase(url, { size: 4 });
    try {
      for (const language of corpusLanguages) {
        const { origin, segments, queries } = fuzzyCorpus(language, segmentCount);
        requirePremise(queries.length >= 300, `enough queries of ${language}, not ${queries.length}`);
        const { tenantId, ...member } = await tenant();
        await importPairs({ tenantId, ...member }, language, segments);
        const pair = { pairSource: language, pairTarget: 'fr' };
        const find = (query: FuzzyQuery) => findClose(database, tenantId, pair, query.text);
        run.note(
          `${language}: ${origin}; the first takes ${(await timed(() => find(queries[0]!))).toFixed(1)} ms`,
        );
        const latencies: number[] = [];
        const found = new Map<string, { hits: number; of: number }>();
        for (const query of queries) {
          const start = performance.now();
          const { close } = await find(query);
          latencies.push(performance.now() - start);
          count(
            found,
            query,
            close.map(({ similarity }) => similarity),
          );
        }
        const { p50, p95 } = latencyOf(latencies);
        for (const [kind, { hits, of }] of found)
          run.figure(`${language}: recall of the top 5, ${kind}`, (100 * hits) / of, '%', { least: 95 });
        run.figure(`${language}: fuzzy matches, median`, p50, 'ms', { most: 25 });
        run.figure(`${language}: fuzzy matches, p95`, p95, 'ms', { most: 60 });
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

const importPairs = (tenant: BenchTenant, source_lang: string, sources: readonly string[]): Promise<void> => {
  const pairs = sources.map((source, index) => ({ source, target: `Phrase traduite numéro ${index}.` }));
  return importTmx(tenant, Buffer.from(writeTmx(pairs, source_lang, 'fr')), { source_lang });
};
