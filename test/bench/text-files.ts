import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kindOfExtension } from '#server/formats/layout-kinds.ts';
import type { Bench, Run } from './bench.ts';
import { workOnFile } from './documents/file-work.ts';
import { inventWords } from './documents/sentences.ts';
import { requirePremise, rounds } from './load.ts';
import { seededRandom } from './seeded-random.ts';

const texts = (() => {
  const random = seededRandom(33);
  return Array.from({ length: 10_000 }, () => `${inventWords(4 + Math.floor(12 * random()), random)}.`);
})();
const joinTexts = (write: (text: string, at: number) => string, between = '\n') =>
  `${texts.map(write).join(between)}\n`;
const cue = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19);

interface Case {
  extension: string;
  content: string;
  tool: string;
  /** The commands that extract the texts and write a file with them. `$1` is the source, `$2` and `$3` are new files. */
  commands: string[];
}

const withToolkit = (extension: string, content: string, [from, to]: readonly [string, string]): Case => ({
  extension,
  content,
  tool: `translate-toolkit (${from}, ${to})`,
  commands: [`${from} --progress=none $1 $2.po`, `${to} --progress=none -t $1 $2.po $3.${extension}`],
});

const cases: Case[] = [
  {
    extension: 'po',
    content: `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n${joinTexts((text) => `msgid "${text}"\nmsgstr ""\n`)}`,
    tool: 'translate-toolkit (podebug)',
    commands: ['podebug --progress=none --rewrite=bracket $1 $3.po'],
  },
  withToolkit(
    'json',
    JSON.stringify(Object.fromEntries(texts.map((text, at) => [`key${at}`, text])), null, 2),
    ['json2po', 'po2json'],
  ),
  withToolkit(
    'properties',
    joinTexts((text, at) => `key${at}=${text}`),
    ['prop2po', 'po2prop'],
  ),
  withToolkit(
    'yaml',
    joinTexts((text, at) => `key${at}: "${text}"`),
    ['yaml2po', 'po2yaml'],
  ),
  withToolkit(
    'srt',
    joinTexts((text, at) => `${at + 1}\n${cue(at * 4)},000 --> ${cue(at * 4 + 3)},000\n${text}\n`),
    ['sub2po', 'po2sub'],
  ),
  withToolkit(
    'html',
    `<html><body>\n${joinTexts((text) => `<p>${text.replace(' ', ' <b>b</b> ')}</p>`)}</body></html>`,
    ['html2po', 'po2html'],
  ),
  {
    extension: 'md',
    content: joinTexts((text) => text.replace(' ', ' **b** '), '\n\n'),
    tool: 'po4a (po4a-updatepo, po4a-translate)',
    commands: [
      'po4a-updatepo -f text -o markdown -M UTF-8 -m $1 -p $2.po',
      'po4a-translate -f text -o markdown -M UTF-8 -k 0 -m $1 -p $2.po -l $3.md',
    ],
  },
];

export const textFiles: Bench = {
  title: 'Text files of 10,000 texts, compared with po4a and translate-toolkit',
  parts: Object.fromEntries(cases.map((one) => [one.extension, (run) => measure(run, one)])),
};

/**
 * Measures check, extraction and reconstruction of a text file, in new child processes. Alternates with the nearest
 * tool, which extracts the texts of the same file and writes it again.
 */
async function measure(run: Run, { extension, content, tool, commands }: Case): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  try {
    const source = join(folder, `source.${extension}`);
    await writeFile(source, content);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const { ms, segments } = await workOnFile(kindOfExtension(extension)!, Buffer.from(content));
      requirePremise(segments === texts.length, `${extension}: each text is found (${segments})`);
      ours.push(ms.all / 1000);
      const files = [source, join(folder, `po-${round}`), join(folder, `new-${round}`)];
      const took = await timeOf(commands, files, extension);
      if (took !== null) theirs.push(took / 1000);
    }
    run.figure(extension, ours, 's');
    if (theirs.length < rounds) return run.note(`${tool} is not installed: without the other side`);
    run.figure(`${extension}: ${tool}`, theirs, 's');
    run.ratio(`${extension}: ours / tool`, ours, theirs, { most: 1 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs commands after another. Returns the milliseconds together; null if one is not installed. */
async function timeOf(
  commands: readonly string[],
  files: readonly string[],
  extension: string,
): Promise<number | null> {
  const begun = performance.now();
  for (const command of commands) {
    const [program = '', ...given] = command.split(' ');
    const parts = given.map((part) => part.replace(/\$([123])/, (_, number) => files[Number(number) - 1]!));
    try {
      await promisify(execFile)(program, parts, { maxBuffer: 1e8 });
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing || /ModuleNotFoundError/.test(String(error))) return null;
      throw error;
    }
  }
  const took = performance.now() - begun;
  const { size } = await stat(`${files[2]}.${extension}`).catch(() => ({ size: 0 }));
  requirePremise(size > 100_000, `${commands.join('; ')} writes a file`);
  return took;
}
