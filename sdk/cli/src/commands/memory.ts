import { extname } from 'node:path';
import { type Command, exitCodes, numberOf, UsageError, type Values } from '../command.ts';
import { excerpt, grouped, openProgress, say, sayTable, tell } from '../io.ts';
import { readSource, writeResult } from './files.ts';

const json = { summary: 'print JSON' };

/** @throws UsageError without --to */
function requiredTarget(values: Values): string {
  const lang = values.text('to');
  if (!lang) throw new UsageError('the target language is missing: --to de');
  return lang;
}

const list: Command = {
  summary: 'list the translation memories',
  options: { json },
  run: async ({ io, values, client }) => {
    const sets = await (await client()).memory.list({ signal: io.signal });
    if (values.has('json')) say(io, JSON.stringify(sets, null, 2));
    else if (sets.length === 0) tell(io, 'No translation memories.');
    else
      sayTable(
        io,
        ['id', 'name', 'from', 'to', 'segments', 'changed'],
        sets.map((set) => [
          set.id,
          set.name,
          set.source_lang,
          set.target_lang,
          set.entry_count,
          set.updated_at.slice(0, 10),
        ]),
      );
    return exitCodes.done;
  },
};

const imported: Command = {
  summary: 'import a TMX file, or replace the memory of the same name',
  args: 'FILE',
  options: {
    name: { summary: 'name of the memory (default: that of the file)', value: 'NAME' },
    from: { summary: 'source language', value: 'LANG', short: 'f' },
    to: { summary: 'target language', value: 'LANG', short: 't' },
    json,
  },
  examples: ['lingualoop memory import handbook.tmx --from en --to fr'],
  run: async ({ io, args: [path = ''], values, client }) => {
    const file = await readSource(io, path);
    const progress = openProgress(io, 1);
    const request = {
      name: values.text('name') ?? file.name.slice(0, file.name.length - extname(file.name).length),
      source_lang: values.text('from') ?? 'en',
      target_lang: requiredTarget(values),
    };
    try {
      const poller = await (await client()).memory.importTmx(file, request, {
        signal: io.signal,
        onProgress: (_job, share) => progress.set(file.name, Math.min(share, 0.99)),
      });
      const set = await poller.pollUntilDone({ signal: io.signal });
      progress.end();
      if (values.has('json')) say(io, JSON.stringify(set, null, 2));
      tell(io, `${set.name} has ${grouped(set.entry_count)} segments.`);
    } finally {
      progress.end();
    }
    return exitCodes.done;
  },
};

const search: Command = {
  summary: 'list the segments in which a text occurs',
  args: 'TEXT',
  options: {
    from: { summary: 'source language (default: en)', value: 'LANG', short: 'f' },
    to: { summary: 'target language', value: 'LANG', short: 't' },
    target: { summary: 'search the translations instead of the sources' },
    limit: { summary: 'the maximum number of segments (default: 20)', value: 'N' },
    json,
  },
  examples: ["lingualoop memory search 'annual report' --to de"],
  run: async ({ io, args: [text = ''], values, client }) => {
    const target_lang = requiredTarget(values);
    const side = values.has('target') ? 'target' : 'source';
    const found = await (await client()).memory
      .concordance(
        { text, source_lang: values.text('from') ?? 'en', target_lang, side },
        { signal: io.signal },
      )
      .toArray({ limit: numberOf(values, 'limit') ?? 20 });
    if (values.has('json')) say(io, JSON.stringify(found, null, 2));
    else if (found.length === 0) tell(io, 'No segments.');
    else
      sayTable(
        io,
        ['source', 'target'],
        found.map((unit) => [excerpt(unit.source_text, 60), excerpt(unit.target_text, 60)]),
      );
    return exitCodes.done;
  },
};

const exported: Command = {
  summary: 'export a translation memory as TMX or CSV',
  args: 'ID',
  options: { output: { summary: 'the file to write (default: standard output)', value: 'FILE', short: 'o' } },
  notes: ['FILE is CSV if it ends in .csv.'],
  run: async ({ io, args: [id = ''], values, client }) => {
    const { memory } = await client();
    const output = values.text('output');
    const isCsv = extname(output ?? '').toLowerCase() === '.csv';
    const file = await (isCsv ? memory.exportCsv : memory.export)(id, { signal: io.signal });
    await writeResult(io, output, await file.bytes());
    return exitCodes.done;
  },
};

const remove: Command = {
  summary: 'delete a translation memory',
  args: 'ID',
  run: async ({ io, args: [id = ''], client }) => {
    await (await client()).memory.delete(id, { signal: io.signal });
    tell(io, `Translation memory ${id} deleted.`);
    return exitCodes.done;
  },
};

export const memory: Command = {
  summary: 'list, import, search, export and delete translation memories',
  subcommands: { list, import: imported, search, export: exported, delete: remove },
};
