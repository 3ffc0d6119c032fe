import { languages, type TerminologySet } from '../../../../src/index.ts';
import { CompatError, type CompatRequest, textField } from '../request.ts';
import {
  badRequest,
  type Call,
  knownCode,
  type Operation,
  requiredField,
  serviceCode,
  sourceOf,
  targetOf,
} from './call.ts';

/*
 * Glossaries of versions 2 and 3. A glossary of the service is one of DeepL, and its terms of a language pair are a
 * dictionary. Terms for any language belong to no dictionary; they stay when a dictionary changes.
 */

/** Maximum terms of a glossary that are read, and that one upload may have. */
const maxEntries = 100_000;
/** Maximum characters of a name. DeepL allows more. */
const maxName = 128;

/** The languages of a dictionary, as codes of the service. */
interface Pair {
  from: string;
  to: string;
}

interface Dictionary extends Pair {
  entries: readonly Entry[];
}

/** A term in the shape of an upload. */
interface Row {
  source_lang: string | null;
  target_lang: string | null;
  source_term: string;
  target_term: string;
  case_sensitive: boolean;
  priority: number;
  status?: string | undefined;
}

/** Dictionaries have no forbidden translations. A change of a dictionary keeps those of the glossary. */
const isForbidden = ({ status }: Row) => status === 'forbidden';

const isOf = (row: { source_lang: string | null; target_lang: string | null }, { from, to }: Pair) =>
  row.source_lang === from && row.target_lang === to;

export const glossaryOperations: Readonly<Record<string, Operation>> = {
  'GET /v2/glossary-language-pairs': () => ({ json: { supported_languages: languagePairs() } }),
  'POST /v2/glossaries': async (call) => ({
    status: 201,
    json: viewV2(await create(call, [dictionaryOf(call.request)])),
  }),
  'GET /v2/glossaries': async (call) => ({ json: { glossaries: (await allOf(call)).map(viewV2) } }),
  'GET /v2/glossaries/:id': async (call) => ({ json: viewV2(await findGlossary(call, call.id)) }),
  'DELETE /v2/glossaries/:id': remove,
  'GET /v2/glossaries/:id/entries': entriesV2,
  'POST /v3/glossaries': async (call) => ({
    status: 201,
    json: await viewV3(call, await create(call, dictionariesOf(call.request))),
  }),
  'GET /v3/glossaries': async (call) => {
    const views = [];
    for (const set of await allOf(call)) views.push(await viewV3(call, set));
    return { json: { glossaries: views } };
  },
  'GET /v3/glossaries/:id': async (call) => ({ json: await viewV3(call, await findGlossary(call, call.id)) }),
  'PATCH /v3/glossaries/:id': patch,
  'DELETE /v3/glossaries/:id': remove,
  'GET /v3/glossaries/:id/entries': entriesV3,
  'PUT /v3/glossaries/:id/dictionaries': replaceDictionary,
  'DELETE /v3/glossaries/:id/dictionaries': deleteDictionary,
};

function languagePairs() {
  return languages.flatMap(({ code: source }) =>
    languages.flatMap(({ code: target }) =>
      source === target ? [] : [{ source_lang: source.toLowerCase(), target_lang: target.toLowerCase() }],
    ),
  );
}

const allOf = ({ request, key, clientOf }: Call) =>
  clientOf(key).terminology.list({ signal: request.signal });

/** @throws CompatError 404 */
async function findGlossary(call: Call, id: string): Promise<TerminologySet> {
  const set = (await allOf(call)).find((one) => one.id === id);
  if (!set) throw new CompatError(404, 'Glossary not found');
  return set;
}

/** Returns the languages that a request names. @throws CompatError 400 */
function pairOf(request: Pick<CompatRequest, 'fields'>): Pair {
  return { from: serviceCode(requiredField(request, 'source_lang'), 'source_lang'), to: targetOf(request) };
}

