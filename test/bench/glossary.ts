import { readdirSync, readFileSync } from 'node:fs';
import { openDatabase } from '#db/client.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { readGlossaryRevision } from '#server/language/terminology/terms.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { Glossaries } from '#server/matching/terms/glossary.ts';
import { declaration } from '#test/formats/golden-declaration.ts';
import type { Bench, Run } from './bench.ts';
import { requirePremise, timed } from './load.ts';
import { pick, type Random, seededRandom, shuffled } from './seeded-random.ts';
import { type BenchTenant, withService } from './service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const warmUp = 10;
const textLength = 50_000;
const texts = new URL('../../examples/texts/', import.meta.url);

/** The languages, and the maximum time for each in milliseconds. */
const languages = [
  ['en', 20],
  ['ja', 60],
  ['th', 60],
] as const;

export const glossary: Bench = {
  title: 'A glossary of 2,000 terms, and a text of 50,000 characters',
  parts: { load },
};

/**
 * Reads a glossary from the database, compiles it, and finds its terms in a text, as for the first text after an upload.
 * Texts and terms are real: paragraphs in another order, and words and word pairs of other paragraphs.
 */
async function load(run: Run): Promise<void> {
  await withService(async ({ url, tenant }) => {
    const database = openDatabase(url, { size: 1 });
    try {
      for (const [sourceLang, most] of languages) {
        const member = await tenant();
        const { text, terms } = materialOf(sourceLang, 2000);
        await upload(member, sourceLang, terms);
        const revision = await database.inTenant(member.tenantId, (tx) => readGlossaryRevision(tx));
        const pair = { sourceLang, targetLang: 'fr' } as const;
        const find = async (glossaries: Glossaries) => {
          const found = await glossaries.of(database, member.tenantId, revision ?? '', pair).find(text, null);
          requirePremise((found?.matches.length ?? 0) > 0, 'terms occur in the text');
        };
        const kept = createGlossaries();
        const [fresh, again]: [number[], number[]] = [[], []];
        for (let round = 0; round < rounds + warmUp; round++) {
          fresh.push(await timed(() => find(createGlossaries())));
          again.push(await timed(() => find(kept)));
        }
        run.figure(`load, compile and find: ${sourceLang}`, fresh.slice(warmUp), 'ms', { most });
        run.figure(`load, compile and find, the first time: ${sourceLang}`, fresh[0]!, 'ms');
        run.figure(`find in a cached glossary: ${sourceLang}`, again.slice(warmUp), 'ms');
      }
    } finally {
      await database.close();
    }
  });
}

async function upload(
  { address, apiKey }: BenchTenant,
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

/** A text that consists of half of the paragraphs of a language, and terms from the other half. */
function materialOf(language: LanguageCode, count: number): { text: string; terms: string[] } {
  const random = seededRandom(6);
  const paragraphs = [...declaration(language).split('\n'), ...exampleOf(language).split('\n')].filter(
    (line) => line !== '',
  );
  const half = shuffled(paragraphs, random);
  const mine = half.splice(0, Math.ceil(half.length / 2));
  let text = '';
  while (text.length < textLength) text += `${pick(mine, random)}\n`;
  return { text: text.slice(0, textLength), terms: termsOf(half, language, count, random) };
}

function exampleOf(language: LanguageCode): string {
  const file = readdirSync(texts).find((name) => name.startsWith(`${language}-`) && name.endsWith('.txt'));
  return file === undefined ? '' : readFileSync(new URL(file, texts), 'utf8');
}

/** Single words, and sequences of two and three adjacent words. */
function termsOf(lines: readonly string[], language: LanguageCode, count: number, random: Random): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const terms = new Set<string>();
  for (const line of lines) {
    const segments = [...segmenter.segment(line)];
    for (const [at, { isWordLike }] of segments.entries()) {
      if (!isWordLike) continue;
      for (const length of [1, 2, 3, 4, 5]) {
        const run = segments.slice(at, at + length);
        if (run.at(-1)?.isWordLike !== true) continue;
        if (run.some(({ isWordLike, segment }) => !isWordLike && segment !== ' ')) continue;
        terms.add(run.map(({ segment }) => segment).join(''));
      }
    }
  }
  return shuffled([...terms], random).slice(0, count);
}
