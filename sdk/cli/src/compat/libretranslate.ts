import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { documentTypes, type LinguaLoop, LinguaLoopError, languages } from '../../../src/index.ts';
import type { CompatOptions } from './deepl/call.ts';
import type { deeplFailure } from './deepl.ts';
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

/** A translated file that a client may download. */
interface Download {
  client: LinguaLoop;
  documentId: string;
  until: number;
}

/** Maximum downloads that are remembered, and the milliseconds for which they are. */
const maxDownloads = 1000;
const downloadMs = 3_600_000;

/**
 * LibreTranslate's API: translate, detect, languages, translate_file. The caller's `api_key` is an API key of the
 * workspace; `fallbackKey` is used for callers without one.
 */
export function libreTranslateApi(options: CompatOptions & { fallbackKey: string | undefined }): CompatApi {
  const downloads = new Map<string, Download>();
  const keyOf = (request: CompatRequest) =>
    textField(request, 'api_key') ||
    /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ||
    options.fallbackKey;
  const clientFor = (request: CompatRequest) => {
    const key = keyOf(request);
    if (!key) throw new CompatError(403, 'Visit the service to get an API key: api_key is missing');
    return options.clientOf(key);
  };
  const operations: Readonly<
    Record<string, (request: CompatRequest) => Promise<CompatResponse> | CompatResponse>
  > = {
    'POST /translate': (request) => translate(clientFor(request), options, request),
    'POST /detect': (request) => detect(clientFor(request), request),
    'GET /languages': () => ({ json: languageList() }),
    'POST /translate_file': (request) => translateFile(clientFor(request), downloads, request),
    'GET /frontend/settings': () => ({ json: settings }),
    'GET /health': () => ({ json: { status: 'ok' } }),
  };
  const operationOf = ({ method, path }: CompatRequest) => {
    const token = /^\/download_file\/([\w-]+)\//.exec(path)?.[1];
    if (token !== undefined && method === 'GET')
      return (request: CompatRequest) => download(downloads, token, request.signal);
    const operation = operations[`${method} ${path}`];
    if (!operation) throw new CompatError(404, `Not found: ${method} ${path.slice(0, 100)}`);
    return operation;
  };
  return {
    expect: (head) => {
      operationOf(head);
      return { hasKey: Boolean(keyOf(head)) };
    },
    handle: async (request) => operationOf(request)(request),
    errorOf: (status, message) => ({ status, json: { error: message } }),
  };
}

export function libreFailure(error: unknown): ReturnType<typeof deeplFailure> {
  const { status, message, isQuota } = failureOf(error);
  if (isQuota) return { status: 429, message };
  if (status === 401) return { status: 403, message: 'Invalid API key' };
  return { status: status === 413 || status === 422 || status === 415 ? 400 : status, message };
}

/** Codes of LibreTranslate that differ from those of the service. */
const codes: Readonly<Record<string, string>> = { zh: 'zh-Hans', zt: 'zh-Hant', pt: 'pt-PT', pb: 'pt-BR' };

function serviceCode(code: string): string {
  return codes[code] ?? code;
}

function libreCode(code: string): string {
  return Object.entries(codes).find(([, own]) => own === code)?.[0] ?? code;
}

function required(request: CompatRequest, name: string): string {
  const value = textField(request, name);
  if (!value) throw new CompatError(400, `Invalid request: missing ${name} parameter`);
  return value;
}