/** Reads a dictionary from the fields of a request. @throws CompatError 400 */
function dictionaryOf(request: Pick<CompatRequest, 'fields'>): Dictionary {
  const pair = pairOf(request);
  const entries = readEntries(
    requiredField(request, 'entries'),
    requiredField(request, 'entries_format'),
    (source, target) => knownCode(source) === pair.from && knownCode(target) === pair.to,
  );
  return { ...pair, entries };
}

/** Reads `dictionaries`: a list in JSON, or fields such as `dictionaries[0].entries` in a form. @throws CompatError 400 */
function dictionariesOf({ fields }: CompatRequest): Dictionary[] {
  const numbered: Record<string, unknown>[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const [, at, field = ''] = /^dictionaries\[(\d{1,3})\]\.(\w+)$/.exec(name) ?? [];
    if (!at) continue;
    numbered[Number(at)] = { ...numbered[Number(at)], [field]: value };
  }
  const list = fields['dictionaries'] ?? Object.values(numbered);
  if (!Array.isArray(list) || list.some((one) => typeof one !== 'object' || one === null))
    throw badRequest("the value for 'dictionaries' must be a list of objects");
  return list.map((one) => dictionaryOf({ fields: one }));
}

const rowsOf = (dictionaries: readonly Dictionary[]): Row[] =>
  dictionaries.flatMap(({ from, to, entries }) =>
    entries.map(([source_term, target_term]) => ({
      source_lang: from,
      target_lang: to,
      source_term,
      target_term,
      case_sensitive: false,
      priority: 0,
    })),
  );

/** Stores rows under a name. A glossary with the name is replaced as a whole, and keeps its ID. */
function upload({ request, key, clientOf }: Call, name: string, rows: readonly Row[]) {
  const [first] = rows;
  if (!first) throw badRequest('A glossary needs at least one dictionary with an entry.');
  const { source_lang, target_lang } = first;
  const isPair =
    source_lang && target_lang && rows.every((row) => isOf(row, { from: source_lang, to: target_lang }));
  const data = new TextEncoder().encode(JSON.stringify(rows));
  return clientOf(key).terminology.upload(
    { name: 'entries.json', data },
    { name, ...(isPair && { source_lang, target_lang }) },
    { signal: request.signal },
  );
}

async function create(call: Call, dictionaries: readonly Dictionary[]): Promise<TerminologySet> {
  const name = requiredField(call.request, 'name');
  return upload(call, freeName(name, await allOf(call)), rowsOf(dictionaries));
}

/**
 * Returns a name that no other glossary has. DeepL allows several glossaries of one name; an upload with an existing
 * name would replace the glossary.
 */
function freeName(name: string, sets: readonly TerminologySet[]): string {
  const taken = new Set(sets.map((set) => set.name));
  const cut = (end: string) =>
    [...name]
      .slice(0, maxName - end.length)
      .join('')
      .trim() + end;
  let free = cut('');
  for (let n = 2; taken.has(free); n++) free = cut(` (${n})`);
  return free;
}

/** Returns a glossary as version 2 does. One with several language pairs has no languages. */
function viewV2({ id, name, source_lang, target_lang, created_at, entry_count }: TerminologySet) {
  return {
    glossary_id: id,
    ready: true,
    name,
    source_lang: (source_lang ?? '').toLowerCase(),
    target_lang: (target_lang ?? '').toLowerCase(),
    creation_time: created_at,
    entry_count,
  };
}

/** Returns a glossary as version 3 does, with its dictionaries. */
async function viewV3(call: Call, set: TerminologySet) {
  return {
    glossary_id: set.id,
    name: set.name,
    creation_time: set.created_at,
    dictionaries: (await pairsOf(call, set)).map(({ from, to, count }) =>
      dictionaryView({ from, to }, count),
    ),
  };
}

const dictionaryView = ({ from, to }: Pair, count: number) => ({
  source_lang: from.toLowerCase(),
  target_lang: to.toLowerCase(),
  entry_count: count,
});

