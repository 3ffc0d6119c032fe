import type { DocumentSegment, LinguaLoop, TextChange } from '../../../src/index.ts';
import { type Call, type Command, exitCodes, Failed, numberOf, type Option, UsageError } from '../command.ts';
import { counted, excerpt, printable, say, sayTable, stylesOf, tell } from '../io.ts';
import { reviewer, reviewerOf } from './review.ts';

const json: Option = { summary: 'print JSON' };
const same: Option = { summary: 'also change all other places of the file that are like this one' };
const written = { reviewer, json };

const list: Command = {
  summary: 'list the texts of a page with their IDs, and the texts that are kept',
  args: 'DOCUMENT',
  options: { page: { summary: 'the number of the page (default: 1)', value: 'N' }, json },
  run: async ({ io, args: [id = ''], values, client: open }) => {
    const client = await open();
    const page = numberOf(values, 'page') ?? 1;
    const { kept } = await client.documents.page({ document_id: id, page }, { signal: io.signal });
    const texts = await segmentsOf(client, id, io.signal);
    const translated = texts.filter((segment) => segment.page === page);
    if (values.has('json')) say(io, JSON.stringify({ texts: translated, kept }, null, 2));
    else
      sayTable(
        io,
        ['text', 'kind', 'source'],
        [
          ...translated.map(({ region_id, kind, source_text }) => [
            region_id,
            kind,
            excerpt(source_text, 60),
          ]),
          ...kept.map(({ region_id, reason, text }) => [region_id, `kept: ${reason}`, excerpt(text, 60)]),
        ],
      );
    return exitCodes.done;
  },
};

const join: Command = {
  summary: 'make one text of neighbors',
  args: 'DOCUMENT TEXT...',
  maxArgs: 51,
  options: { same, ...written },
  run: (call) => make(call, ([, ...region_ids]) => ({ action: 'join', region_ids })),
};

const split: Command = {
  summary: 'divide a text in front of words',
  args: 'DOCUMENT TEXT',
  options: {
    before: { summary: 'the words with which a new text begins', value: 'WORDS', multiple: true },
    same,
    ...written,
  },
  notes: ['Without --before, a text that continues in another column or on another page is divided there.'],
  run: (call) =>
    make(call, async ([id = '', region_id = ''], client) => {
      const [text] = (await segmentsOf(client, id, call.io.signal)).filter(
        (one) => one.region_id === region_id,
      );
      if (!text) throw new Failed(`the document has no text ${region_id}; see "lingualoop mend list"`);
      const at = call.values.list('before').map((words) => {
        const offset = text.source_text.indexOf(words);
        if (offset < 0) throw new UsageError(`the text does not contain ${JSON.stringify(words)}`);
        return offset;
      });
      return { action: 'split', region_id, at: at.sort((one, other) => one - other) };
    }),
};

const keep: Command = {
  summary: 'leave texts as they are in the source',
  args: 'DOCUMENT TEXT...',
  maxArgs: 51,
  options: { same, ...written },
  run: (call) => make(call, ([, ...region_ids]) => ({ action: 'keep', region_ids })),
};

const translate: Command = {
  summary: 'translate texts that are kept',
  args: 'DOCUMENT TEXT...',
  maxArgs: 51,
  options: { same, ...written },
  run: (call) => make(call, ([, ...region_ids]) => ({ action: 'translate', region_ids })),
};

const order: Command = {
  summary: 'move a text in the reading order',
  args: 'DOCUMENT TEXT',
  options: {
    after: { summary: 'the text after which it is read (default: none)', value: 'TEXT' },
    ...written,
  },
  run: (call) =>
    make(call, ([, region_id = '']) => ({
      action: 'order',
      region_id,
      after: call.values.text('after') ?? null,
    })),
};

const undo: Command = {
  summary: 'undo a change',
  args: 'DOCUMENT CHANGE',
  run: async ({ io, args: [document_id = '', change_id = ''], client }) => {
    await (await client()).documents.undo({ document_id, change_id }, { signal: io.signal });
    tell(io, `${change_id} undone`);
    return exitCodes.done;
  },
};

async function segmentsOf(client: LinguaLoop, id: string, signal: AbortSignal): Promise<DocumentSegment[]> {
  return client.documents.segments(id, {}, { signal }).toArray({ limit: 100_000 });
}

async function make(
  { io, args, values, client: open }: Call,
  changeOf: (args: readonly string[], client: LinguaLoop) => TextChange | Promise<TextChange>,
): Promise<number> {
  const client = await open();
  const [document_id = ''] = args;
  const change = await changeOf(args, client);
  const send = async (mend: TextChange | Extract<TextChange, { action: 'join' | 'split' }>[]) => {
    const made = await client.documents.mend(
      { document_id, mend, ...reviewerOf(io, values) },
      { signal: io.signal },
    );
    if (values.has('json')) return say(io, JSON.stringify(made, null, 2));
    const style = stylesOf(io, io.stdout);
    for (const { region_id, source_text, target_text } of made.segments)
      say(
        io,
        `${style('bold', region_id)}  ${printable(source_text)}  →  ${printable(target_text ?? '(not translated yet)')}`,
      );
    const { segments, characters } = made.translated_again;
    tell(
      io,
      `change ${made.change_id}; translated again: ${counted(segments, 'text')}, ${counted(characters, 'character')}`,
    );
  };
  const places = values.has('same')
    ? (await client.documents.similar({ document_id, mend: change }, { signal: io.signal })).places
    : [];
  await send(change);
  const sure = places.flatMap(({ is_sure, mend }) => (is_sure ? [mend] : []));
  const structural = sure.flatMap((mend) =>
    mend.action === 'join' || mend.action === 'split' ? [mend] : [],
  );
  if (structural.length > 0) await send(structural);
  const ids = sure.flatMap((mend) =>
    mend.action === 'keep' || mend.action === 'translate' ? mend.region_ids : [],
  );
  for (let start = 0; start < ids.length; start += 50)
    await send({ action: change.action as 'keep', region_ids: ids.slice(start, start + 50) });
  const unsure = places.length - sure.length;
  if (unsure > 0)
    tell(io, `${counted(unsure, 'other place')} may be like this one; change them in the editor`);
  return exitCodes.done;
}

export const mend: Command = {
  summary: 'fix the texts of a PDF: join, split, keep, translate, order',
  subcommands: { list, join, split, keep, translate, order, undo },
};