async function translate(
  client: LinguaLoop,
  { heldIsError }: CompatOptions,
  request: CompatRequest,
): Promise<CompatResponse> {
  const texts = textsField(request, 'q');
  if (!texts || texts.length === 0) throw new CompatError(400, 'Invalid request: missing q parameter');
  if (texts.length > settings.batchLimit)
    throw new CompatError(
      400,
      `Invalid request: request (${texts.length}) exceeds text limit (${settings.batchLimit})`,
    );
  const source = required(request, 'source');
  const format = textField(request, 'format') ?? 'text';
  if (format !== 'text' && format !== 'html') throw new CompatError(400, `${format} format is not supported`);
  const results = await translateTexts(
    client,
    {
      texts,
      from: serviceCode(source),
      to: serviceCode(required(request, 'target')),
      isHtml: format === 'html',
      tone: undefined,
      context: undefined,
    },
    heldIsError,
    request.signal,
  );
  const isList = Array.isArray(request.fields['q']);
  const each = <T>(read: (one: (typeof results)[number]) => T) =>
    isList ? results.map(read) : read(results[0]!);
  // The service makes one translation, so alternatives are always empty.
  const wantsAlternatives = Number(textField(request, 'alternatives') ?? 0) > 0;
  return {
    headers: reviewHeaders(results),
    json: {
      translatedText: each(({ text }) => text),
      ...(source === 'auto' && {
        detectedLanguage: each(({ source: found, confidence }) => ({
          confidence: Math.round((confidence ?? 0) * 100),
          language: libreCode(found),
        })),
      }),
      ...(wantsAlternatives && { alternatives: isList ? results.map(() => []) : [] }),
    },
  };
}

async function detect(client: LinguaLoop, request: CompatRequest): Promise<CompatResponse> {
  const text = textsField(request, 'q')?.[0];
  if (!text) throw new CompatError(400, 'Invalid request: missing q parameter');
  try {
    const { source_lang_detection: found } = await client.translations.estimate(
      { source_text: text, source_lang: 'auto', target_lang: 'en' },
      { signal: request.signal },
    );
    return {
      json: found
        ? [{ confidence: Math.round(found.confidence * 100), language: libreCode(found.language) }]
        : [],
    };
  } catch (error) {
    // The language is unclear: the service names the possible ones.
    if (!(error instanceof LinguaLoopError) || error.candidates === null) throw error;
    return { json: error.candidates.map((language) => ({ confidence: 0, language: libreCode(language) })) };
  }
}

function languageList() {
  const all = languages.map(({ code }) => libreCode(code));
  return languages.map(({ code, name }) => ({
    code: libreCode(code),
    name,
    targets: all.filter((target) => target !== libreCode(code)),
  }));
}

const settings = {
  apiKeys: true,
  batchLimit: 50,
  charLimit: 50_000,
  filesTranslation: true,
  keyRequired: true,
  language: { source: { code: 'auto', name: 'Auto Detect' }, target: { code: 'en', name: 'English' } },
  suggestions: false,
  supportedFilesFormat: ['.txt', ...Object.keys(documentTypes)],
};

async function translateFile(
  client: LinguaLoop,
  downloads: Map<string, Download>,
  request: CompatRequest,
): Promise<CompatResponse> {
  const file = request.files['file'];
  if (!file) throw new CompatError(400, 'Invalid request: missing file parameter');
  const target_lang = serviceCode(required(request, 'target'));
  const options = { signal: request.signal, pollEvery: { firstMs: 300, maxMs: 3000 } };
  const unclear = { client, text: null, to: target_lang, signal: request.signal };
  const poller = await withLanguage(serviceCode(required(request, 'source')), unclear, (source_lang) =>
    client.documents.translate(
      { name: documentName(file.name), data: file },
      { source_lang, target_lang },
      options,
    ),
  );
  const { id, request: asked } = await poller.pollUntilDone({ signal: request.signal });
  const now = Date.now();
  for (const [token, { until }] of downloads)
    if (until < now || downloads.size >= maxDownloads) downloads.delete(token);
  const token = randomBytes(24).toString('base64url');
  downloads.set(token, { client, documentId: id, until: now + downloadMs });
  const extension = extname(file.name);
  const name = `${file.name.slice(0, file.name.length - extension.length)}_${libreCode(asked.target_lang)}${extension}`;
  return {
    json: { translatedFileUrl: `${request.base}/download_file/${token}/${encodeURIComponent(name)}` },
  };
}

async function download(
  downloads: Map<string, Download>,
  token: string,
  signal: AbortSignal,
): Promise<CompatResponse> {
  const known = downloads.get(token);
  if (!known || known.until < Date.now()) throw new CompatError(404, 'Invalid filename');
  const file = await known.client.documents.download(known.documentId, { signal });
  return {
    headers: { 'content-type': file.contentType, 'content-disposition': 'attachment' },
    body: await file.bytes(),
  };
}