/** Returns the language pairs of a glossary, with the numbers of their terms. */
async function pairsOf({ request, key, clientOf }: Call, { id }: TerminologySet) {
  const counts = await clientOf(key).terminology.pairs(id, { signal: request.signal });
  return counts.flatMap(({ source_lang: from, target_lang: to, entry_count: count }) =>
    from && to ? [{ from, to, count }] : [],
  );
}

async function remove(call: Call) {
  await findGlossary(call, call.id);
  await call.clientOf(call.key).terminology.delete(call.id, { signal: call.request.signal });
  return { status: 204 };
}

/**
 * Returns all terms of a glossary, in their order.
 * @throws CompatError 413 for a glossary with more terms than an upload can have
 */
async function readRows(
  { request, key, clientOf }: Call,
  { id, entry_count }: TerminologySet,
): Promise<Row[]> {
  if (entry_count > maxEntries)
    throw new CompatError(413, `The glossary has more than ${maxEntries} entries; export it in LinguaLoop.`);
  const rows = await clientOf(key)
    .terminology.entries({ set_id: id, limit: 200 }, { signal: request.signal })
    .toArray({ limit: maxEntries });
  return rows.map(({ entry_no: _, ...row }) => row);
}

const entriesOf = (rows: readonly Row[]) =>
  rows
    .filter((row) => !isForbidden(row))
    .map(({ source_term, target_term }): Entry => [source_term, target_term]);

async function entriesV2(call: Call) {
  const entries = entriesOf(await readRows(call, await findGlossary(call, call.id)));
  const isCsv = (call.request.headers.accept ?? '').includes('text/csv');
  return {
    headers: { 'content-type': `${isCsv ? 'text/csv' : 'text/tab-separated-values'}; charset=utf-8` },
    body: writeEntries(entries, isCsv ? 'csv' : 'tsv'),
  };
}

/** Returns the dictionaries of a glossary, or the one of the languages in the request. */
async function entriesV3(call: Call) {
  const set = await findGlossary(call, call.id);
  const hasPair = Boolean(textField(call.request, 'source_lang') || textField(call.request, 'target_lang'));
  const wanted = hasPair ? [await findPair(call, set)] : await pairsOf(call, set);
  const rows = await readRows(call, set);
  const dictionaries = wanted.map((pair) => ({
    source_lang: pair.from.toLowerCase(),
    target_lang: pair.to.toLowerCase(),
    entries: writeEntries(entriesOf(rows.filter((row) => isOf(row, pair))), 'tsv'),
    entries_format: 'tsv',
  }));
  return { json: { dictionaries } };
}

/** Returns the languages of a request, if the glossary has such a dictionary. @throws CompatError 400, 404 */
async function findPair(call: Call, set: TerminologySet): Promise<Pair> {
  const pair = pairOf(call.request);
  if ((await pairsOf(call, set)).some(({ from, to }) => from === pair.from && to === pair.to)) return pair;
  throw new CompatError(404, 'Dictionary not found');
}

/** Replaces the name, or adds and replaces entries of dictionaries. Other entries stay. */
async function patch(call: Call) {
  const set = await findGlossary(call, call.id);
  const name = textField(call.request, 'name');
  const dictionaries = dictionariesOf(call.request);
  let changed = set;
  if (dictionaries.length > 0) {
    const added = rowsOf(dictionaries);
    const replaced = new Set(added.map(identityOf));
    const kept = (await readRows(call, set)).filter(
      (row) => isForbidden(row) || !replaced.has(identityOf(row)),
    );
    changed = await upload(call, set.name, [...kept, ...added]);
  }
  if (name !== undefined && name !== set.name) {
    const others = (await allOf(call)).filter(({ id }) => id !== set.id);
    const client = call.clientOf(call.key);
    changed = await client.terminology.rename(set.id, freeName(name, others), {
      signal: call.request.signal,
    });
  }
  return { json: await viewV3(call, changed) };
}

