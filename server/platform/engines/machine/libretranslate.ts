import { boundedFetch } from '../chat/endpoint-http.ts';
import { failureOf, type Translator, UnsupportedPair } from './translator.ts';

/** The codes of LibreTranslate that differ from ours; undefined for a language that it does not have. */
const codes: Readonly<Record<string, string | undefined>> = { 'pt-PT': 'pt', 'fr-CA': undefined };

/**
 * Opens LibreTranslate.
 * @param url the address of the server
 */
export function openLibreTranslate({
  url,
  api_key,
}: {
  url: string;
  api_key?: string | undefined;
}): Translator {
  return {
    // A public server rejects more than 2,000 characters.
    abilities: { formality: false, context: false, texts: 50, units: 2000 },
    codeOf: (language, role) =>
      language in codes ? (codes[language] ?? (role === 'source' ? 'fr' : undefined)) : language,
    translate: async ({ texts, from, to, isMarkup }, signal) => {
      const response = await boundedFetch(`${url}/translate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          q: texts,
          source: from,
          target: to,
          format: isMarkup ? 'html' : 'text',
          ...(api_key !== undefined && { api_key }),
        }),
        signal,
      });
      // A proxy may reject the request with a page.
      const read: Promise<unknown> = response.json();
      const body = (await (response.ok ? read : read.catch(() => null))) as {
        error?: unknown;
        translatedText?: unknown;
      } | null;
      if (response.status === 400 && /is not (supported|available)/.test(String(body?.error)))
        throw new UnsupportedPair();
      if (!response.ok) throw failureOf(response.status, response.headers);
      return body?.translatedText;
    },
  };
}
