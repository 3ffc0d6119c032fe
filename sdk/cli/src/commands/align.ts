import { type FileAlignment, type LinguaLoop, LinguaLoopError } from '../../../src/index.ts';
import { type Command, exitCodes, Failed, UsageError, type Values } from '../command.ts';
import { counted, grouped, type Io, tell } from '../io.ts';
import { readSource, writeResult } from './files.ts';

type Link = FileAlignment['links'][number];

/** The languages of the files, as the client sends them. */
interface Languages {
  source_lang: string;
  target_lang: string;
}

export const align: Command = {
  summary: 'make a translation memory from a file and its translation',
  args: 'SOURCE TARGET',
  options: {
    from: { summary: 'language of SOURCE (default: en)', value: 'LANG', short: 'f' },
    to: { summary: 'language of TARGET', value: 'LANG', short: 't' },
    memory: { summary: 'the memory that gets the pairs; created if it does not exist', value: 'NAME' },
    accept: { summary: 'the least confidence of a pair, from 0 to 1 (default: 0.9)', value: 'NUMBER' },
    output: {
      summary: 'write the pairs as TMX (default without --memory: standard output)',
      value: 'FILE',
      short: 'o',
    },
  },
  notes: [
    'The files may have different formats. Their sentences must be in the same order.',
    'In the TMX file, each pair has its confidence as a property.',
  ],
  examples: [
    'lingualoop align manual-en.docx manual-de.pdf --to de -o pairs.tmx',
    'lingualoop align manual-en.docx manual-de.pdf --to de --memory Manuals',
  ],
  run: async ({ io, args: [sourcePath = '', targetPath = ''], values, client }) => {
    const target_lang = values.text('to');
    if (!target_lang) throw new UsageError('the target language is missing: --to de');
    const languages = { source_lang: values.text('from') ?? 'en', target_lang };
    const accept = leastConfidence(values);
    const [source, target] = [await readSource(io, sourcePath), await readSource(io, targetPath)];
    const service = await client();
    const { links } = await service.memory
      .align(source, target, languages, { signal: io.signal })
      .catch((error: unknown) => {
        throw inNamesOfFiles(error, { source_file: sourcePath, target_file: targetPath });
      });
    const pairs = links.filter((link) => isPair(link) && link.confidence >= accept);
    const single = links.filter((link) => !isPair(link)).length;
    const below = links.length - single - pairs.length;
    tell(
      io,
      `${counted(pairs.length, 'pair')} with a confidence from ${accept}, ${grouped(below)} below, ${counted(single, 'sentence')} without a pair.`,
    );
    if (pairs.length === 0) throw new Failed('no pair is good enough; lower --accept');
    const [name, output] = [values.text('memory'), values.text('output')];
    if (output !== undefined || name === undefined) await writeResult(io, output, tmxOf(pairs, languages));
    if (name !== undefined)
      await store(io, service, {
        ...{ name, ...languages, pairs: pairs.map(textsOf) },
        file_name: sourcePath,
      });
    return exitCodes.done;
  },
};

const isPair = ({ source, target }: Link) => source !== '' && target !== '';

const textsOf = ({ source, target }: Link) => ({ source, target });

function leastConfidence(values: Values): number {
  const text = values.text('accept') ?? '0.9';
  const least = Number(text);
  if (text.trim() === '' || !(least >= 0 && least <= 1))
    throw new UsageError('--accept must be a number from 0 to 1');
  return least;
}

/** Replaces the names of fields in a rejection with the paths of the files. */
function inNamesOfFiles(error: unknown, names: { source_file: string; target_file: string }): unknown {
  if (!(error instanceof LinguaLoopError) || typeof error.detail !== 'string') return error;
  const message = error.detail.replace(
    /\b(source|target)_file\b/g,
    (field) => names[field as keyof typeof names],
  );
  return message === error.detail ? error : new Failed(message);
}

/** Adds the pairs to the memory of this name, or creates it. */
async function store(
  io: Io,
  { memory }: LinguaLoop,
  request: Languages & { name: string; file_name: string; pairs: { source: string; target: string }[] },
): Promise<void> {
  const { name, file_name: _, ...rest } = request;
  const call = { signal: io.signal };
  const existing = (await memory.list(call)).find((set) => set.name === name);
  if (existing) {
    const { added, already_there } = await memory.addPairs({ set_id: existing.id, ...rest }, call);
    tell(io, `${counted(added, 'segment')} added to ${name}; it already had ${grouped(already_there)}.`);
    return;
  }
  const result = await memory.importPairs(request, call);
  const set =
    'job' in result ? await (await memory.resumeImport(result.job.id, call)).pollUntilDone(call) : result;
  tell(io, `${set.name} has ${counted(set.entry_count, 'segment')}.`);
}

/** Returns a TMX 1.4b file, for a check in another tool. */
function tmxOf(pairs: readonly Link[], { source_lang, target_lang }: Languages): string {
  const variant = (language: string, text: string) =>
    `<tuv xml:lang="${escaped(language)}"><seg>${escaped(text)}</seg></tuv>\n`;
  const units = pairs.map(
    ({ source, target, confidence }) =>
      `<tu>\n<prop type="confidence">${confidence.toFixed(3)}</prop>\n${variant(source_lang, source)}${variant(target_lang, target)}</tu>\n`,
  );
  const header = `<header creationtool="lingualoop" creationtoolversion="1" datatype="plaintext" segtype="sentence" adminlang="en" srclang="${escaped(source_lang)}" o-tmf="LinguaLoop"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n${header}\n<body>\n${units.join('')}</body>\n</tmx>\n`;
}

/** Escapes a text for XML, without the characters that XML 1.0 cannot contain. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
