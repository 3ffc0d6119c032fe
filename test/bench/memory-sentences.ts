import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { openDatabase } from '#db/client.ts';
import type { SegmentTranslation } from '#server/formats/document.ts';
import { extract, rebuild } from '#server/formats/html-document.ts';
import { type InlineContent, memoryText } from '#server/formats/inline-content.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { findCloseEach } from '#server/language/translation-memory/lookup/close-match.ts';
import { lookUpExact } from '#server/language/translation-memory/lookup/exact-match.ts';
import { editSimilarity } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import { alignTextsTask } from '#server/platform/sandbox/tasks/align-texts.ts';
import type { TranslationEstimate } from '#server/translation/core/estimate.ts';
import { threshold } from './alignment.ts';
import { type BenchTenant, createBenchTenant } from './bench-service.ts';
import { fuzzyCorpus } from './fuzzy-corpus.ts';
import { requirePremise } from './load.ts';
import { importTmx } from './memory-import.ts';
import { pick, seededRandom } from './seeded-random.ts';
import { withService } from './with-service.ts';

/** The Debian installation guide as HTML, of the package installation-guide-amd64 (GPL). */
export const guide = process.env['BENCH_GUIDE'] ?? '/usr/share/doc/installation-guide-amd64';
const targets = (process.env['BENCH_LANGUAGES'] ?? 'fr,de,es,ja').split(',');

/** A file of the guide: its bytes and its texts, in English and in another language. */
interface Chapter {
  name: string;
  bytes: Buffer;
  pairs: { source: string; target: string }[];
  /** The texts in both languages, which may be of another number. */
  texts: [sources: string[], targets: string[]];
}

/**
 * Measures how much of a manual a TM of sentences serves that was made from the manual and its translation. The estimates of the service are compared with those of a TM of
 * paragraphs, and with a new version of the manual in which each tenth sentence is changed.
 */
export async function benchMemorySentences(print: (line: string) => void): Promise<void> {
  if (!existsSync(join(guide, 'en')))
    return print(`skipped: the installation guide is not installed at ${guide}`);
  const others = await otherFormats();
  await withService(
    async ({ service: { address } }) => {
      for (const language of targets) {
        const chapters = await readChapters(language);
        const paragraphs = chapters.flatMap(({ pairs }) => pairs);
        const sentences = align(chapters, language);
        requirePremise(sentences.length > 1000, `the guide has sentence pairs, not only ${sentences.length}`);
        print(
          `${language}: ${sentences.length} sentence pairs of ${paragraphs.length} paragraphs; not translated: ${untranslated(chapters)}`,
        );
        for (const [title, units] of [
          ['by sentence', sentences],
          ['by paragraph', paragraphs],
        ] as const) {
          const tenant = await createBenchTenant(address);
          const bytes = Buffer.from(tmxOf(units, language));
          await importTmx(address, tenant.apiKey, bytes, 'en', { target_lang: language });
          const measured = {
            'the guide': chapters,
            ...(units === sentences && { 'a new version': await changed(chapters) }),
            ...others,
          };
          for (const [name, files] of Object.entries(measured))
            print(
              `  ${title.padEnd(14)} ${name.padEnd(13)} ${await shares(address, tenant, files, language)}`,
            );
        }
      }
    },
    { MAX_TM_SEGMENTS: '100000', REQUEST_DEADLINE_SECONDS: '600' },
  );
}

/** Returns the share of the characters that the translation of the guide has in English, too: no memory can serve them. */
function untranslated(chapters: readonly Chapter[]): string {
  let [all, kept] = [0, 0];
  for (const {
    texts: [sources, targets],
  } of chapters)
    for (const text of sources) {
      all += text.length;
      if (text.split(' ').length > 3 && targets.includes(text)) kept += text.length;
    }
  return `${((100 * kept) / all).toFixed(1)} %`;
}