const identityOf = ({ source_lang, target_lang, source_term }: Row) =>
  JSON.stringify([source_lang, target_lang, source_term]);

async function replaceDictionary(call: Call) {
  const set = await findGlossary(call, call.id);
  const dictionary = dictionaryOf(call.request);
  const kept = (await readRows(call, set)).filter((row) => isForbidden(row) || !isOf(row, dictionary));
  await upload(call, set.name, [...kept, ...rowsOf([dictionary])]);
  return { json: dictionaryView(dictionary, dictionary.entries.length) };
}

async function deleteDictionary(call: Call) {
  const set = await findGlossary(call, call.id);
  const pair = await findPair(call, set);
  const kept = (await readRows(call, set)).filter((row) => !isOf(row, pair));
  await upload(call, set.name, kept);
  return { status: 204 };
}

/**
 * Requires that the glossaries of a request exist and have its languages. All glossaries of the workspace apply to each
 * text anyway.
 * @throws CompatError 400, 404
 */
export async function requireGlossaries(call: Call): Promise<void> {
  const { request } = call;
  const listed = request.fields['glossary_ids'] ?? [];
  const ids = [textField(request, 'glossary_id') ?? [], listed].flat().filter((id) => id !== '');
  if (ids.length === 0) return;
  if (!ids.every((id) => typeof id === 'string'))
    throw badRequest("the value for 'glossary_ids' must be a list of strings");
  const [from, to] = [sourceOf(request), targetOf(request)];
  if (from === 'auto') throw badRequest("Parameter 'source_lang' is required with a glossary.");
  const sets = await allOf(call);
  for (const id of new Set(ids)) {
    const set = sets.find((one) => one.id === id);
    if (!set) throw new CompatError(404, 'Glossary not found');
    const pairs = await pairsOf(call, set);
    if (pairs.length > 0 && !pairs.some((pair) => pair.from === from && pair.to === to))
      throw badRequest(`No dictionary found for language pair ${from} to ${to}.`);
  }
}

/** A term and its translation. */
type Entry = readonly [source: string, target: string];

/**
 * Reads the entries of a dictionary: TSV, or CSV with two columns and optionally the codes of both languages. Rows for
 * other languages are left out, and blank rows.
 * @param isPair whether two codes in a row are the languages of the dictionary
 * @throws CompatError 400 for another format, a row without a translation, or no entries
 */
function readEntries(
  text: string,
  format: string,
  isPair: (source: string, target: string) => boolean,
): Entry[] {
  if (format !== 'tsv' && format !== 'csv') throw badRequest("Value for 'entries_format' not supported.");
  const rows = format === 'csv' ? readCsv(text) : text.split(/\r?\n/).map((line) => line.split('\t'));
  const entries = rows.flatMap((cells, at): Entry[] => {
    if (cells.every((cell) => cell.trim() === '')) return [];
    const [source = '', target = '', from, to] = cells.map((cell) => cell.trim());
    if (source === '' || target === '')
      throw badRequest(`Invalid glossary entries provided: row ${at + 1} has no term or no translation.`);
    return from && to && !isPair(from, to) ? [] : [[source, target]];
  });
  if (entries.length === 0)
    throw badRequest("Invalid glossary entries provided: 'entries' has no term for these languages.");
  return entries;
}

/** Reads CSV with commas, in which a cell may be in quotes. An open quote is part of its cell. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"[^,\r\n]*|([^,\r\n]*))(,|\r?\n|\r|$)/gy,
  )) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  return rows;
}

/** Writes entries with one on each line. A separator in a term becomes a space in TSV, which cannot represent it. */
function writeEntries(entries: readonly Entry[], format: 'tsv' | 'csv'): string {
  const cell = (text: string) =>
    format === 'csv' ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/[\t\r\n]/g, ' ');
  return entries.map((entry) => entry.map(cell).join(format === 'csv' ? ',' : '\t')).join('\n');
}
