import { languageOfName, readLanguage } from '../../../server/languages.ts';
import type { LanguageCode, TerminologySet, UploadedTerminologySet } from '../types.ts';
import {
  type DoubleRequest,
  newId,
  noPart,
  pageAnswer,
  Refused,
  requireField,
  unsupported,
} from './answers.ts';

/** The glossaries of a mock. */
export interface Glossaries {
  upload(request: DoubleRequest): Promise<UploadedTerminologySet>;
  /** Lists all glossaries, or a page of them. */
  list(query: DoubleRequest['query']): Response;
  /** Removes a glossary. @throws Refused if the glossary does not exist */
  remove(id: string): void;
  /** Returns the text with the terms of all glossaries for these languages replaced. */
  apply(text: string, sourceLang: string, targetLang: string): string;
}

interface Glossary {
  change: number;
  set: TerminologySet;
  entries: Entry[];
}

/** A term and its translation. Each side has a language, or applies to any language. */
interface Entry {
  source: string;
  target: string;
  sourceLang: LanguageCode | null;
  targetLang: LanguageCode | null;
}

export function createGlossaries(): Glossaries {
  const kept = new Map<string, Glossary>();
  let changes = 0;
  return {
    async upload(request) {
      const fields = (request.body ?? {}) as Record<string, unknown>;
      const file = fields['terminology_file'];
      if (!(file instanceof File))
        throw new Refused(400, 'terminology_file upload is required', 'validation_error');
      if (/\.(tmx|tbx|xlsx|json)$/i.test(file.name)) throw noPart(request, ' with a file other than CSV');
      if (/\.[^.\\/]*$/.test(file.name) && !/\.csv$/i.test(file.name))
        throw new Refused(415, 'terminology_file must be a .csv or .tmx file');
      if (file.size === 0) throw new Refused(400, 'terminology_file is empty', 'validation_error');
      const name = requireField(fields, 'name');
      const source = declaredLanguage(fields, 'source_lang');
      const target = declaredLanguage(fields, 'target_lang');
      if (source && source.code === target?.code)
        throw new Refused(400, 'source_lang and target_lang are the same language', 'validation_error');
      const entries = readTable(await file.text()).map((entry) => ({
        ...entry,
        sourceLang: entry.sourceLang ?? source?.code ?? null,
        targetLang: entry.targetLang ?? target?.code ?? null,
      }));
      const before = kept.get(name);
      const at = new Date().toISOString();
      const set: TerminologySet = {
        id: before?.set.id ?? newId(),
        name,
        source_lang: source?.tag ?? null,
        target_lang: target?.tag ?? null,
        entry_count: entries.length,
        embedding_model: null,
        stub_embeddings: true,
        created_at: before?.set.created_at ?? at,
        updated_at: at,
      };
      changes += 1;
      kept.set(name, { change: changes, set, entries });
      return { ...set, warnings: [] };
    },
    list: (query) =>
      pageAnswer(
        [...kept.values()].map(({ change, set }) => ({ change, value: set })),
        query,
        kept.size,
      ),
    remove(id) {
      const found = [...kept.values()].find(({ set }) => set.id === id);
      if (!found) throw new Refused(404, 'terminology set not found', 'not_found');
      kept.delete(found.set.name);
    },
    apply(text, sourceLang, targetLang) {
      const fits = (tag: string | null, language: string) => tag === null || tag === language;
      return [...kept.values()]
        .flatMap(({ entries }) => entries)
        .filter((entry) => fits(entry.sourceLang, sourceLang) && fits(entry.targetLang, targetLang))
        .reduce((result, { source, target }) => result.replaceAll(source, () => target), text);
    },
  };
}

/** Returns a language declared in the form, as sent and as its canonical code. Null if the form does not declare it. */
function declaredLanguage(fields: Record<string, unknown>, name: string) {
  const tag = String(fields[name] ?? '').trim();
  if (tag === '') return null;
  const code = readLanguage(tag);
  if (!code) throw unsupported(name, tag);
  return { tag, code };
}

/**
 * The columns in the order that applies if a file has no header. Each pattern matches the possible names of one
 * column.
 */
const columns = [
  ['source_term', 'source', 'src_term', 'term_source'],
  ['target_term', 'target', 'tgt_term', 'term_target'],
  ['source_lang', 'source_language', 'src_lang', 'from_lang'],
  ['target_lang', 'target_language', 'tgt_lang', 'to_lang'],
];

/**
 * Reads CSV. The first row is a header if it names both term columns. In a file without a header, the delimiter is a
 * comma.
 */
function readTable(text: string): Entry[] {
  const lines = text.split(/\r?\n/);
  const header = [',', '\t', '|', ';']
    .map((delimiter) => ({ delimiter, places: placesIn(cellsOf(lines[0] ?? '', delimiter)) }))
    .find(({ places }) => places[0] !== -1 && places[1] !== -1);
  const entries = lines.flatMap((line, index): Entry[] => {
    if (header && index === 0) return [];
    const cells = cellsOf(line, header?.delimiter ?? ',');
    const [source, target, ...languages] = columns.map((_, n) => cells[header?.places[n] ?? n] ?? '');
    if (!source || !target) return [];
    const [sourceLang = null, targetLang = null] = languages.map((cell, side) => {
      const code = cell === '' ? null : (readLanguage(cell) ?? languageOfName(cell));
      if (code !== undefined) return code;
      const column = `line ${index + 1}: ${side === 0 ? 'source_lang' : 'target_lang'}`;
      const place = header?.places[side + 2] ?? side + 2;
      const name = header ? ` (“${cellsOf(lines[0] ?? '', header.delimiter)[place]}”)` : '';
      const letter = String.fromCharCode('A'.charCodeAt(0) + place);
      throw unreadable(
        `${column} is not a supported language in column ${letter}${name}; Chinese and Portuguese need their variant, such as zh-Hans or pt-BR${
          index === 0
            ? '; if this is a header, it needs the columns source_term and target_term, or columns with the names or codes of both languages'
            : ''
        }`,
      );
    });
    return [{ source, target, sourceLang, targetLang }];
  });
  if (entries.length === 0) throw unreadable('no row of the file has both a source term and a target term');
  return entries;
}

/** Returns the cells of a line. Cells may be quoted. */
function cellsOf(line: string, delimiter: string): string[] {
  const cell = new RegExp(`[${delimiter}](?:"((?:[^"]|"")*)"|([^${delimiter}]*))`, 'g');
  return [...`${delimiter}${line}`.matchAll(cell)].map(([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  );
}

/** Returns the position of each column in a row; -1 if the row does not have the column. */
function placesIn(cells: string[]): number[] {
  const named = cells.map((cell) =>
    cell
      .toLowerCase()
      .replaceAll(/[\s\p{P}\p{S}]+/gu, '_')
      .replaceAll(/^_|_$/g, ''),
  );
  return columns.map((names) => named.findIndex((name) => names.includes(name)));
}

function unreadable(why: string): Refused {
  return new Refused(400, `terminology_file: ${why}`, 'validation_error');
}