function tmxOf(pairs: Chapter['pairs'], targetLang: string): string {
  const languages = { sourceLang: 'en', targetLang };
  return (
    tmxHead({ ...languages, creationDate: new Date() }) +
    pairs.map((pair) => tmxUnit({ ...pair, ...languages, tuid: null, changedate: null })).join('') +
    tmxTail
  );
}

export async function readChapters(language: string): Promise<Chapter[]> {
  const names = (await readdir(join(guide, 'en'))).filter((name) => name.endsWith('.html')).sort();
  const chapters: Chapter[] = [];
  for (const name of names) {
    const theirs = join(guide, language, name);
    if (!existsSync(theirs)) continue;
    const bytes = await readFile(join(guide, 'en', name));
    const [ours, others] = await Promise.all([extract(bytes), extract(await readFile(theirs))]);
    const [sources, targets] = [ours, others].map(({ segments }) =>
      segments.map((segment) => memoryText(segment.source)),
    ) as [string[], string[]];
    // The translations have the structure of the original. Pages with another number of texts have no pairs.
    const pairs =
      sources.length === targets.length
        ? sources.map((source, index) => ({ source, target: targets[index]! }))
        : [];
    chapters.push({ name, bytes, pairs, texts: [sources, targets] });
  }
  return chapters;
}

/**
 * Returns the English guide in other formats: as Word files that LibreOffice makes of the chapters, and as the PDF of
 * the package, which LaTeX has set.
 */
