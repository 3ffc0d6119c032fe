import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FileError } from '#server/formats/file-error.ts';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import { fileOf } from './eye/strangers.ts';
import { countRules, noCounts, type RuleCounts, ruleTable } from './pdf/rule-shares.ts';
import { type JudgedText, judgeTexts, kinds, type Mode } from './pdf/tagged-texts.ts';
import { renderSection, type Section } from './report.ts';

/** The number of pages of a file that are judged, so that a long file does not decide. */
const maxPages = 12;

const modes: readonly Mode[] = ['off', 'on'];

interface TruthFile {
  split: string;
  repository: string;
  commit: string;
  path: string;
}

export function readTruth(): TruthFile[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, 'pdf-truth.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [split, repository, commit, path] = line.split('\t') as [string, string, string, string];
    return { split, repository, commit, path };
  });
}

/** The texts of the pages of a file. */
interface JudgedFile {
  repository: string;
  path: string;
  pages: Record<Mode, JudgedText[]>[];
}

async function judgeFile(bytes: Uint8Array, counts: RuleCounts | null): Promise<JudgedFile['pages']> {
  const pdf = await openPdf(await normalize(bytes));
  const pages: JudgedFile['pages'] = [];
  for (let number = 1; number <= Math.min(maxPages, pdf.pageCount); number++) {
    const page = await pdf.readPage(number);
    const [off, on] = modes.map((mode) => judgeTexts(page, mode));
    pages.push({ off: off ?? [], on: on ?? [] });
    if (counts) for (const mode of modes) countRules(page, mode, counts);
  }
  await pdf.close();
  return pages;
}

const options = {
  texts: { type: 'boolean' },
  /** `train` or `val`. */
  split: { type: 'string' },
  /** A file for the texts, and one of an earlier run: the texts that have changed are printed. */
  save: { type: 'string' },
  against: { type: 'string' },
  /** Whether the shares of the rules about two lines are printed. */
  rules: { type: 'boolean', default: false },
} as const;

/**
 * Runs `npm run fidelity -- --texts FOLDER`. The folder has the Git repositories of pdf-truth.tsv as `owner+name/repo`.
 *
 * @returns the results; undefined for a part of the files, whose results are only printed
 */
export async function measureTexts(args: readonly string[]): Promise<Section[] | undefined> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const files: JudgedFile[] = [];
  const counts = values.rules ? noCounts() : null;
  const left: string[][] = [];
  for (const { split, repository, commit, path } of readTruth()) {
    if (values.split && split !== values.split) continue;
    const folder = join(resolve(positionals[0] ?? '.'), repository.replace('/', '+'), 'repo');
    const bytes = fileOf(folder, commit, path);
    try {
      if (!bytes) throw new FileError('unreadable', 'is absent');
      files.push({ repository, path, pages: await judgeFile(bytes, counts) });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      left.push([`${repository} ${path}`, error.message]);
    }
  }
  if (values.against) printChanges(files, JSON.parse(readFileSync(values.against, 'utf8')) as JudgedFile[]);
  if (values.save) writeFileSync(values.save, JSON.stringify(files));
  const section = textSection(files, left);
  if (counts) console.log(renderSection({ title: 'Rules', notes: '', tables: [ruleTable(counts)] }));
  if (!values.split) return [section];
  console.log(renderSection(section));
  return undefined;
}

/** Prints the texts whose fault has changed, with what the service read. */
export function printChanges(files: readonly JudgedFile[], earlier: readonly JudgedFile[]): void {
  const before = new Map(
    earlier.flatMap((file) => [...textsOf(file)].map(({ key, text }) => [key, text] as const)),
  );
  for (const file of files)
    for (const { key, text } of textsOf(file)) {
      const old = before.get(key);
      if (old?.fault === text.fault) continue;
      console.log(
        `${text.fault ? '-' : '+'} ${key} ${old?.fault ?? 'exact'} → ${text.fault ?? 'exact'}: ${text.text}`,
      );
      for (const found of text.fault ? text.found : (old?.found ?? [])) console.log(`    | ${found}`);
    }
}

function* textsOf({ repository, path, pages }: JudgedFile): Generator<{ key: string; text: JudgedText }> {
  for (const mode of modes)
    for (const [index, page] of pages.entries())
      for (const text of page[mode])
        yield { key: `${mode} ${repository}/${path} p${index + 1} ${text.index}`, text };
}

/** Counts of exact ones and of all. */
type Share = readonly [exact: number, all: number];

const add = (shares: readonly Share[]): Share =>
  shares.reduce<Share>(([exact, all], share) => [exact + share[0], all + share[1]], [0, 0]);

const notes = `The texts that the files of [pdf-truth.tsv](pdf-truth.tsv) declare by tags, on the first ${maxPages} pages of each file. A text is exact if all of
its letters, and no words of others, are in one text of the service, which reads the file with its tags and without them. Left out are
pages with less than 80 % of their letters in declared texts, texts without words, texts that stay, and rows of values with tabs or
leaders. The intervals contain 95 % of the shares in random samples of the repositories.`;

export function textSection(files: readonly JudgedFile[], left: readonly string[][]): Section {
  const texts = (mode: Mode, kind?: string) => (file: JudgedFile) => {
    const own = file.pages.flatMap((page) => page[mode]).filter((text) => !kind || text.kind === kind);
    return [own.filter(({ fault }) => !fault).length, own.length] as const;
  };
  const pages = (mode: Mode) => (file: JudgedFile) => {
    const own = file.pages.filter((page) => page[mode].length > 0);
    return [own.filter((page) => page[mode].every(({ fault }) => !fault)).length, own.length] as const;
  };
  const row = (name: string, share: (mode: Mode) => (file: JudgedFile) => Share): string[] => [
    name,
    String(add(files.map(share('off')))[1]),
    ...modes.flatMap((mode) => withInterval(files, share(mode))),
  ];
  const rows = [
    row('texts', texts),
    ...kinds.map((kind) => row(kind, (mode) => texts(mode, kind))),
    row('pages without a wrong text', pages),
  ];
  return {
    title: 'Texts of tagged PDF files',
    notes,
    tables: [
      {
        title: `${files.length} files of ${new Set(files.map(({ repository }) => repository)).size} repositories`,
        head: ['what', 'all', 'tags off', 'interval', 'tags on', 'interval'],
        rows,
      },
      { title: 'Files that are absent', head: ['file', 'reason'], rows: left },
    ],
  };
}

const samples = 1000;

/** Returns a share, and the interval of 95 % of the shares of random samples of the repositories. */
function withInterval(files: readonly JudgedFile[], share: (file: JudgedFile) => Share): [string, string] {
  const shares = [...Map.groupBy(files, ({ repository }) => repository).values()].map((own) =>
    add(own.map(share)),
  );
  const percent = ([exact, all]: Share): number => (100 * exact) / Math.max(1, all);
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const drawn = Array.from({ length: samples }, () =>
    percent(add(shares.map(() => shares[Math.floor(random() * shares.length)]!))),
  ).sort((one, other) => one - other);
  const [low, high] = [drawn[Math.floor(0.025 * samples)]!, drawn[Math.floor(0.975 * samples)]!];
  return [`${percent(add(shares)).toFixed(1)} %`, `${low.toFixed(1)} to ${high.toFixed(1)} %`];
}
