import { createHash, timingSafeEqual } from 'node:crypto';
import { languages, type TerminologySet } from '../../../src/index.ts';
import { checkCredential } from '../credentials.ts';
import {
  type ClientOf,
  type CompatApi,
  CompatError,
  type CompatRequest,
  type CompatResponse,
  failureOf,
  textField,
  textsField,
} from './request.ts';
import { reviewHeaders, translateTexts, withLanguage } from './translate-texts.ts';

export interface CompatOptions {
  clientOf: ClientOf;
  /** Whether a text that awaits a review is an error. */
  heldIsError: boolean;
}

/**
 * DeepL's API, version 2: texts, documents, glossaries, usage, languages. The caller's `DeepL-Auth-Key` is an API key of
 * the workspace. Nothing is stored here: a document key is derived from the API key and the ID of the document.
 */
export function deeplApi(options: CompatOptions): CompatApi {
  return {
    expect: (head) => {
      routeOf(head);
      // Early clients send the key as a field. A header without a key is wrong before the body is read.
      const hasKey = head.headers.authorization !== undefined || head.fields['auth_key'] !== undefined;
      if (hasKey) authKeyOf(head);
      return { hasKey };
    },
    handle: async (request) => {
      const { operation, id } = routeOf(request);
      return operation({ ...options, request, key: authKeyOf(request), id });
    },
    errorOf: (status, message) => ({ status, json: { message } }),
  };
}

/** Returns the operation of a request, and the ID in its path. @throws CompatError 404 */
function routeOf({ method, path }: CompatRequest) {
  const [, document, what] = /^\/v2\/document\/([^/]+)(?:\/(result))?$/.exec(path) ?? [];
  const [, glossary, entries] = /^\/v2\/glossaries\/([^/]+)(?:\/(entries))?$/.exec(path) ?? [];
  const route = `${method} ${document ? `/v2/document/:id${what ? `/${what}` : ''}` : glossary ? `/v2/glossaries/:id${entries ? '/entries' : ''}` : path}`;
  const operation = operations[route];
  if (!operation)
    throw new CompatError(404, `Not found: LinguaLoop has no counterpart of ${method} ${path.slice(0, 100)}`);
  return { operation, id: decodeURIComponent(document ?? glossary ?? '') };
}

interface Call extends CompatOptions {
  request: CompatRequest;
  /** The API key of the caller. */
  key: string;
  /** The ID in the path. */
  id: string;
}

const operations: Readonly<Record<string, (call: Call) => Promise<CompatResponse> | CompatResponse>> = {
  'POST /v2/translate': translate,
  'POST /v2/document': uploadDocument,
  'POST /v2/document/:id': documentStatus,
  'GET /v2/document/:id': documentStatus,
  'POST /v2/document/:id/result': documentResult,
  'GET /v2/document/:id/result': documentResult,
  'GET /v2/usage': usage,
  'POST /v2/usage': usage,
  'GET /v2/languages': listLanguages,
  'POST /v2/languages': listLanguages,
  'GET /v2/glossary-language-pairs': () => ({ json: { supported_languages: glossaryPairs() } }),
  'POST /v2/glossaries': createGlossary,
  'GET /v2/glossaries': listGlossaries,
  'GET /v2/glossaries/:id': getGlossary,
  'DELETE /v2/glossaries/:id': deleteGlossary,
  'GET /v2/glossaries/:id/entries': glossaryEntries,
};

/** Returns the API key of the caller. @throws CompatError 403 */
function authKeyOf({ headers, fields }: CompatRequest): string {
  const key = /^DeepL-Auth-Key (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? fields['auth_key'];
  if (typeof key !== 'string' || key === '')
    throw new CompatError(403, 'Authorization failure, check auth_key');
  return key;
}

/** Returns an error of the service in DeepL's statuses. */
export function deeplFailure(error: unknown): {
  status: number;
  message: string;
  headers?: Record<string, string>;
} {
  const { status, message, isQuota, retryAfter } = failureOf(error);
  if (isQuota) return { status: 456, message: `Quota exceeded: ${message}` };
  if (status === 401) return { status: 403, message: 'Authorization failure, check auth_key' };
  if (status === 422) return { status: 400, message: `Bad request. Reason: ${message}` };
  if (status === 502 || status === 504) return { status: 503, message };
  return { status, message, ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }) };
}