async function otherFormats(): Promise<Record<string, Pick<Chapter, 'name' | 'bytes'>[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  try {
    const names = (await readdir(join(guide, 'en'))).filter((name) => name.endsWith('.html')).sort();
    await promisify(execFile)('soffice', [
      ...['--headless', `-env:UserInstallation=file://${directory}/profile`],
      ...['--infilter=HTML (StarWriter)', '--convert-to', 'docx:MS Word 2007 XML', '--outdir', directory],
      ...names.map((name) => join(guide, 'en', name)),
    ]);
    const docx = names.map(async (name) => {
      const docxName = name.replace(/html$/, 'docx');
      return { name: docxName, bytes: await readFile(join(directory, docxName)) };
    });
    const pdf = await promisify(gunzip)(await readFile(join(guide, 'en', 'install.en.pdf.gz')));
    return {
      'as DOCX': await Promise.all(docx),
      'as PDF': [{ name: 'install.en.pdf', bytes: pdf as Buffer }],
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the sentence pairs of the chapters, aligned one by one like the files that a member uploads. */
function align(chapters: readonly Chapter[], language: string): Chapter['pairs'] {
  return chapters.flatMap(({ name, texts: [sources, targets] }) => {
    const aligned = alignTextsTask({
      source: { texts: sources, language: 'en' },
      target: { texts: targets, language },
      srx: undefined,
    });
    requirePremise(
      'links' in aligned && aligned.belongTogether,
      `${name} and its translation belong together`,
    );
    return 'links' in aligned
      ? aligned.links.filter(({ confidence, source, target }) => confidence >= threshold && source && target)
      : [];
  });
}

/** Returns the chapters with another word in each tenth sentence. */
async function changed(chapters: readonly Chapter[]): Promise<Chapter[]> {
  let sentence = 0;
  return Promise.all(
    chapters.map(async (chapter) => {
      const { segments } = await extract(chapter.bytes);
      const targets = segments.flatMap(({ source, ...key }): SegmentTranslation[] => {
        const target = source.map((item) => {
          if (typeof item !== 'string') return item;
          let text = item;
          for (const { start } of sentencesIn(item, 'en').toReversed())
            if (++sentence % 10 === 0)
              text = text.slice(0, start) + text.slice(start).replace(/\p{L}{4,}/u, 'something');
          return text;
        }) as InlineContent;
        return [{ ...key, target }];
      });
      const bytes = (await rebuild(chapter.bytes, targets, { sourceLanguage: 'en', targetLanguage: 'en' }))
        .bytes;
      return { ...chapter, bytes: Buffer.from(bytes) };
    }),
  );
}

/** Returns the estimate of the chapters together, in percent of their characters. */
async function shares(
  address: string,
  { apiKey }: BenchTenant,
  chapters: readonly Pick<Chapter, 'name' | 'bytes'>[],
  language: string,
): Promise<string> {
  const sums = { characters: 0, exact: 0, sentences: 0, typography: 0, close: 0, repeated: 0, none: 0 };
  const begun = performance.now();
  for (const { name, bytes } of chapters) {
    const form = new FormData();
    form.set('target_lang', language);
    form.set('dry_run', 'true');
    form.set('source_document', new File([new Uint8Array(bytes)], name));
    const response = await fetch(`${address}/api/documents/translate`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: form,
    });
    const estimate = (await response.json()) as TranslationEstimate;
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${JSON.stringify(estimate)}`);
    sums.characters += estimate.characters;
    sums.exact += estimate.exact_matches.characters;
    sums.typography += estimate.typography_matches.characters;
    sums.sentences += estimate.sentence_matches.characters - estimate.typography_matches.characters;
    sums.close += estimate.fuzzy_matches.characters;
    sums.repeated += estimate.repetitions.characters;
    sums.none += estimate.no_match.characters;
  }
  const share = (count: number) => `${((100 * count) / sums.characters).toFixed(1)} %`;
  const took = ((performance.now() - begun) / 1000).toFixed(1);
  return `exact ${share(sums.exact)}, of sentences ${share(sums.sentences)}, typography ${share(sums.typography)}, close ${share(sums.close)}, repeated ${share(sums.repeated)}, none ${share(sums.none)} of ${sums.characters} characters; ${took} s`;
}

/** Units of the large TM, in sets of `unitsOfSet`, and the number of paragraphs that are looked up. */
const units = Number(process.env['BENCH_UNITS'] ?? 500_000);
const unitsOfSet = 50_000;
const paragraphs = Number(process.env['BENCH_LOOKUPS'] ?? 200);

/**
 * Measures the look-up of a paragraph of eight sentences in a large TM: four sentences are in it, and four differ by a
 * word. Both tiers, from the text to the matches of each sentence, next to a single sentence.
 */
export async function benchParagraphLookup(print: (line: string) => void): Promise<void> {
  await withService(
    async ({ service, url }) => {
      const random = seededRandom(7);
      const { segments, origin } = fuzzyCorpus('en', unitsOfSet, 1);
      const words = segments.flatMap((text) => text.match(/\p{L}{4,}/gu) ?? []);
      const varied = (text: string) => text.replace(/\p{L}{4,}/u, () => pick(words, random));
      const tenant = await createBenchTenant(service.address);
      const begun = performance.now();
      for (let set = 0; set * unitsOfSet < units; set++)
        await importTmx(
          service.address,
          tenant.apiKey,
          Buffer.from(
            tmxOf(
              segments.map((text) => ({
                source: set === 0 ? text : varied(text),
                target: `Une phrase ${set}`,
              })),
              'fr',
            ),
          ),
          'en',
          { name: `set ${set}` },
        );
      print(`${units} units imported in ${((performance.now() - begun) / 1000).toFixed(0)} s (${origin})`);
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
        for (let round = 0; round < paragraphs; round++) {
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
        print(
          `of ${wanted} changed sentences, ${((100 * matched) / wanted).toFixed(1)} % have their best match`,
        );
        for (const [name, of] of Object.entries(times)) {
          const sorted = of.toSorted((a, b) => a - b);
          const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1);
          print(`${name.padEnd(10)} median ${at(0.5)} ms, p95 ${at(0.95)} ms (target of a paragraph: 60)`);
        }
      } finally {
        await database.close();
      }
    },
    { MAX_TM_SEGMENTS: String(2 * units) },
  );
}
