import { expect } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { answerOf, openWorkspace } from '../translations/workspace.ts';
import { tmx, type Unit } from './tmx.ts';

export const TM = '/api/tm';
export const TERMINOLOGY = '/api/terminology';

type Headers = Record<string, string>;
type Content = string | Uint8Array;
export type Answer = Awaited<ReturnType<typeof answerOf>>;

/** Fields of a form. A field that is undefined is omitted. */
export type FormFields = Record<string, string | undefined>;

/**
 * A file in a form: the name and the content type, each of which is omitted if it is null, and the name of the field.
 */
export interface FilePart {
  name?: string | null;
  type?: string | null;
  field?: string;
}

interface Part {
  head: string;
  content: Content;
}

/**
 * Builds a form in the format of a browser. It is built by hand, because parts can then lack headers that a browser
 * always sends.
 */
export function multipart(parts: Part[]): { body: Uint8Array<ArrayBuffer>; type: string } {
  const edge = 'the-edge-of-a-part-4711';
  const chunks = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${edge}\r\n${head}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]);
  return {
    body: new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${edge}--\r\n`)])),
    type: `multipart/form-data; boundary=${edge}`,
  };
}

export const fieldPart = (name: string, content: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  content,
});

export function filePart(field: string, { name, type }: FilePart, content: Content): Part {
  const fileName = name === null ? '' : `; filename="${name}"`;
  const typed = type === null ? '' : `\r\nContent-Type: ${type}`;
  return { head: `Content-Disposition: form-data; name="${field}"${fileName}${typed}`, content };
}

/** Functions that send a tenant's requests about its glossaries and TMs. */
export function setsOf(app: TestApp, headers: Headers) {
  const post = (path: string, parts: Part[], more: Headers = headers): Promise<Answer> => {
    const { body, type } = multipart(parts);
    return answerOf(app.request(path, { method: 'POST', headers: { ...more, 'content-type': type }, body }));
  };
  const fieldsOf = (fields: FormFields) =>
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [fieldPart(name, value)]));
  const get = (path: string, as = headers) => app.json('GET', path, { headers: as });

  const importFile = (content: Content, fields: FormFields = {}, file: FilePart = {}, as = headers) =>
    post(
      TM,
      [
        ...fieldsOf({ name: 'A memory', source_lang: 'en', target_lang: 'fr', ...fields }),
        filePart(file.field ?? 'tmx_file', { name: 'memory.tmx', type: 'application/xml', ...file }, content),
      ],
      as,
    );
  const uploadFile = (content: Content, fields: FormFields = {}, file: FilePart = {}, as = headers) =>
    post(
      TERMINOLOGY,
      [
        ...fieldsOf({ name: 'A glossary', ...fields }),
        filePart(file.field ?? 'terminology_file', { name: 'terms.csv', type: 'text/csv', ...file }, content),
      ],
      as,
    );

  return {
    post,
    /** Imports a TMX file unchanged; by default from English into French. */
    importFile,
    /** Creates a TM of these pairs, and returns its set. */
    async memory(units: (Unit | [string, string])[], fields: FormFields = {}) {
      const { source_lang = 'en', target_lang = 'fr' } = fields;
      return stored(await importFile(tmx(units, source_lang, target_lang), fields));
    },
    memories: async () => stored(await get(TM)),
    removeMemory: (id: string, as = headers) => app.json('DELETE', `${TM}/${id}`, { headers: as }),
    exportMemory: (id: string, as = headers) => exported(app.request(`${TM}/${id}/export`, { headers: as })),
    exportGolden: (query: string, as = headers) =>
      exported(app.request(`${TM}/export/golden${query}`, { headers: as })),
    imports: async () => stored(await get(`${TM}/imports`)),
    importOf: (id: string, as = headers) => get(`${TM}/imports/${id}`, as),

    /** Uploads a CSV file unchanged, unless `file` specifies another type. */
    uploadFile,
    /** Creates a glossary of these lines, and returns its set. */
    glossary: async (lines: string[] | string, fields?: FormFields) =>
      stored(await uploadFile(typeof lines === 'string' ? lines : lines.join('\n'), fields)),
    glossaries: async () => stored(await get(TERMINOLOGY)),
    removeGlossary: (id: string, as = headers) => app.json('DELETE', `${TERMINOLOGY}/${id}`, { headers: as }),
  };
}

/** Creates a tenant, and returns it with the functions for its requests. */
export async function openSets(app: TestApp) {
  const workspace = await openWorkspace(app);
  return { ...workspace, ...setsOf(app, workspace.headers) };
}

export type Sets = Awaited<ReturnType<typeof openSets>>;

/** Functions that call procedures of the memory: `ask` returns the response, `call` checks that the call succeeds. */
export function memoryCalls(app: TestApp, byDefault: 'query' | 'mutation') {
  const ask = (of: Sets, name: string, input: Fields, type = byDefault) =>
    viaRpc(app, { path: `memory.${name}`, type }, { input, headers: of.headers });
  const call = async (...given: Parameters<typeof ask>) => stored(await ask(...given));
  return { ask, call };
}

function stored({ status, body }: { status: number; body: unknown }) {
  expect(status, JSON.stringify(body)?.slice(0, 300)).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route: the tests look into it freely
  return body as any;
}

/** Reads an exported file. All its bytes must be valid UTF-8. */
async function exported(response: Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text };
}

/** `[status, detail]` of a rejected request. */
export const refusal = ({ status, body }: { status: number; body: { detail?: unknown } }) => [
  status,
  body.detail,
];

/** Expects that an upload was rejected because of a line: a 400 whose message contains the line number. */
export function expectLine(answer: Answer, line: number): void {
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    expect.stringMatching(new RegExp(`\\b${line}\\b`)),
  ]);
}

/** The error for an unsupported language (B 7): a text that lists the supported languages. */
export const unsupported = {
  status: 422,
  body: { detail: expect.stringMatching(/\bpt-BR\b.*\bzh-Hant\b/s) },
};
