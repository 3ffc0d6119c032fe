import { openDatabase } from '#db/client.ts';
import { findCloseEach } from '#server/language/translation-memory/lookup/close-match.ts';
import { lookUpExact } from '#server/language/translation-memory/lookup/exact-match.ts';
import { editSimilarity } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { Run } from '../bench.ts';
import { fuzzyCorpus } from '../fuzzy-corpus.ts';
import { latencyOf, requirePremise } from '../load.ts';
import { pick, seededRandom } from '../seeded-random.ts';
import { withService } from '../service.ts';
import { importTmx, writeTmx } from './import.ts';

/** Units of the large TM, in sets of `unitsOfSet`, and the number of paragraphs that are looked up. */
const units = Number(process.env['BENCH_UNITS'] ?? 500_000);
const unitsOfSet = Math.min(units, 50_000);
const lookups = Number(process.env['BENCH_LOOKUPS'] ?? 200);

/**
 * Measures the look-up of a paragraph of eight sentences in a large TM: four sentences are in it, and four differ by a
 * word. Both tiers, from the text to the matches of each sentence, next to a single sentence.
 */
export async function paragraphs(run: Run): Promise<void> {
  await withService(
    async ({ url, tenant: found }) => {
      const random = seededRandom(7);
      const { segments, origin } = fuzzyCorpus('en', unitsOfSet, 1);
      const words = segments.flatMap((text) => text.match(/\p{L}{4,}/gu) ?? []);
      const varied = (text: string) => text.replace(/\p{L}{4,}/u, () => pick(words, random));
      const tenant = await found();
      for (let set = 0; set * unitsOfSet < units; set++) {
        const source = (text: string) => (set === 0 ? text : varied(text));
        const pairs = segments.map((text) => ({ source: source(text), target: `Une phrase ${set}` }));
        await importTmx(tenant, Buffer.from(writeTmx(pairs, 'en', 'fr')), { name: `set ${set}` });
      }
      run.note(`${units} units ${origin}`);
      const database = openDatabase(url, { size: 4 });
      try {
        const pair = { pairSource: 'en', pairTarget: 'fr' };
        let [wanted, matched] = [0, 0];
        const lookUp = async (
          sentences: readonly string[],
          exact: number,
          origins: ReadonlyMap<string, string>,
        ): Promise<number> => {
          const start = performance.now();
          const lookups = sentences.map((sourceText) => ({
            ...{ sourceText, sourceLang: 'en', targetLang: 'fr' },
            isPart: true,
          }));
          const { hits } = await database.inTenant(tenant.tenantId, (tx) => lookUpExact(tx, lookups));
          const open = sentences.filter((_, at) => !hits[at]);
          requirePremise(sentences.length - open.length >= exact, `${exact} sentences are in the memory`);
          const found = await findCloseEach(database, tenant.tenantId, pair, [
            ...(sentences.length > 1 ? [{ text: sentences.join(' ') }] : []),
            ...open.map((text) => ({ text, isPart: true })),
          ]);
          const took = performance.now() - start;
          for (const [at, text] of open.entries()) {
            const alike = editSimilarity(normalForm(text), normalForm(origins.get(text) ?? ''));
            if (alike < 0.7) continue;
            wanted += 1;
            const [best] = found.at(at - open.length)!.close;
            if (best && best.similarity >= alike) matched += 1;
          }
          return took;
        };
        const times = { paragraph: [] as number[], sentence: [] as number[] };
        for (let round = 0; round < lookups; round++) {
          const exact = Array.from({ length: 4 }, () => pick(segments, random));
          const origins = new Map(
            Array.from({ length: 4 }, () => {
              const origin = pick(segments, random);
              return [`${varied(origin)} again`, origin] as const;
            }),
          );
          const close = [...origins.keys()];
          const mixed = exact.flatMap((text, at) => [text, close[at]!]);
          times.paragraph.push(await lookUp(mixed, 4, origins));
          times.sentence.push(await lookUp([close[0]!], 0, origins));
        }
        const share = (100 * matched) / wanted;
        run.figure(`changed sentences in ${units} segments with their best match`, share, '%');
        for (const [name, of] of Object.entries(times)) {
          const { p50, p95 } = latencyOf(of);
          run.figure(`${name} in ${units} segments, median`, p50, 'ms');
          run.figure(
            `${name} in ${units} segments, p95`,
            p95,
            'ms',
            name === 'paragraph' ? { most: 60 } : undefined,
          );
        }
      } finally {
        await database.close();
      }
    },
    { MAX_TM_SEGMENTS: String(2 * units) },
  );
}
