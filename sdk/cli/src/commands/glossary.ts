import { extname } from 'node:path';
import { type Command, exitCodes, UsageError } from '../command.ts';
import { counted, printable, say, sayTable, tell } from '../io.ts';
import { readSource, writeResult } from './files.ts';

const json = { summary: 'print JSON' };

/** Maximum terms of a list; a glossary of the service has fewer. */
const maxTerms = 100_000;

const list: Command = {
  summary: 'list the glossaries',
  options: { json },
  run: async ({ io, values, client }) => {
    const sets = await (await client()).terminology.list({ signal: io.signal });
    if (values.has('json')) say(io, JSON.stringify(sets, null, 2));
    else if (sets.length === 0) tell(io, 'No glossaries.');
    else
      sayTable(
        io,
        ['id', 'name', 'from', 'to', 'terms', 'changed'],
        sets.map((set) => [
          set.id,
          set.name,
          set.source_lang ?? '–',
          set.target_lang ?? '–',
          set.entry_count,
          set.updated_at.slice(0, 10),
        ]),
      );
    return exitCodes.done;
  },
};

const upload: Command = {
  summary: 'create a glossary from a file, or replace the one of the same name',
  args: 'FILE',
  options: {
    name: { summary: 'name of the glossary (default: that of the file)', value: 'NAME' },
    from: { summary: 'source language, if the file has none', value: 'LANG', short: 'f' },
    to: { summary: 'target language, if the file has none', value: 'LANG', short: 't' },
    json,
  },
  notes: ['The file is CSV, XLSX, JSON, TMX or TBX. If it has an error, nothing changes.'],
  examples: ['lingualoop glossary upload terms.csv --from en --to de'],
  run: async ({ io, args: [path = ''], values, client }) => {
    const file = await readSource(io, path);
    const [from, to] = [values.text('from'), values.text('to')];
    const set = await (await client()).terminology.upload(
      file,
      {
        name: values.text('name') ?? file.name.slice(0, file.name.length - extname(file.name).length),
        ...(from !== undefined && { source_lang: from }),
        ...(to !== undefined && { target_lang: to }),
      },
      { signal: io.signal },
    );
    if (values.has('json')) say(io, JSON.stringify(set, null, 2));
    for (const warning of set.warnings) tell(io, `warning: ${printable(warning)}`);
    tell(io, `${set.name} has ${counted(set.entry_count, 'term')}.`);
    return exitCodes.done;
  },
};

const create: Command = {
  summary: 'create a glossary without terms',
  args: 'NAME',
  options: {
    from: { summary: 'source language', value: 'LANG', short: 'f' },
    to: { summary: 'target language', value: 'LANG', short: 't' },
    json,
  },
  examples: ['lingualoop glossary create Brand --from en --to de'],
  run: async ({ io, args: [name = ''], values, client }) => {
    const [source_lang, target_lang] = [values.text('from'), values.text('to')];
    if (!source_lang || !target_lang) throw new UsageError('a language is missing: --from en --to de');
    const set = await (await client()).terminology.create(
      { name, source_lang, target_lang },
      { signal: io.signal },
    );
    if (values.has('json')) say(io, JSON.stringify(set, null, 2));
    tell(io, `Glossary ${set.id} created.`);
    return exitCodes.done;
  },
};

const terms: Command = {
  summary: 'list the terms of a glossary',
  args: 'ID',
  options: { json },
  run: async ({ io, args: [set_id = ''], values, client }) => {
    const entries = await (await client()).terminology
      .entries({ set_id }, { signal: io.signal })
      .toArray({ limit: maxTerms });
    if (values.has('json')) say(io, JSON.stringify(entries, null, 2));
    else
      sayTable(
        io,
        ['source', 'target'],
        entries.map((entry) => [entry.source_term, entry.target_term]),
      );
    return exitCodes.done;
  },
};

const exported: Command = {
  summary: 'export a glossary as TBX, CSV or Excel workbook',
  args: 'ID',
  options: { output: { summary: 'the file to write (default: standard output)', value: 'FILE', short: 'o' } },
  notes: ['FILE is CSV if it ends in .csv, and a workbook if it ends in .xlsx.'],
  examples: ['lingualoop glossary export ID -o terms.xlsx'],
  run: async ({ io, args: [id = ''], values, client }) => {
    const { terminology } = await client();
    const output = values.text('output');
    const tables = { '.csv': terminology.exportCsv, '.xlsx': terminology.exportXlsx };
    const table = tables[extname(output ?? '').toLowerCase() as keyof typeof tables];
    if (table) {
      const file = await table(id, { signal: io.signal });
      await writeResult(io, output, await file.bytes());
      return exitCodes.done;
    }
    const { text } = await terminology.exportTbx(id, {}, { signal: io.signal });
    await writeResult(io, output, text);
    return exitCodes.done;
  },
};

const remove: Command = {
  summary: 'delete a glossary',
  args: 'ID',
  run: async ({ io, args: [id = ''], client }) => {
    await (await client()).terminology.delete(id, { signal: io.signal });
    tell(io, `Glossary ${id} deleted.`);
    return exitCodes.done;
  },
};

export const glossary: Command = {
  summary: 'list, create, upload, export and delete glossaries',
  subcommands: { list, create, upload, terms, export: exported, delete: remove },
};
