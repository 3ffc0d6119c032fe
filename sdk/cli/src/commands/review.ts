import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LinguaLoop, ReviewRequest, TranslationJob } from '../../../src/index.ts';
import { type Call, type Command, exitCodes, Failed, numberOf, UsageError } from '../command.ts';
import { reviewOf, unresolvedOf } from '../files/document-review.ts';
import { counted, excerpt, type Io, printable, say, sayTable, stylesOf, tell } from '../io.ts';

const json = { summary: 'print JSON' };
const reviewer = {
  summary: 'your name, with an API key (default: the name of the system user)',
  value: 'NAME',
};

const list: Command = {
  summary: 'list the texts and documents that await a review',
  options: {
    to: { summary: 'only this target language', value: 'LANG', short: 't' },
    limit: { summary: 'the maximum number of texts (default: 50)', value: 'N' },
    json,
  },
  run: async ({ io, values, client: open }) => {
    const client = await open();
    const target_lang = values.text('to');
    const filter = target_lang === undefined ? {} : { target_lang };
    const limit = numberOf(values, 'limit') ?? 50;
    const jobs = await client.translations
      .search({ statuses: ['awaiting_review', 'refined'], ...filter }, { signal: io.signal })
      .toArray({ limit });
    const documents = (
      await client.documents
        .list({ status: 'translated', ...filter }, { signal: io.signal })
        .toArray({ limit })
    )
      .filter((job) => reviewOf(job) !== undefined)
      .map((job) => ({ job, flagged: unresolvedOf(job) }));
    if (values.has('json')) {
      say(io, JSON.stringify({ texts: jobs, documents: documents.map(({ job }) => job) }, null, 2));
      return exitCodes.done;
    }
    if (jobs.length > 0)
      sayTable(
        io,
        ['text', 'language', 'score', 'reason', 'source'],
        jobs.map((job) => [
          job.id,
          job.target_lang,
          job.score ?? '–',
          job.triggers.join(', '),
          excerpt(job.source_excerpt, 50),
        ]),
      );
    if (documents.length > 0)
      sayTable(
        io,
        ['document', 'language', 'segments', 'file'],
        documents.map(({ job, flagged }) => [job.id, job.request.target_lang, flagged, job.source_file_name]),
      );
    tell(
      io,
      jobs.length + documents.length === 0
        ? 'Nothing awaits a review.'
        : `${counted(jobs.length, 'text')} and ${counted(documents.length, 'document')}. Documents are reviewed in the browser.`,
    );
    return exitCodes.done;
  },
};

const show: Command = {
  summary: 'print a text with its translation and the findings',
  args: 'ID',
  options: { json },
  run: async ({ io, args: [id = ''], values, client }) => {
    const job = await (await client()).translations.get(id, { signal: io.signal });
    if (values.has('json')) say(io, JSON.stringify(job, null, 2));
    else for (const line of linesOf(io, job)) say(io, line);
    return exitCodes.done;
  },
};

function linesOf(
  io: Io,
  { id, status, request, final_translation, agent_run, quality_assessment, verification }: TranslationJob,
): string[] {
  const style = stylesOf(io, io.stdout);
  const { quality_gate: gate } = agent_run;
  const issues = [...(quality_assessment?.issues ?? []), ...(verification?.issues ?? [])];
  const explained = [...new Map(issues.map((issue) => [issue.explanation, issue])).values()];
  return [
    `${style('bold', id)}  ${request.source_lang} → ${request.target_lang}  ${status}${gate ? `  score ${gate.score}` : ''}`,
    ...(gate?.reasons ?? []).map((reason) => style('yellow', printable(reason))),
    '',
    style('dim', 'source'),
    paragraphs(request.source_text),
    '',
    style('dim', 'translation'),
    paragraphs(final_translation ?? '(none)'),
    ...(explained.length > 0 ? ['', style('dim', 'findings')] : []),
    ...explained.map(({ severity, explanation, suggestion }) =>
      printable(`${severity}: ${explanation}${suggestion ? ` ${suggestion}` : ''}`),
    ),
  ];
}

/** Returns a text without control characters, but with its line breaks. */
function paragraphs(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}

const approve: Command = {
  summary: 'publish the translation of a text',
  args: 'ID...',
  maxArgs: 100,
  options: { reviewer },
  run: (call) => decide(call, () => ({ action: 'approve' })),
};

const reject: Command = {
  summary: 'reject the translation of a text',
  args: 'ID...',
  maxArgs: 100,
  options: { reason: { summary: 'the reason', value: 'TEXT' }, reviewer },
  run: (call) => {
    const notes = call.values.text('reason');
    return decide(call, () => ({ action: 'reject', ...(notes !== undefined && { notes }) }));
  },
};

const edit: Command = {
  summary: 'change the translation of a text, and publish it',
  args: 'ID',
  options: { text: { summary: 'the new translation (default: opens EDITOR)', value: 'TEXT' }, reviewer },
  run: (call) =>
    decide(call, async (client, id) => {
      const given = call.values.text('text');
      const job =
        given === undefined ? await client.translations.get(id, { signal: call.io.signal }) : undefined;
      const text = given ?? (await openEditor(call.io, job?.final_translation ?? ''));
      if (text.trim() === '') throw new UsageError('the translation is empty; nothing was changed');
      if (job && text === job.final_translation)
        throw new Failed('the translation is unchanged; use "lingualoop review approve"');
      return { action: 'modify', final_translation: text };
    }),
};

async function decide(
  { io, args, values, client: open }: Call,
  requestOf: (client: LinguaLoop, id: string) => ReviewRequest | Promise<ReviewRequest>,
): Promise<number> {
  const client = await open();
  const name = values.text('reviewer') ?? io.env['USER'] ?? io.env['USERNAME'];
  for (const id of args) {
    const request = await requestOf(client, id);
    const job = await client.translations.review(
      id,
      { ...request, ...(name && { reviewer: name }) },
      { signal: io.signal },
    );
    say(io, `${id} ${job.status}`);
  }
  return exitCodes.done;
}

/** Lets the user edit a text in EDITOR, and returns the result. */
async function openEditor(io: Io, text: string): Promise<string> {
  const editor = io.env['VISUAL'] || io.env['EDITOR'];
  if (!editor) throw new UsageError('set EDITOR, or send the translation with --text');
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-'));
  try {
    const file = join(folder, 'translation.txt');
    await writeFile(file, text, { mode: 0o600 });
    // EDITOR may have arguments, such as `vim -n`.
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Failed(`the editor ended with ${code}; nothing was changed`);
    const edited = await readFile(file, 'utf8');
    // Editors end a file with a line break, which the translation did not have.
    return text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const review: Command = {
  summary: 'list what awaits a review, and decide about texts',
  subcommands: { list, show, approve, edit, reject },
};
