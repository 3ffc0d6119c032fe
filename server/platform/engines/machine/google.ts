import { v2 } from '@google-cloud/translate';
import { boundedFetch } from '../chat/endpoint-http.ts';
import { failureOf, type Translator, UnsupportedPair } from './translator.ts';

/** The codes of Google that differ from ours. */
const codes: Readonly<Record<string, string>> = { 'zh-Hans': 'zh-CN', 'zh-Hant': 'zh-TW', nb: 'no' };

/** The body of an error. */
interface Refusal {
  error?: { message?: unknown; errors?: { reason?: unknown }[] };
}

/**
 * The package's own transport has neither a limit for the response nor a way to end a request. It puts the key into
 * the address, where proxies log it.
 */
class BoundedTranslate extends v2.Translate {
  readonly #send: (body: unknown) => Promise<object>;
  constructor(send: (body: unknown) => Promise<object>) {
    super({ key: 'in the header' });
    this.#send = send;
  }
  override request(...[{ json }, callback]: Parameters<v2.Translate['request']>): void {
    // The package reads the response in `callback`, which throws if its shape is another one.
    this.#send(json)
      .then((body) => callback(null, body))
      .catch((error) => callback(error));
  }
}

/**
 * Opens the basic edition of Google Cloud Translation.
 * @param url another address of the API
 */
export function openGoogle({
  api_key,
  url = 'https://translation.googleapis.com',
}: {
  api_key: string;
  url?: string | undefined;
}): Translator {
  return {
    abilities: { formality: false, context: false, texts: 128, units: 5000 },
    codeOf: (language) => codes[language] ?? language,
    translate: async ({ texts, from, to, isMarkup }, signal) => {
      const client = new BoundedTranslate(async (body) => {
        const response = await boundedFetch(`${url}/language/translate/v2`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-goog-api-key': api_key },
          body: JSON.stringify(body),
          signal,
        });
        if (response.ok) return (await response.json()) as object;
        throw refusalOf(response, (await response.json().catch(() => ({}))) as Refusal | null);
      });
      const [translations] = await client.translate([...texts], {
        from,
        to,
        format: isMarkup ? 'html' : 'text',
      });
      return translations;
    },
  };
}

/** Google also sends 403, with a reason, if its limit of requests is reached. */
function refusalOf({ status, headers }: Response, body: Refusal | null): Error {
  const reason = body?.error?.errors?.[0]?.reason;
  const message = body?.error?.message;
  if (status === 400 && /language pair|Invalid Value|target language/i.test(String(message)))
    return new UnsupportedPair();
  const isLimit = reason === 'rateLimitExceeded' || reason === 'userRateLimitExceeded';
  return failureOf(status === 403 && isLimit ? 429 : status, headers, reason);
}
