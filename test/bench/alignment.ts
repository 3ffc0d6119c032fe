import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from '#server/formats/html-document.ts';
import { memoryText } from '#server/formats/inline-content.ts';
import { alignTexts, type Link } from '#server/matching/alignment/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import type { Bench, Run } from './bench.ts';

/** The folder in which the packages install the manuals. */
const root = process.env['BENCH_MANUALS'] ?? '/usr/share';
const languages = (process.env['BENCH_LANGUAGES'] ?? 'fr,de,es,it,ja,ru').split(',');

/** A link with a lower confidence is not imported. */
const threshold = 0.9;

/** Manuals of Debian packages: the folder, the English pages, and the same page (`*`) in a language (`$`). */
const manuals: readonly [folder: string, english: string, translated: string][] = [
  ['doc/installation-guide-amd64', 'en/*.html', '$/*.html'],
  ['debian-reference', '*.en.html', '*.$.html'],
  ['developers-reference', '*.html', '$/*.html'],
  ['doc/debian/FAQ', '*.en.html', '$/*.$.html'],
  ['doc/maint-guide/html', '*.en.html', '*.$.html'],
  ['doc/aptitude/html', 'en/*.html', '$/*.html'],
];

/** A sentence, and the number of its paragraph. */
interface Sentence {
  text: string;
  paragraph: number;
}

export const alignment: Bench = {
  title: 'Manuals aligned with their translations, and with other pages',
  parts: { manuals: alignManuals },
};

/**
 * Aligns the sentences of manuals with those of their translations, page by page and without their paragraphs, which judge
 * the links. Each page is also aligned with the translation of the page before it, which must be refused.
 */
async function alignManuals(run: Run): Promise<void> {
  for (const [folder, english, translated] of manuals)
    for (const language of languages) {
      const pages = await readPages(join(root, folder), english, (page) =>
        translated.replaceAll('*', page).replaceAll('$', language),
      );
      if (pages.length > 0) judge(run, `${folder}, ${language}`, pages, language);
    }
}

interface Page {
  ours: string[];
  theirs: string[];
}

/** Returns the texts of the pages that exist in both languages. */
async function readPages(
  folder: string,
  english: string,
  translatedOf: (page: string) => string,
): Promise<Page[]> {
  const [before, after] = english.split('*') as [string, string];
  if (!existsSync(join(folder, before))) return [];
  const names = (await readdir(join(folder, before))).filter((name) => name.endsWith(after)).sort();
  const textsOf = async (path: string) =>
    (await extract(await readFile(path))).segments.map(({ source }) => memoryText(source));
  const pages: Page[] = [];
  for (const name of names) {
    const other = join(folder, translatedOf(name.slice(0, -after.length)));
    if (existsSync(other))
      pages.push({ ours: await textsOf(join(folder, before, name)), theirs: await textsOf(other) });
  }
  return pages;
}

/** Pages with fewer sentences have too little in common with any other page to tell. */
const fewSentences = 20;

function judge(run: Run, what: string, pages: readonly Page[], language: string): void {
  const sums = { good: 0, right: 0, found: 0, expected: 0, refused: 0, others: 0, taken: 0 };
  let previous: Sentence[] = [];
  for (const { ours, theirs } of pages) {
    const [from, to] = [sentencesOf(ours, 'en'), sentencesOf(theirs, language)];
    const align = (other: readonly Sentence[]) =>
      alignTexts(
        from.map(({ text }) => text),
        other.map(({ text }) => text),
      );
    if (Math.min(from.length, previous.length) > fewSentences) {
      sums.others += 1;
      if (align(previous).belongTogether) sums.taken += 1;
    }
    previous = to;
    const { links, belongTogether } = align(to);
    if (!belongTogether) sums.refused += 1;
    // The paragraphs judge only pages that have the same number of them.
    if (!belongTogether || ours.length !== theirs.length) continue;
    const expected = expectedLinks(from, to);
    sums.expected += expected.size;
    for (const { sources, targets, confidence } of links) {
      const [source, target] = [from.slice(...sources), to.slice(...targets)];
      if (confidence < threshold || source.length === 0 || target.length === 0 || isCopied(source, target))
        continue;
      sums.good += 1;
      if (paragraphsOf(source).symmetricDifference(paragraphsOf(target)).size === 0) sums.right += 1;
      if (expected.has(placeOf({ sources, targets }))) sums.found += 1;
    }
  }
  const percent = (part: number, whole: number) => (100 * part) / Math.max(1, whole);
  run.figure(`${what}: precision`, percent(sums.right, sums.good), '%', { least: 98 });
  run.figure(`${what}: recall`, percent(sums.found, sums.expected), '%', { least: 90 });
  run.figure(`${what}: other pages accepted`, sums.taken, `of ${sums.others}`, { most: 0 });
  run.note(`  ${sums.refused} of ${pages.length} pages refused, ${sums.expected} links expected`);
}

function sentencesOf(texts: readonly string[], language: string): Sentence[] {
  return texts.flatMap((text, paragraph) =>
    sentencesIn(text, language).map(({ start, end }) => ({
      text: normalForm(text.slice(start, end)),
      paragraph,
    })),
  );
}

const placeOf = ({ sources, targets }: Pick<Link, 'sources' | 'targets'>) =>
  `${sources.join()} ${targets.join()}`;
const paragraphsOf = (side: readonly Sentence[]) => new Set(side.map(({ paragraph }) => paragraph));

/** Whether a sentence is not translated. It is not proposed as a pair. */
function isCopied([source]: readonly Sentence[], [target]: readonly Sentence[]): boolean {
  return source!.text === target!.text && /^(?:\S+\s+){3}/.test(source!.text);
}

/** Returns the places of the links of paragraphs that have equally many sentences on both sides. */
function expectedLinks(from: readonly Sentence[], to: readonly Sentence[]): Set<string> {
  const [ours, theirs] = [from, to].map((side) =>
    Map.groupBy(side.keys(), (index) => side[index]!.paragraph),
  );
  const expected = new Set<string>();
  for (const [paragraph, sources] of ours!) {
    const targets = theirs!.get(paragraph) ?? [];
    if (sources.length !== targets.length) continue;
    for (const [at, source] of sources.entries()) {
      const target = targets[at]!;
      if (!isCopied([from[source]!], [to[target]!]))
        expected.add(placeOf({ sources: [source, source + 1], targets: [target, target + 1] }));
    }
  }
  return expected;
}