/** Parameters without a counterpart, which would change the translation. */
const unsupported = [
  'style_id',
  'custom_instructions',
  'translation_memory_id',
  'translation_memory_threshold',
  'ignore_tags',
  'splitting_tags',
  'non_splitting_tags',
];

const tones: Readonly<Record<string, string | undefined>> = {
  default: undefined,
  more: 'formal',
  prefer_more: 'formal',
  less: 'informal',
  prefer_less: 'informal',
};

function refuseUnsupported(request: CompatRequest): void {
  for (const name of unsupported)
    if (request.fields[name] !== undefined && request.fields[name] !== '')
      throw new CompatError(400, `Bad request. Reason: LinguaLoop has no counterpart of '${name}'`);
}

function toneOf(request: CompatRequest): string | undefined {
  const formality = textField(request, 'formality') ?? 'default';
  if (!Object.hasOwn(tones, formality))
    throw new CompatError(400, `Bad request. Reason: Value for 'formality' not supported.`);
  return tones[formality];
}

async function translate({ request, key, clientOf, heldIsError }: Call): Promise<CompatResponse> {
  refuseUnsupported(request);
  const texts = textsField(request, 'text');
  if (!texts || texts.length === 0)
    throw new CompatError(400, "Bad request. Reason: Parameter 'text' not specified.");
  if (texts.length > 50)
    throw new CompatError(413, "Request entity too large. Reason: 'text' has more than 50 texts.");
  const tagHandling = textField(request, 'tag_handling') ?? '';
  if (tagHandling !== '' && tagHandling !== 'html')
    throw new CompatError(
      400,
      `Bad request. Reason: Value for 'tag_handling' not supported; LinguaLoop supports html.`,
    );
  const client = clientOf(key);
  await requireGlossary(request, key, clientOf);
  const context = textField(request, 'context')?.slice(0, 1000);
  const results = await translateTexts(
    client,
    {
      texts,
      from: sourceOf(request),
      to: targetOf(request),
      isHtml: tagHandling === 'html',
      tone: toneOf(request),
      context: context || undefined,
    },
    heldIsError,
    request.signal,
  );
  const showsBilled = ['1', 'true'].includes(textField(request, 'show_billed_characters') ?? '');
  return {
    headers: reviewHeaders(results),
    json: {
      translations: results.map(({ text, source, billed }) => ({
        detected_source_language: source === 'auto' ? '' : deeplCode(source),
        text,
        ...(showsBilled && { billed_characters: billed }),
      })),
    },
  };
}

/** All glossaries of the workspace apply to a request, so a named one only has to exist. @throws CompatError 404 */
async function requireGlossary(request: CompatRequest, key: string, clientOf: ClientOf): Promise<void> {
  const id = textField(request, 'glossary_id');
  if (!id) return;
  const set = await findGlossary(clientOf, key, id, request.signal);
  if (!textField(request, 'source_lang'))
    throw new CompatError(
      400,
      "Bad request. Reason: Parameter 'source_lang' is required with 'glossary_id'.",
    );
  if (set.target_lang && set.target_lang !== targetOf(request))
    throw new CompatError(400, 'Bad request. Reason: The glossary is for another target language.');
}

/** DeepL's codes that differ from those of the service, in capitals. */
const codes: Readonly<Record<string, string>> = {
  'EN-GB': 'en',
  'EN-US': 'en',
  'ES-419': 'es',
  PT: 'pt-PT',
  ZH: 'zh-Hans',
};

/** Returns the code of the service for a code of DeepL. The service rejects those that it does not know. */
export function serviceCode(code: string): string {
  const capital = code.toUpperCase();
  const known = languages.find((language) => language.code.toUpperCase() === capital);
  return codes[capital] ?? known?.code ?? code;
}

