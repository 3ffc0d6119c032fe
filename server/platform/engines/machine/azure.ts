import createClient, { isUnexpected } from '@azure-rest/ai-translation-text';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import { failureOf, type Translator, UnsupportedPair } from './translator.ts';

/** The codes of Azure for variants; all other codes are ours. */
const codes: Readonly<Record<string, string>> = { 'fr-CA': 'fr-ca', 'pt-BR': 'pt', 'pt-PT': 'pt-pt' };

/** The codes of errors about a source or target language. */
const languageErrors = ['400003', '400019', '400023', '400035', '400036'];

/** Maximum bytes of a response. */
const maxBytes = 8_000_000;

/**
 * Opens Azure Translator.
 * @param region the region of the resource; unset for a global one
 * @param url another address than the global one, such as that of a resource
 */
export function openAzure({
  api_key,
  region,
  url = 'https://api.cognitive.microsofttranslator.com',
}: {
  api_key: string;
  region?: string | undefined;
  url?: string | undefined;
}): Translator {
  const client = createClient(url, region === undefined ? { key: api_key } : { key: api_key, region }, {
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    allowInsecureConnection: new URL(url).protocol === 'http:',
  });
  return {
    abilities: { formality: false, context: false, texts: 100, units: 20_000 },
    codeOf: (language) => codes[language] ?? language,
    translate: async ({ texts, from, to, isMarkup }, signal) => {
      const cut = new AbortController();
      const stop = () => cut.abort();
      signal.addEventListener('abort', stop, { once: true });
      let isTooLong = false;
      const post = async () =>
        client.path('/translate').post({
          body: {
            inputs: texts.map((text) => ({
              text,
              language: from,
              textType: isMarkup ? 'Html' : 'Plain',
              targets: [{ language: to }],
            })),
          },
          abortSignal: cut.signal,
          onDownloadProgress: ({ loadedBytes }) => {
            isTooLong = loadedBytes > maxBytes;
            if (isTooLong) stop();
          },
        });
      const response = await post()
        .catch((thrown: unknown) => {
          throw isTooLong
            ? new UpstreamFailure('malformed', 'the response of the engine is too long')
            : thrown;
        })
        .finally(() => signal.removeEventListener('abort', stop));
      if (isUnexpected(response)) {
        const code = String(response.body?.error?.code);
        if (languageErrors.includes(code)) throw new UnsupportedPair();
        throw failureOf(
          Number(response.status),
          new Headers(response.headers as Record<string, string>),
          code,
        );
      }
      return response.body?.value?.map((item) => item?.translations?.[0]?.text);
    },
  };
}
