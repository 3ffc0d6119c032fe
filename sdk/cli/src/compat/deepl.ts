import { createHash, timingSafeEqual } from 'node:crypto';
import { LinguaLoopError, languages } from '../../../src/index.ts';
import { checkCredential } from '../credentials.ts';
import {
  badRequest,
  type Call,
  type CompatOptions,
  choiceField,
  deeplCode,
  type Operation,
  sourceOf,
  targetOf,
} from './deepl/call.ts';
import { glossaryOperations, requireGlossaries } from './deepl/glossaries.ts';
import { readXml } from './deepl/xml.ts';
import {
  type CompatApi,
  CompatError,
  type CompatRequest,
  type CompatResponse,
  documentName,
  failureOf,
  textField,
  textsField,
} from './request.ts';
import { reviewHeaders, translateTexts, withLanguage } from './translate-texts.ts';

/**
 * DeepL's API: texts, documents, glossaries of versions 2 and 3, usage, languages. The caller's `DeepL-Auth-Key` is an
 * API key of the workspace. Nothing is stored here: a document key is derived from the API key and the ID of the
 * document.
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
  const [, collection, id = '', rest = ''] =
    /^(\/v2\/document|\/v[23]\/glossaries)\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
  const operation = operations[`${method} ${collection ? `${collection}/:id${rest}` : path}`];
  if (!operation)
    throw new CompatError(404, `Not found: LinguaLoop has no counterpart of ${method} ${path.slice(0, 100)}`);
  try {
    return { operation, id: decodeURIComponent(id) };
  } catch {
    throw badRequest('The ID in the path is malformed.');
  }
}

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
  if (status === 415 && error instanceof LinguaLoopError)
    return { status: 400, message: `Bad request. Reason: Invalid file: ${message}` };
  if (status === 422) return { status: 400, message: `Bad request. Reason: ${message}` };
  if (status === 502 || status === 504) return { status: 503, message };
  return { status, message, ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }) };
}

/** The service reports the allowance to API keys in an estimate, which costs nothing. */
async function usage({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const { allowance } = await clientOf(key).translations.estimate(
    { source_text: 'a', target_lang: 'fr' },
    { signal: request.signal },
  );
  return { json: { character_count: allowance.used, character_limit: allowance.limit } };
}

async function listLanguages({ request, key, clientOf }: Call): Promise<CompatResponse> {
  const type = textField(request, 'type') ?? request.query.get('type') ?? 'source';
  if (type !== 'source' && type !== 'target') throw badRequest("Value for 'type' not supported.");
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

/** Maximum characters of the context and of all instructions together. */
const maxContext = 2000;

async function translate(call: Call): Promise<CompatResponse> {
  const { request, key, clientOf, heldIsError } = call;
  refuseUnsupported(request);
  const texts = textsField(request, 'text');
  if (!texts || texts.length === 0) throw badRequest("Parameter 'text' not specified.");
  if (texts.length > 50)
    throw new CompatError(413, "Request entity too large. Reason: 'text' has more than 50 texts.");
  // Sentences are found by the model, so these have no effect.
  choiceField(request, 'split_sentences', ['0', '1', 'nonewlines']);
  flagOf(request, 'preserve_formatting');
  choiceField(request, 'tag_handling_version', ['v1', 'v2']);
  const modelType = choiceField(request, 'model_type', [
    'latency_optimized',
    'quality_optimized',
    'prefer_quality_optimized',
  ]);
  const tagHandling = choiceField(request, 'tag_handling', ['html', 'xml']);
  const ignored = tagsOf(request, tagHandling);
  const documents = tagHandling === 'xml' ? texts.map((text) => readXml(text, ignored)) : undefined;
  const [from, to, tone] = [sourceOf(request), targetOf(request), toneOf(request)];
  await requireGlossaries(call);
  const results = await translateTexts(
    clientOf(key),
    {
      texts: documents?.map(({ html }) => html) ?? texts,
      ...{ from, to, tone },
      isHtml: tagHandling !== undefined,
      context: contextOf(request),
    },
    heldIsError,
    request.signal,
  );
  const showsBilled = flagOf(request, 'show_billed_characters');
  return {
    headers: reviewHeaders(results),
    json: {
      translations: results.map(({ text, source, billed }, at) => ({
        detected_source_language: source === 'auto' ? '' : deeplCode(source),
        text: documents?.[at]?.write(text) ?? text,
        ...(showsBilled && { billed_characters: billed }),
        ...(modelType && { model_type_used: 'quality_optimized' }),
      })),
    },
  };
}

/**
 * Returns `ignore_tags`. The other options of XML need no effect: a model gets all texts of a request in their order,
 * so a sentence in several tags is not split.
 * @throws CompatError 400 for `ignore_tags` in HTML, which has `translate="no"`
 */
function tagsOf(request: CompatRequest, tagHandling: string | undefined): ReadonlySet<string> {
  const read = (name: string) =>
    (textsField(request, name) ?? []).flatMap((tags) => tags.split(',')).flatMap((tag) => tag.trim() || []);
  const [ignored] = [read('ignore_tags'), read('splitting_tags'), read('non_splitting_tags')];
  flagOf(request, 'outline_detection');
  if (tagHandling === 'html' && ignored && ignored.length > 0)
    throw badRequest("'ignore_tags' needs 'tag_handling' xml; in HTML, use translate=\"no\".");
  return new Set(ignored);
}

/** Returns the hint for the model: `context` and `custom_instructions`. @throws CompatError 400 */
function contextOf(request: CompatRequest): string | undefined {
  const instructions = textsField(request, 'custom_instructions') ?? [];
  const hints = [textField(request, 'context') ?? '', ...instructions].map((hint) => hint.trim());
  return (
    hints
      .filter((hint) => hint !== '')
      .join('\n')
      .slice(0, maxContext) || undefined
  );
}

const documentOperations: Readonly<Record<string, Operation>> = {
  'POST /v2/document': uploadDocument,
  'POST /v2/document/:id': documentStatus,
  'GET /v2/document/:id': documentStatus,
  'POST /v2/document/:id/result': documentResult,
  'GET /v2/document/:id/result': documentResult,
};

function documentKey(key: string, documentId: string): string {
  return createHash('sha256').update(`document ${documentId} ${key}`).digest('hex').toUpperCase();
}

function requireDocumentKey({ request, key, id }: Call): void {
  const given = Buffer.from(textField(request, 'document_key') ?? '');
  const expected = Buffer.from(documentKey(key, id));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new CompatError(404, 'Document not found');
}

async function uploadDocument(call: Call): Promise<CompatResponse> {
  const { request, key, clientOf } = call;
  refuseUnsupported(request);
  const file = request.files['file'];
  if (!file) throw badRequest("Parameter 'file' not specified.");
  const name = textField(request, 'filename') || file.name;
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const wanted = textField(request, 'output_format')?.toLowerCase();
  if (wanted && wanted !== extension && !(extension === 'pdf' && wanted === 'docx'))
    throw badRequest("Value for 'output_format' not supported.");
  await requireGlossaries(call);
  const tone = toneOf(request);
  const fields = {
    target_lang: targetOf(request),
    ...(tone !== undefined && { tone }),
    ...(wanted && wanted !== extension && { output: 'docx' as const }),
  };
  const client = clientOf(key);
  const unclear = { client, text: null, to: fields.target_lang, signal: request.signal };
  const { id } = await withLanguage(sourceOf(request), unclear, (source_lang) =>
    client.documents.translate(
      { name: documentName(name), data: file },
      { ...fields, source_lang },
      { signal: request.signal },
    ),
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

const operations: Readonly<Record<string, Operation | undefined>> = {
  'POST /v2/translate': translate,
  ...documentOperations,
  ...glossaryOperations,
  'GET /v2/usage': usage,
  'POST /v2/usage': usage,
  'GET /v2/languages': listLanguages,
  'POST /v2/languages': listLanguages,
};

/*
 * The options of a translation. An option that would change the translation is translated or an error, and the value of
 * every other one is checked.
 */

/** Parameters without a counterpart, which would change the translation. */
const unsupported = ['style_id', 'translation_memory_id', 'translation_memory_threshold'];

/** @throws CompatError 400 */
function refuseUnsupported(request: CompatRequest): void {
  for (const name of unsupported)
    if (request.fields[name] !== undefined && request.fields[name] !== '')
      throw badRequest(`LinguaLoop has no counterpart of '${name}'`);
}

/** Languages in which the service distinguishes the register by `tone`; it accepts the option for all. */
const withFormality: ReadonlySet<string> = new Set([
  'de',
  'fr',
  'it',
  'es',
  'nl',
  'pl',
  'pt-PT',
  'pt-BR',
  'ja',
  'ru',
]);

const tones: Readonly<Record<string, 'formal' | 'informal' | undefined>> = {
  default: undefined,
  more: 'formal',
  prefer_more: 'formal',
  less: 'informal',
  prefer_less: 'informal',
};

/** Returns the tone for `formality`. @throws CompatError 400, also for a language without registers */
function toneOf(request: CompatRequest): string | undefined {
  const formality = choiceField(request, 'formality', Object.keys(tones)) ?? 'default';
  if (['more', 'less'].includes(formality) && !withFormality.has(targetOf(request)))
    throw badRequest(
      `Target language '${request.fields['target_lang']}' does not support formality; use prefer_${formality}.`,
    );
  return tones[formality];
}

/** Returns whether a flag is set. @throws CompatError 400 */
function flagOf(request: CompatRequest, name: string): boolean {
  return ['1', 'true'].includes(choiceField(request, name, ['0', '1', 'false', 'true']) ?? '0');
}
