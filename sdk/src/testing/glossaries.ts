import type { TerminologySet, UploadedTerminologySet } from '../types.ts';
import { type DoubleRequest, newId, pageAnswer, Refused, requireText } from './answers.ts';

/** The glossaries of a double. */
export interface Glossaries {
  upload(fields: Record<string, unknown>): Promise<UploadedTerminologySet>;
  /** All of them, or a page. */
  list(query: DoubleRequest['query']): Response;
  /** @throws Refused if there is none */
  remove(id: string): void;
  /** A text with the terms of all glossaries for its languages replaced. */
  apply(text: string, sourceLang: string, targetLang: string): string;
}

interface Glossary {
  change: number;
  set: TerminologySet;
  entries: { source: string; target: string }[];
}

export function createGlossaries(): Glossaries {
  const kept = new Map<string, Glossary>();
  let changes = 0;
  return {
    async upload(fields) {
      const name = requireText(fields, 'name').trim();
      const file = fields['terminology_file'];
      if (!(file instanceof Blob))
        throw new Refused(400, 'terminology_file upload is required', 'validation_error');
      const entries = readTable(await file.text());
      const before = kept.get(name);
      const at = new Date().toISOString();
      const set: TerminologySet = {
        id: before?.set.id ?? newId(),
        name,
        source_lang: (fields['source_lang'] as string | undefined) ?? null,
        target_lang: (fields['target_lang'] as string | undefined) ?? null,
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
        .filter(({ set }) => fits(set.source_lang, sourceLang) && fits(set.target_lang, targetLang))
        .flatMap(({ entries }) => entries)
        .reduce((result, { source, target }) => result.replaceAll(source, target), text);
    },
  };
}

/** Reads `term,translation` from each line, in quotes or not; a line of headings is none. */
function readTable(text: string): Glossary['entries'] {
  const rows = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return rows.flatMap((line) => {
    const [source = '', target = ''] = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
    );
    if (/^(source|source_term|term)$/i.test(source)) return [];
    return source === '' || target === '' ? [] : [{ source, target }];
  });
}
