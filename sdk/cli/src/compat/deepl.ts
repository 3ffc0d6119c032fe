import { LinguaLoopError, languages } from '../../../src/index.ts';
import { checkCredential } from '../credentials.ts';
import { badRequest, type Call, type CompatOptions, type Operation } from './deepl/call.ts';
import { documentOperations } from './deepl/documents.ts';
import { glossaryOperations } from './deepl/glossaries.ts';
import { withFormality } from './deepl/options.ts';
import { translate } from './deepl/texts.ts';
import {
  type CompatApi,
  CompatError,
  type CompatRequest,
  type CompatResponse,
  failureOf,
  textField,
} from './request.ts';

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

const operations: Readonly<Record<string, Operation | undefined>> = {
  'POST /v2/translate': translate,
  ...documentOperations,
  ...glossaryOperations,
  'GET /v2/usage': usage,
  'POST /v2/usage': usage,
  'GET /v2/languages': listLanguages,
  'POST /v2/languages': listLanguages,
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