function deeplCode(code: string): string {
  return code === 'zh-Hans' ? 'ZH' : (code.split('-', 1)[0] as string).toUpperCase();
}

function sourceOf(request: CompatRequest): string {
  const code = textField(request, 'source_lang');
  return code ? serviceCode(code) : 'auto';
}

function targetOf(request: CompatRequest): string {
  const code = textField(request, 'target_lang');
  if (!code) throw new CompatError(400, "Bad request. Reason: Parameter 'target_lang' not specified.");
  return serviceCode(code);
}

function documentKey(key: string, documentId: string): string {
  return createHash('sha256').update(`document ${documentId} ${key}`).digest('hex').toUpperCase();
}

function requireDocumentKey({ request, key, id }: Call): void {
  const given = Buffer.from(textField(request, 'document_key') ?? '');
  const expected = Buffer.from(documentKey(key, id));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new CompatError(404, 'Document not found');
}

async function uploadDocument({ request, key, clientOf }: Call): Promise<CompatResponse> {
  refuseUnsupported(request);
  const file = request.files['file'];
  if (!file) throw new CompatError(400, "Bad request. Reason: Parameter 'file' not specified.");
  const name = textField(request, 'filename') || file.name;
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const wanted = textField(request, 'output_format')?.toLowerCase();
  if (wanted && wanted !== extension && !(extension === 'pdf' && wanted === 'docx'))
    throw new CompatError(400, "Bad request. Reason: Value for 'output_format' not supported.");
  await requireGlossary(request, key, clientOf);
  const tone = toneOf(request);
  const fields = {
    target_lang: targetOf(request),
    ...(tone !== undefined && { tone }),
    ...(wanted && wanted !== extension && { output: 'docx' as const }),
  };
  const client = clientOf(key);
  const { id } = await withLanguage(sourceOf(request), (source_lang) =>
    client.documents.translate({ name, data: file }, { ...fields, source_lang }, { signal: request.signal }),
  );
  return { json: { document_id: id, document_key: documentKey(key, id) } };
}

async function documentStatus(call: Call): Promise<CompatResponse> {
  requireDocumentKey(call);
  const { status, progress, billable_chars, error, created_at } = await call
    .clientOf(call.key)
    .documents.get(call.id, { signal: call.request.signal });
  const answer = (fields: object) => ({ json: { document_id: call.id, ...fields } });
  if (status === 'translated') return answer({ status: 'done', billed_characters: billable_chars });
  if (status === 'failed')
    return answer({ status: 'error', error_message: error ?? 'the translation failed' });
  if (status !== 'extracted') return answer({ status: 'queued' });
  const share =
    progress && progress.total_segments > 0 ? progress.translated_segments / progress.total_segments : 0;
  const seconds = (Date.now() - Date.parse(created_at)) / 1000;
  const left = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 10;
  return answer({ status: 'translating', seconds_remaining: Math.min(Math.max(left, 1), 3600) });
}

async function documentResult(call: Call): Promise<CompatResponse> {
  requireDocumentKey(call);
  const file = await call.clientOf(call.key).documents.download(call.id, { signal: call.request.signal });
  return { headers: { 'content-type': file.contentType }, body: await file.bytes() };
}

