import { openDatabase } from '#db/client.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { readGlossaryRevision } from '#server/language/terminology/terms.ts';
import type { Glossaries } from '#server/matching/terms/glossary.ts';
import { createBenchTenant } from './bench-service.ts';
import { materialOf } from './glossary.ts';
import { median } from './load.ts';
import { withService } from './with-service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);

/** The languages, and the maximum time for each in milliseconds. */
const languages = [
  ['en', 20],
  ['ja', 60],
  ['th', 60],
] as const;

/**
 * Reads a glossary of 2,000 terms from the database, compiles it, and finds its terms in 50,000 characters, as for the
 * first text after an upload.
 */
export async function benchGlossaryLoad(print: (line: string) => void): Promise<void> {
  await withService(async ({ service, url }) => {
    const database = openDatabase(url, { size: 1 });
    try {
      for (const [sourceLang, target] of languages) {
        const { tenantId, apiKey } = await createBenchTenant(service.address);
        const { text, terms } = materialOf(sourceLang, 2000);
        await upload(service.address, apiKey, sourceLang, terms);
        const revision = await database.inTenant(tenantId, (tx) => readGlossaryRevision(tx));
        const pair = { sourceLang, targetLang: 'fr' } as const;
        const times = [];
        const find = async (glossaries: Glossaries) => {
          const found = await glossaries.of(database, tenantId, revision ?? '', pair).find(text, null);
          return found?.matches.length ?? 0;
        };
        const kept = createGlossaries();
        for (let round = 0; round < rounds + 10; round++) {
          const start = performance.now();
          const found = await find(createGlossaries());
          times.push(performance.now() - start);
          if (found === 0) throw new Error('no term was found');
          await find(kept);
        }
        const start = performance.now();
        await find(kept);
        const keptReady = performance.now() - start;
        print(
          `${sourceLang}: ${median(times.slice(10)).toFixed(1)} ms   (target ${target}; the first ${times[0]?.toFixed(0)}); kept ready ${keptReady.toFixed(1)} ms`,
        );
      }
    } finally {
      await database.close();
    }
  });
}

async function upload(
  address: string,
  apiKey: string,
  sourceLang: string,
  terms: readonly string[],
): Promise<void> {
  const lines = [
    'source_term,target_term',
    ...terms.map((term, at) => `"${term.replaceAll('"', '""')}",target ${at}`),
  ];
  const form = new FormData();
  form.set('terminology_file', new File([lines.join('\n')], 'terms.csv', { type: 'text/csv' }));
  form.set('name', 'bench');
  form.set('source_lang', sourceLang);
  form.set('target_lang', 'fr');
  const answer = await fetch(`${address}/api/terminology`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: form,
  });
  if (answer.status !== 200) throw new Error(`the upload answered ${answer.status} ${await answer.text()}`);
}
