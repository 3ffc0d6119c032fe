import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from '#server/formats/html-document.ts';
import { memoryText } from '#server/formats/inline-content.ts';
import { parsePo } from '#server/formats/po/parser.ts';
import { readHeader } from '#server/formats/po/writer.ts';
import { pairs as published } from '#test/translations/integrity/pairs.ts';
import { seededRandom, shuffled } from '../seeded-random.ts';

/** A text in English and its translation by a person. */
export interface Pair {
  source: string;
  target: string;
  lang: string;
  /** The catalog or manual. */
  origin: string;
}

/** The Debian installation guide as HTML, of the package installation-guide-amd64 (GPL). */
const guide = process.env['BENCH_GUIDE'] ?? '/usr/share/doc/installation-guide-amd64';

/** A directory of PO files, for example of `msgunfmt`; each states its language in its header. */
const catalogs = process.env['BENCH_PAIRS'];

/** Maximum number of pairs of a language. */
const most = 5000;

/**
 * Reads the pairs of a language from the repository, the installation guide of Debian (`BENCH_GUIDE`) and a directory of
 * PO files (`BENCH_PAIRS`). Each origin has the same share, as far as it has enough pairs.
 */
export async function readPairs(lang: string): Promise<Pair[]> {
  const all: Pair[] = [
    ...published.filter((pair) => pair.lang === lang).map((pair) => ({ ...pair, origin: pair.file })),
    ...(existsSync(join(guide, lang)) ? await readGuide(lang) : []),
    ...(catalogs ? await readCatalogs(catalogs, lang) : []),
  ];
  const random = seededRandom(1);
  const trimmed = all.map((pair) => ({ ...pair, source: pair.source.trim(), target: pair.target.trim() }));
  const unique = new Map(trimmed.filter(isTrustworthy).map((pair) => [pair.source, pair]));
  const byOrigin = [...Map.groupBy(unique.values(), ({ origin }) => origin).values()].map((of) =>
    shuffled(of, random),
  );
  const mixed: Pair[] = [];
  for (let round = 0; mixed.length < Math.min(most, unique.size); round++)
    // The guide has prose, of which catalogs have little.
    mixed.push(...byOrigin.flatMap((of) => of.slice(...sliceOf(of[0]!.origin, round))));
  return mixed.slice(0, most);
}

function sliceOf(origin: string, round: number): [number, number] {
  const size = origin === 'guide' ? 30 : 1;
  return [round * size, (round + 1) * size];
}

/** The translations have the structure of the original. Pages with another number of texts have no pairs. */
async function readGuide(lang: string): Promise<Pair[]> {
  const textsOf = async (path: string) =>
    (await extract(await readFile(path))).segments.map(({ source }) => memoryText(source));
  const pairs: Pair[] = [];
  for (const name of (await readdir(join(guide, 'en'))).filter((name) => name.endsWith('.html')).sort()) {
    const theirs = join(guide, lang, name);
    if (!existsSync(theirs)) continue;
    const [sources, targets] = [await textsOf(join(guide, 'en', name)), await textsOf(theirs)];
    if (sources.length === targets.length)
      pairs.push(...sources.map((source, at) => ({ source, target: targets[at]!, lang, origin: 'guide' })));
  }
  return pairs;
}

async function readCatalogs(folder: string, lang: string): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for await (const path of glob('**/*.po', { cwd: folder })) {
    const entries = parsePo(await readFile(join(folder, path), 'utf8'));
    const header = entries.find(({ id }) => id.text === '')?.translations[0]?.text ?? '';
    if (readHeader(header).get('language')?.split(/[_@-]/)[0] !== lang) continue;
    for (const { id, plural, flags, translations } of entries)
      if (!plural && !flags.includes('fuzzy') && translations[0])
        pairs.push({ source: id.text, target: translations[0].text, lang, origin: path });
  }
  return pairs;
}

/**
 * Whether a pair is a text of some words and its translation. Labels are left out, because few errors can be made in them, and
 * texts of the guide with gaps, because their code is not part of the text.
 */
function isTrustworthy({ source, target, origin }: Pair): boolean {
  return (
    source.length >= 20 &&
    source.length <= 600 &&
    (source.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4 &&
    /\p{L}/u.test(target) &&
    target !== source &&
    !source.includes('translator-credits') &&
    !(origin === 'guide' && /(?:^| )[,.;)]| {2}|[(“] /.test(source))
  );
}