/** The service reports the allowance to API keys in an estimate, which costs nothing. */
async function usage({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const { allowance } = await clientOf(key).translations.estimate(
    { source_text: 'a', target_lang: 'fr' },
    { signal: request.signal },
  );
  return { json: { character_count: allowance.used, character_limit: allowance.limit } };
}

/** Languages in which the service distinguishes the register by `tone`; it accepts the option for all. */
const withFormality = new Set(['de', 'fr', 'it', 'es', 'nl', 'pl', 'pt-PT', 'pt-BR', 'ja', 'ru']);

async function listLanguages({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const type = textField(request, 'type') ?? request.query.get('type') ?? 'source';
  if (type !== 'source' && type !== 'target')
    throw new CompatError(400, "Bad request. Reason: Value for 'type' not supported.");
  // The list is constant, but only valid keys get it.
  await checkCredential(clientOf(key), request.signal);
  const listed = languages.flatMap(({ code, name }) => {
    const formality = type === 'target' ? { supports_formality: withFormality.has(code) } : {};
    if (type === 'target' && code === 'en')
      return ['EN-GB', 'EN-US'].map((one) => ({
        language: one,
        name: one === 'EN-GB' ? 'English (British)' : 'English (American)',
        ...formality,
      }));
    const own = code === 'zh-Hans' && type === 'source' ? 'ZH' : code.toUpperCase();
    return [{ language: own, name, ...formality }];
  });
  return { json: listed };
}

function glossaryPairs() {
  return languages.flatMap(({ code: source }) =>
    languages.flatMap(({ code: target }) =>
      source === target ? [] : [{ source_lang: source.toLowerCase(), target_lang: target.toLowerCase() }],
    ),
  );
}

async function createGlossary({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const [name, from, to, entries, format] = [
    'name',
    'source_lang',
    'target_lang',
    'entries',
    'entries_format',
  ].map((field) => {
    const value = textField(request, field);
    if (!value) throw new CompatError(400, `Bad request. Reason: Parameter '${field}' not specified.`);
    return value;
  }) as [string, string, string, string, string];
  if (format !== 'tsv' && format !== 'csv')
    throw new CompatError(400, "Bad request. Reason: Value for 'entries_format' not supported.");
  const client = clientOf(key);
  const taken = new Set((await client.terminology.list({ signal: request.signal })).map((set) => set.name));
  // DeepL allows several glossaries of one name; an upload with an existing name would replace the glossary.
  let unique = name;
  for (let n = 2; taken.has(unique); n++) unique = `${name} (${n})`;
  const data = new TextEncoder().encode(format === 'csv' ? entries : csvOfTsv(entries));
  const set = await client.terminology.upload(
    { name: 'entries.csv', data },
    { name: unique, source_lang: serviceCode(from), target_lang: serviceCode(to) },
    { signal: request.signal },
  );
  return { status: 201, json: glossaryView(set) };
}

function csvOfTsv(entries: string): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return entries
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t').slice(0, 2).map(quoted).join(','))
    .join('\n');
}

function glossaryView({ id, name, source_lang, target_lang, created_at, entry_count }: TerminologySet) {
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

/** @throws CompatError 404 */
async function findGlossary(
  clientOf: ClientOf,
  key: string,
  id: string,
  signal: AbortSignal,
): Promise<TerminologySet> {
  const set = (await clientOf(key).terminology.list({ signal })).find((one) => one.id === id);
  if (!set) throw new CompatError(404, 'Glossary not found');
  return set;
}

async function listGlossaries({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const sets = await clientOf(key).terminology.list({ signal: request.signal });
  return { json: { glossaries: sets.map(glossaryView) } };
}

async function getGlossary({ request, key, clientOf, id }: Call): Promise<CompatResponse> {
  return { json: glossaryView(await findGlossary(clientOf, key, id, request.signal)) };
}

async function deleteGlossary({ request, key, clientOf, id }: Call): Promise<CompatResponse> {
  await findGlossary(clientOf, key, id, request.signal);
  await clientOf(key).terminology.delete(id, { signal: request.signal });
  return { status: 204 };
}

/** Maximum terms of a glossary in one response. */
const maxEntries = 100_000;

async function glossaryEntries({ request, key, clientOf, id }: Call): Promise<CompatResponse> {
  await findGlossary(clientOf, key, id, request.signal);
  const entries = await clientOf(key)
    .terminology.entries({ set_id: id }, { signal: request.signal })
    .toArray({ limit: maxEntries });
  const isCsv = (request.headers.accept ?? '').includes('text/csv');
  const cell = (text: string) =>
    isCsv ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/[\t\r\n]/g, ' ');
  const lines = entries.map(({ source_term, target_term }) =>
    [source_term, target_term].map(cell).join(isCsv ? ',' : '\t'),
  );
  return {
    headers: { 'content-type': `${isCsv ? 'text/csv' : 'text/tab-separated-values'}; charset=utf-8` },
    body: lines.join('\n'),
  };
}
