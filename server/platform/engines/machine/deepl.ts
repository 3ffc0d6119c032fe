import { DeepLClient, type SourceLanguageCode, type TargetLanguageCode } from 'deepl-node';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import { failureOf, type Translator, UnsupportedPair } from './translator.ts';

/** Our languages that DeepL translates into, with its codes. It does not have Canadian French. */
const plain = [
  'es',
  'fr',
  'de',
  'it',
  'nl',
  'ja',
  'ko',
  'ar',
  'ru',
  'hi',
  'tr',
  'vi',
  'th',
  'id',
  'pl',
  'uk',
  'cs',
];
const more = ['ro', 'hu', 'el', 'sv', 'da', 'nb', 'fi', 'ms', 'fa', 'ur', 'mr', 'ne', 'pt-PT', 'pt-BR'];
const targets: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...plain, ...more].map((code) => [code, code])),
  en: 'en-US',
  'zh-Hans': 'zh-HANS',
  'zh-Hant': 'zh-HANT',
};

/** Maximum bytes of a response. */
const maxBytes = 8_000_000;

/** The part of the client that writes the requests of its HTTP library. */
interface HttpClient {
  prepareRequest(...given: unknown[]): object;
}

/**
 * Opens DeepL.
 * @param url another address than the one of the key's plan
 */
export function openDeepL({ api_key, url }: { api_key: string; url?: string | undefined }): Translator {
  return {
    abilities: { formality: true, context: true, texts: 50, units: 10_000 },
    codeOf: (language, role) =>
      role === 'target'
        ? targets[language]
        : language === 'fr-CA'
          ? 'fr'
          : targets[language] && language.split('-')[0],
    translate: async ({ texts, from, to, isMarkup, formality, context }, signal) => {
      // A client holds no connection: a new one for each request can carry its signal.
      const client = new DeepLClient(api_key, {
        maxRetries: 0,
        sendPlatformInfo: false,
        ...(url !== undefined && { serverUrl: url }),
      });
      let failure: Error | undefined;
      const more = {
        signal,
        maxContentLength: maxBytes,
        maxRedirects: 0,
        timeout: 0,
        transformResponse: (data: unknown, headers: Record<string, unknown>, status = 0) => {
          const found = new Headers(
            typeof headers['retry-after'] === 'string' ? { 'retry-after': headers['retry-after'] } : {},
          );
          if (status !== 200) failure = refusal(status, data) ?? failureOf(status, found);
          return data;
        },
      };
      const { httpClient } = client as unknown as { httpClient: HttpClient };
      const prepare = httpClient.prepareRequest.bind(httpClient);
      httpClient.prepareRequest = (...given) => ({ ...prepare(...given), ...more });
      const results = await client
        .translateText([...texts], from as SourceLanguageCode, to as TargetLanguageCode, {
          preserveFormatting: true,
          ...(formality && { formality: formality === 'formal' ? 'prefer_more' : 'prefer_less' }),
          ...(context !== null && { context }),
          ...(isMarkup && { tagHandling: 'xml', outlineDetection: false }),
        })
        .catch((thrown: Error & { error?: unknown }) => {
          throw (
            failure ??
            thrown.error ??
            new UpstreamFailure('malformed', 'the response is not the expected JSON')
          );
        });
      return results.map(({ text }) => text);
    },
  };
}

/** DeepL rejects a language that it does not have with 400 and a sentence. */
function refusal(status: number, body: unknown): UnsupportedPair | undefined {
  return status === 400 && /(source|target)_lang/.test(String(body)) ? new UnsupportedPair() : undefined;
}
